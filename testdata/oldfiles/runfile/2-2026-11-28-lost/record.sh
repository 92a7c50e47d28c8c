run() {
	oneshot run --model lmstudio/scripted --model ollama/scripted --base-url "lmstudio=$SERVER/v1" "$@" 'Which tasks are open?'
}
run --no-run-file # three attempts at the first model fail, so the next run skips it
run --first-byte-timeout 300ms --run-file run.jsonl || [ $? = 124 ]
rm -r state

oneshot run --model ollama/scripted --dialect tool --tool file_read --root vault --schema answer.schema.json --run-file run.jsonl 'Which tasks are open?' || test $? = 8

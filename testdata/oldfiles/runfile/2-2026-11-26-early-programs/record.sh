oneshot run --model ollama/scripted --dialect tool --tools tools.yaml --tool send --ask send --enable-exec --approve ./approve.sh --root vault \
    --schema answer.schema.json --run-file run.jsonl 'Send the open tasks.'

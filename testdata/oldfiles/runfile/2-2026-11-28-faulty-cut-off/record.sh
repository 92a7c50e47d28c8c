oneshot run --model ollama/scripted --dialect tool --tool 'vault_*' --tool file_read --tool file_put --allow file_put --deny file_put --on-denied continue --root vault \
    --schema answer.schema.json --run-file run.jsonl 'Which tasks are open? Note them, too.'

oneshot run --model ollama/scripted --dialect tool --tool 'vault_*' --tool file_read --tool file_put --allow file_put --root vault \
    --input facts.txt --schema answer.schema.json --run-file run.jsonl 'Which tasks are open? Note them, too.'

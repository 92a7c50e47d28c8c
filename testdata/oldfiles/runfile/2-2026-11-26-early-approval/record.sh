oneshot run --model ollama/scripted --dialect tool --tool file_put --ask file_put --root vault --schema answer.schema.json --run-file run.jsonl 'Note the open tasks.' || test $? = 8

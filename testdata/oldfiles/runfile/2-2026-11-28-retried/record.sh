oneshot run --api messages --base-url "$SERVER" --model scripted --dialect native --tool file_read --root vault --schema answer.schema.json --run-file run.jsonl 'Which tasks are open?'

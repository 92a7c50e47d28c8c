oneshot run --model ollama/scripted --tool file_read --root vault --attach scan.png --input facts.txt --schema answer.schema.json --run-file run.jsonl 'Which tasks are open?'

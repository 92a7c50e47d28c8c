rm scan.png facts.txt
oneshot run --resume run.jsonl --base-url "$SERVER" >answer.json
oneshot validate --schema answer.schema.json answer.json

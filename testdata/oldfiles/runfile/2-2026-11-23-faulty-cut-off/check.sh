oneshot run --resume run.jsonl --base-url "$SERVER" >answer.json
oneshot validate --schema answer.schema.json answer.json

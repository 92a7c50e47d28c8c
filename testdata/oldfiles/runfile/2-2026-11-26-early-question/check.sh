oneshot run --resume run.jsonl --base-url "$SERVER" --answer who=Jonas >answer.json
oneshot validate --schema answer.schema.json answer.json

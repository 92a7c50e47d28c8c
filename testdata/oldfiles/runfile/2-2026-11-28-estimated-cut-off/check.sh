rm facts.txt
oneshot run --resume run.jsonl --base-url "$SERVER" >answer.json
oneshot validate --schema answer.schema.json answer.json
echo 'Print the lid.' | cmp - vault/open.md

if oneshot run --resume run.jsonl --base-url "$SERVER" --output envelope >asked.json; then exit 1; fi
approval=$(sed -n 's/.*"approval":"\(sha256:[0-9a-f]*\)".*/\1/p' asked.json)
oneshot run --resume run.jsonl --base-url "$SERVER" --approve-call "$approval" >answer.json
oneshot validate --schema answer.schema.json answer.json
echo 'Print the lid.' | cmp - vault/open.md

oneshot run --resume run.jsonl --base-url "$SERVER" 2>stderr || test $? = 10
grep 'call .* of send' stderr
oneshot run --resume run.jsonl --base-url "$SERVER" --on-unknown-outcome report >answer.json
oneshot validate --schema answer.schema.json answer.json
echo 'Print the lid.' | cmp - vault/sent.txt

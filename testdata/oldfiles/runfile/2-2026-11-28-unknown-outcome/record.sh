oneshot run --model ollama/scripted --dialect tool --tools tools.yaml --tool send --allow send --enable-exec --root vault \
    --schema answer.schema.json --run-file run.jsonl 'Send the open tasks.' &
until test -s vault/sent.txt; do sleep 0.1; done
kill -9 $!

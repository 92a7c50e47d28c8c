oneshot parse --tools tools.yaml --write-baseline known.jsonl reply.txt

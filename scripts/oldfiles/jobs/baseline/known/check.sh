oneshot validate --as baseline known.jsonl
oneshot parse --tools tools.yaml --baseline known.jsonl --strict --fail-on warning reply.txt

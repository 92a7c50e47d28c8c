chmod 600 tasks.yaml
oneshot run --agent ./tasks.yaml --var who=Jonas --run-file run.jsonl

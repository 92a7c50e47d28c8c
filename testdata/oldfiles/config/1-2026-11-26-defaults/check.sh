chmod 600 config/oneshot/config.yaml
oneshot run --run-file run.jsonl Go
grep '"temperature":0.5' run.jsonl

oneshot run --model ollama/scripted --dialect tool --tool 'vault_*' --tool file_read --tool file_put --allow file_put --root vault --input facts.txt \
    --schema answer.schema.json --run-file run.jsonl --events agent_streaming_events.v1.jsonl --output envelope 'Which tasks are open? Note them, too.' >envelope.v1.json
oneshot runs show run.jsonl --format messages >chat_message.v2.jsonl
oneshot parse --format jsonl run.jsonl >parse_result.v1.jsonl
rm run.jsonl

oneshot batch --base-url ollama=http://models.test --proxy "$SERVER" --retry failed --model ollama/scripted --prompt 'Is the verdict of ${review} good or bad?' --schema verdict.schema.json -o new.jsonl verdicts.jsonl reviews.jsonl
grep '"id":"r1"' verdicts.jsonl >before.jsonl
grep '"id":"r1"' new.jsonl | cmp - before.jsonl
oneshot validate --as batch verdicts.jsonl new.jsonl

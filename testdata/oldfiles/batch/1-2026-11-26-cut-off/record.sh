oneshot batch --model ollama/scripted --concurrency 1 --prompt 'Is the verdict of ${review} good or bad?' --schema verdict.schema.json -o verdicts.jsonl reviews.jsonl

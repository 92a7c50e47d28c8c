#!/bin/sh
# Judges each review and appends the verdicts to verdicts.jsonl. Usage: run.sh MODEL
set -eu
cd "$(dirname "$0")"

oneshot batch --quiet --model "${1:?name a model, for example ollama/qwen3:8b}" --lock reviews --total-timeout 4h --rate 100/m \
  --prompt-file ask.md --schema verdict.schema.json -o verdicts.jsonl reviews.csv

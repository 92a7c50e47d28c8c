#!/bin/sh
# Counts and explains the errors of a log. Usage: run.sh [MODEL]
set -eu
cd "$(dirname "$0")"

grep -v INFO app.log | oneshot run --model "${1:-replay:recorded.jsonl}" --input - --schema errors.schema.json \
    'Count the ERROR lines of each source and explain the likely cause.'

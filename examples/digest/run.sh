#!/bin/sh
# Writes a digest of the notes to digest.json. Usage: run.sh [MODEL]
set -eu
cd "$(dirname "$0")"

oneshot run --quiet --model "${1:-replay:recorded.jsonl}" --lock digest --timeout 5m --policy policy.yaml \
    --root notes --tool vault_search --tool file_read --schema digest.schema.json -o digest.json \
    'Write a digest of the notes of November: the news and the open tasks.'

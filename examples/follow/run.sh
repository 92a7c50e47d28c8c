#!/bin/sh
# Follows the digest job while it works. Usage: run.sh [MODEL]
set -eu
cd "$(dirname "$0")/../digest"

oneshot run --quiet --model "${1:-replay:recorded.jsonl}" --policy policy.yaml --root notes --tool vault_search --tool file_read \
    --schema digest.schema.json --events fd://3 'Write a digest of the notes of November: the news and the open tasks.' \
    3>&1 >/dev/null | ../follow/follow.sh

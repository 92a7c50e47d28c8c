#!/bin/sh
# Reviews a change, and writes findings.json. Ends with 20, which is no exit code of oneshot, if a finding is an error.
# Usage: run.sh [MODEL [DIFF|-]]
set -eu
cd "$(dirname "$0")"

cat "${2:-change.diff}" | oneshot run --quiet --model "${1:-replay:recorded.jsonl}" --input - --system rules.md \
    --schema findings.schema.json -o findings.json 'Review this change.'
if grep -E '"severity": ?"error"' findings.json; then
    exit 20
fi

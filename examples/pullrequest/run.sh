#!/bin/sh
# Reviews a change, and writes findings.json. Ends with 1 if a finding is an error. Usage: run.sh [MODEL [DIFF|-]]
set -eu
cd "$(dirname "$0")"

cat "${2:-change.diff}" | oneshot run --quiet --model "${1:-replay:recorded.jsonl}" --input - --system rules.md \
    --schema findings.schema.json -o findings.json 'Review this change.'
if grep -E '"severity": ?"error"' findings.json; then
    exit 1
fi

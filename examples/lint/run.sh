#!/bin/sh
# Lints the captured replies: a report for GitHub code scanning and annotations for a pull request.
# Ends with 1 if there is an error. Usage: run.sh
set -eu
cd "$(dirname "$0")"

oneshot parse --tools tools.yaml --format sarif --fail-on never captures >lint.sarif
oneshot parse --tools tools.yaml --format github --fail-on error captures

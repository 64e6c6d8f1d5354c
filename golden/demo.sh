#!/usr/bin/env bash
# The main job, end to end: take in the golden corpus, ask, show the sources, say how to go on.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
run() { say "knowwhy $*"; knowwhy "$@"; }

run ingest adr golden/corpus/adr
run ingest incident golden/corpus/incidents
run ingest document golden/corpus/docs

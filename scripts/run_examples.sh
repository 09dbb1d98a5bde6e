#!/usr/bin/env bash
# Runs the examples of make run: the official ONNX node tests, the examples of the operator pages, and a large job.
# Usage: run_examples.sh STREW PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
strew=$1 python=$2

# tests NAME FOLDER [OPTION...]: runs the tests in a folder; prints the failures and the count.
tests() {
  local name=$1 folder=$2 log=$2.log
  shift 2
  "$strew" test "$folder" "$@" >"$log" || { grep -v '^pass' "$log"; exit 1; }
  echo "$name: $(tail -n 1 "$log")"
}

scripts/make_suites.sh "$python" >/dev/null
tests "official ONNX node tests" build/node_tests
tests "examples of the operator pages, bit for bit" build/page_examples --exact
"$python" scripts/large_job.py "$strew" build/workload

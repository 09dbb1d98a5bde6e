#!/usr/bin/env bash
# What make run shows once the program is built: the official ONNX node tests, the examples of the operator pages, and a
# large job. Usage: run_examples.sh STREW PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
strew=$1 python=$2

# tests NAME MAKER FOLDER [OPTION...]: makes folders of tests and runs them; shows the failures, and the count.
tests() {
  local name=$1 maker=$2 folder=$3 log=$3.log
  shift 3
  "$python" "scripts/$maker" "$folder" >"$log"
  "$strew" test "$folder" "$@" >"$log" || { grep -v '^pass' "$log"; exit 1; }
  echo "$name: $(tail -n 1 "$log")"
}

tests "official ONNX node tests" make_node_tests.py build/node_tests
tests "examples of the operator pages, bit for bit" make_examples.py build/page_examples --exact
"$python" scripts/large_job.py "$strew" build/workload

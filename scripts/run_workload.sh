#!/usr/bin/env bash
# Runs the workload scatter_elements_add_issue on 1 and on 2 threads; fails where the results differ in one bit.
# Usage: run_workload.sh STREW FOLDER
set -euo pipefail
strew=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs it on that many threads, shows what came out and leaves the hash of the output in $work/hash.N.
run_with() {
  echo "scatter_elements_add_issue with --threads $1:"
  "$strew" run "$folder/scatter_elements_add_issue.onnx" -i "indices=$folder/indices.npy" \
    -i "updates=$folder/updates.npy" --hash --repeat 3 --threads "$1" >"$work/account"
  cat "$work/account"
  grep -E '^output ' "$work/account" | grep -oE '\b[0-9a-f]{16}\b' >"$work/hash.$1"
}

run_with 1
run_with 2
if ! cmp -s "$work/hash.1" "$work/hash.2"; then
  echo "FAILED: the results differ: $(<"$work/hash.1") on 1 thread, $(<"$work/hash.2") on 2 threads" >&2
  exit 1
fi
echo "The same result on 1 and on 2 threads, bit for bit: $(<"$work/hash.1")"

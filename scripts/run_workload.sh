#!/usr/bin/env bash
# Runs the workload scatter_elements_add_issue on 1 and on 2 threads; fails where the results differ in one bit.
# Usage: run_workload.sh STREW FOLDER
set -euo pipefail
strew=$1 folder=$2

# Prints what came out, shown to the user too.
run_with() {
  "$strew" run "$folder/scatter_elements_add_issue.onnx" -i "indices=$folder/indices.npy" \
    -i "updates=$folder/updates.npy" --hash --threads "$1" | tee /dev/stderr
}

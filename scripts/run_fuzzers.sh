#!/usr/bin/env bash
# Builds the fuzzers and runs each for MINUTES, with the committed corpus and the inputs of earlier runs. A finding
# stops the run and is written to build-asan/findings/. With --runs N, runs the corpus and N inputs from a fixed seed.
# Usage: run_fuzzers.sh MINUTES | --runs N
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
declare -A dictionaries=([model_fuzz]=onnx [tensor_fuzz]=onnx [array_fuzz]=numpy)
scripts/build.sh asan model_fuzz tensor_fuzz array_fuzz operator_fuzz

mkdir -p build-asan/findings
for program in build-asan/fuzz/*_fuzz; do
  name=$(basename "$program")
  options=(-max_len=2048 -rss_limit_mb=2048 -timeout=20 -artifact_prefix=build-asan/findings/ -print_final_stats=1)
  if [[ -n ${dictionaries[$name]:-} ]]; then options+=(-dict="fuzz/${dictionaries[$name]}.dict"); fi
  committed=build-asan/committed/$name
  mkdir -p "$committed" "build-asan/corpus/$name"
  "$python" -m zipfile -e "fuzz/corpus/$name.zip" "$committed"
  if [[ $1 == --runs ]]; then
    found=$(mktemp -d)  # libFuzzer writes into the first folder
    "$program" "${options[@]}" -seed=1 -runs="$2" "$found" "$committed" 2>&1 | tail -n 40
    rm -r "$found"
  else
    "$program" "${options[@]}" -max_total_time=$(($1 * 60)) "build-asan/corpus/$name" "$committed" 2>&1 | tail -n 40
  fi
  echo "=== $name: no finding"
done

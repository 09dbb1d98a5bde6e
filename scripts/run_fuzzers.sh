#!/usr/bin/env bash
# Builds the fuzzers and runs each for some minutes on what it found before; a finding stops the run and is left in
# build-fuzz/findings/. With --runs N each takes the committed corpus and N more inputs instead, always the same.
# Usage: run_fuzzers.sh MINUTES | --runs N
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
declare -A dictionaries=([model_fuzz]=onnx [tensor_fuzz]=onnx [array_fuzz]=numpy)
scripts/build.sh fuzz

mkdir -p build-fuzz/findings
for program in build-fuzz/fuzz/*_fuzz; do
  name=$(basename "$program")
  options=(-max_len=2048 -rss_limit_mb=2048 -timeout=20 -artifact_prefix=build-fuzz/findings/ -print_final_stats=1)
  if [[ -n ${dictionaries[$name]:-} ]]; then options+=(-dict="fuzz/${dictionaries[$name]}.dict"); fi
  committed=build-fuzz/committed/$name
  mkdir -p "$committed" "build-fuzz/corpus/$name"
  "$python" -m zipfile -e "fuzz/corpus/$name.zip" "$committed"
  if [[ $1 == --runs ]]; then
    found=$(mktemp -d)  # libFuzzer writes into the first folder
    "$program" "${options[@]}" -seed=1 -runs="$2" "$found" "$committed" 2>&1 | tail -n 40
    rm -r "$found"
  else
    "$program" "${options[@]}" -max_total_time=$(($1 * 60)) "build-fuzz/corpus/$name" "$committed" 2>&1 | tail -n 40
  fi
  echo "=== $name: no finding"
done

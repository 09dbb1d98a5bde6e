#!/usr/bin/env bash
# How many lines of the rooms that read strangers' bytes the corpora of the fuzzers reach: one line a file, then the
# lines that none does. Usage: fuzz_coverage.sh [FOLDER]: with a folder FOLDER/<fuzzer> of each fuzzer beside what is
# committed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build-fuzz-coverage
more=${1:-build-fuzz/corpus}
version=$(clang --version | sed -nE '1s/.*version ([0-9]+).*/\1/p')
flags="-fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping"
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" -DCMAKE_CXX_FLAGS="$flags" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DSTREW_BUILD_APPS=OFF -DSTREW_BUILD_FUZZ=ON -DSTREW_INSTALL=OFF \
  "-DSTREW_TEST_ROOMS=support;reference" >"$folder.log"
ninja -C "$folder" array_fuzz model_fuzz operator_fuzz tensor_fuzz >>"$folder.log"

objects=()
for program in "$folder"/fuzz/*_fuzz; do
  name=$(basename "$program")
  mkdir -p "$folder/committed/$name" "$more/$name"
  python3 -m zipfile -e "fuzz/corpus/$name.zip" "$folder/committed/$name"
  LLVM_PROFILE_FILE="$folder/$name.profraw" "$program" -runs=0 "$more/$name" "$folder/committed/$name" \
    >"$folder/$name.log" 2>&1
  if ((${#objects[@]} > 0)); then objects+=(-object); fi
  objects+=("$program")
done
"llvm-profdata-$version" merge -o "$folder/all.profdata" "$folder"/*.profraw
"llvm-cov-$version" report "${objects[@]}" -instr-profile "$folder/all.profdata" --show-region-summary=false \
  --show-branch-summary=false src/onnx src/index
"llvm-cov-$version" show "${objects[@]}" -instr-profile "$folder/all.profdata" src/onnx src/index \
  >"$folder/lines.txt"
echo "Lines that none reaches:"
awk '/^\/.*:$/ { file = $0 } /^ *[0-9]+\| *0\|/ { print file $0 }' "$folder/lines.txt" |
  sed -E 's/^.*\/(src\/[^:]*:) */\1/; s/\| *0\|/ /'

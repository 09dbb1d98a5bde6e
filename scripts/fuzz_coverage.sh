#!/usr/bin/env bash
# How many lines of the rooms that read strangers' bytes the corpora of the fuzzers reach: one line a file, then the
# lines that none does. Usage: fuzz_coverage.sh [FOLDER]: with a folder FOLDER/<fuzzer> of each fuzzer beside what is
# committed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build-fuzz-coverage
more=${1:-build-asan/corpus}
version=$(clang --version | sed -nE '1s/.*version ([0-9]+).*/\1/p')
flags="-fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping"
mkdir -p "$folder"
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" -DCMAKE_CXX_FLAGS="$flags" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DSTREW_BUILD_APPS=OFF -DSTREW_BUILD_FUZZ=ON -DSTREW_INSTALL=OFF \
  "-DSTREW_TEST_ROOMS=support;reference" >"$folder/build.log"
ninja -C "$folder" array_fuzz model_fuzz operator_fuzz tensor_fuzz >>"$folder/build.log"

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
cover() { "llvm-cov-$version" "$@" "${objects[@]}" -instr-profile "$folder/all.profdata" 2>/dev/null; }
cover report --show-branch-summary=false --show-region-summary=false | awk '
  $1 ~ /^src\/(onnx|index)\// {
    room = substr($1, 1, index(substr($1, 5), "/") + 3)
    lines[room] += $5; missed[room] += $6
    printf "%-32s %5d lines %4d missed\n", $1, $5, $6
  }
  END { for (room in lines) printf "%s: %.1f %% of %d lines\n", room, 100 - 100 * missed[room] / lines[room], lines[room] }'
cover show >"$folder/lines.txt"
echo "Lines that none reaches:"
awk '/^[^ ].*:$/ { file = $0 } /^ *[0-9]+\| *0\|/ { print file $0 }' "$folder/lines.txt" |
  sed -nE 's/^.*(src\/(onnx|index)\/[^:]*:) */\1/p' | sed -E 's/\| *0\|/ /'

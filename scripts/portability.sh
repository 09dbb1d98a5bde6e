#!/usr/bin/env bash
# Compiles src/*/plain/, the code without system calls, with zig for Windows on x86-64 and for macOS on both processors. The
# result is neither linked nor run.
# Usage: portability.sh [SOURCES [FILE...]]: SOURCES is a folder from scripts/debian_sources.sh, which runs by default. FILE
# names other files of src/.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/portability
sources=${1:-$work/sources}
[[ -n ${1:-} ]] || scripts/debian_sources.sh "$sources"
files=("${@:2}")
((${#files[@]})) || files=(src/*/plain/*.cc)
flags=(-std=c++20 -O0 -w -DHWY_COMPILE_ONLY_STATIC '-DSTREW_VERSION=""' -Iinclude -Isrc
  -isystem "$sources/tl-expected/include" -isystem "$sources/hwy")

for target in x86_64-windows-gnu aarch64-macos x86_64-macos; do
  scripts/zig_compiler.sh "$target" "$work/$target"
  for file in "${files[@]}"; do
    "$work/$target/c++" "${flags[@]}" -c "$file" -o "$work/$target/file.o" ||
      { echo "FAILED: $file does not compile for $target" >&2; exit 1; }
  done
  echo "$target: ${#files[@]} files compiled, none run"
done

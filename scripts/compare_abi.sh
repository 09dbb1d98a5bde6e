#!/usr/bin/env bash
# Compares the C interface of a shared libstrew at HEAD with an earlier commit's, using abidiff. Fails if a program that was
# linked to the earlier library might not run with this one. Usage: compare_abi.sh COMMIT [SOURCES]: SOURCES is a folder from
# scripts/debian_sources.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/ccache.sh
command -v abidiff >/dev/null || { echo "abidiff is missing: apt-get install abigail-tools" >&2; exit 1; }
fetched=()
for package in ${2:+"$2"/*/}; do
  name=$(basename "$package")
  [[ $name == apt ]] || fetched+=("-DFETCHCONTENT_SOURCE_DIR_${name^^}=${package%/}")
done
work=$PWD/build/abi
rm -rf "$work"
# C++ names, which change in every minor version, are ignored.
cat >"$work.suppressions" <<'END'
[suppress_function]
  symbol_name_not_regexp = ^strew_
[suppress_variable]
  symbol_name_not_regexp = ^strew_
END
build() {
  mkdir -p "$work/$1/source"
  git archive "$2" | tar -x -C "$work/$1/source"
  cmake -S "$work/$1/source" -B "$work/$1" -G Ninja --log-level=WARNING --no-warn-unused-cli -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-g -O0" \
    -DBUILD_SHARED_LIBS=ON -DSTREW_BUILD_APPS=OFF -DSTREW_BUILD_TESTS=OFF "${fetched[@]}" >/dev/null
  cmake --build "$work/$1" --target strew >"$work/$1.log" || { tail -n 50 "$work/$1.log" >&2; exit 1; }
}
build old "$1"
build new HEAD
# Bit 4 means a change, bit 8 an incompatible one.
status=0
abidiff --suppressions "$work.suppressions" --headers-dir1 "$work/old/source/include" --headers-dir2 "$work/new/source/include" \
  "$work"/old/src/libstrew.so "$work"/new/src/libstrew.so || status=$?
if ((status & ~4)); then
  echo "FAILED: the C interface of libstrew is not compatible with that of $1" >&2
  exit 1
fi
echo "The C interface of libstrew is compatible with that of $1"

#!/usr/bin/env bash
# Reads the source files of the library and the program with clang-tidy; fails on any finding.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -f build/compile_commands.json ]] || scripts/build.sh release strew
find src apps -name '*.cc' -print0 | sort -z |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p build 2> >(grep -v 'warnings generated' >&2)

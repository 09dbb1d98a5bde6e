#!/usr/bin/env bash
# Reads the source files of the library, the program and the bindings with clang-tidy; fails on any finding. Those for
# torch only where they were built, those that need the CUDA toolkit not at all.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy --log-level=WARNING >/dev/null
[[ -f build-python/compile_commands.json ]] || scripts/build_wheel.sh python
[[ -f build-onnxruntime/compile_commands.json ]] || scripts/build_wheel.sh onnxruntime
# clang reads no precompiled header of g++: the commands are copied without them.
read_folders() {
  local build=build/tidy/$1
  mkdir -p "$build"
  sed -E 's# -include [^ ]*cmake_pch\.hxx##g' "$1/compile_commands.json" > "$build/compile_commands.json"
  shift
  find "$@" -name '*.cc' -not -path '*/nvidia/*' -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" 2> >(grep -v 'warnings generated' >&2)
}
read_folders build-tidy src apps bindings/cuda/src/door.cc
read_folders build-python bindings/python
read_folders build-onnxruntime bindings/onnxruntime
[[ ! -f build-torch/compile_commands.json ]] || read_folders build-torch bindings/torch

#!/usr/bin/env bash
# Checks the source files of the library, the program and the bindings with clang-tidy; fails on any finding. Checks files
# for torch only if they were built, and no files that need the CUDA toolkit.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tidy --log-level=WARNING >/dev/null
for package in python onnxruntime; do
  [[ -f build-$package/compile_commands.json ]] || scripts/build_wheel.sh "$package"
done
files=(build-tidy:{src,apps,bindings/cuda/src/door.cc} build-python:bindings/python build-onnxruntime:bindings/onnxruntime)
[[ ! -f build-torch/compile_commands.json ]] || files+=(build-torch:bindings/torch)
python3 scripts/clang_tidy.py "${files[@]}"

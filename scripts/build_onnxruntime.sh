#!/usr/bin/env bash
# Builds the wheel of the plug-in for ONNX Runtime into a folder, with what .venv has and through ccache where there is one.
# ONNXRUNTIME_INCLUDE names the folder of its headers; without it they are fetched. Usage: build_onnxruntime.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
include=${ONNXRUNTIME_INCLUDE:-$(scripts/fetch_onnxruntime_headers.sh build/onnxruntime)}

. scripts/ccache.sh
export CXX=${CXX:-c++}
rm -rf "$folder"
PATH="$PWD/.venv/bin:$PATH" .venv/bin/pip wheel bindings/onnxruntime --quiet --disable-pip-version-check \
  --no-build-isolation --no-deps --wheel-dir "$folder" --config-settings=build-dir="$PWD/build-onnxruntime" \
  --config-settings=cmake.define.STREW_WARNINGS_AS_ERRORS=ON \
  --config-settings=cmake.define.STREW_ONNXRUNTIME_INCLUDE="$include" </dev/null

#!/usr/bin/env bash
# Builds the wheel strew-cuda13 into a folder, with what .venv has, nvcc, and through ccache where there is one.
# Usage: [NVCC=nvcc] [ARCHITECTURES="90-real;..."] build_cuda.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
nvcc=$(command -v "${NVCC:-nvcc}" || command -v /usr/local/cuda/bin/nvcc || true)
[[ -n $nvcc ]] || { echo "There is no nvcc: install CUDA's toolkit 13, or name it by NVCC=/path/to/nvcc" >&2; exit 1; }
release=$("$nvcc" --version | sed -nE 's/.*release ([0-9]+)\..*/\1/p')
[[ $release == 13 ]] || { echo "$nvcc is of CUDA $release; the package strew-cuda13 needs 13" >&2; exit 1; }

# Several architectures of one file are compiled at once; files are, by Ninja.
. scripts/ccache.sh
export CUDACXX=$nvcc CXX=${CXX:-c++}
export CMAKE_CUDA_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER
rm -rf "$folder"
PATH="$PWD/.venv/bin:$PATH" .venv/bin/pip wheel bindings/cuda --quiet --disable-pip-version-check \
  --no-build-isolation --no-deps --wheel-dir "$folder" --config-settings=build-dir="$PWD/build-cuda" \
  --config-settings=cmake.define.STREW_WARNINGS_AS_ERRORS=ON \
  ${ARCHITECTURES:+--config-settings=cmake.define.CMAKE_CUDA_ARCHITECTURES="$ARCHITECTURES"} </dev/null
echo "built for CUDA $release"

#!/usr/bin/env bash
# Builds strew_cuda with nvcc for one architecture and installs it. Then builds and runs a program that uses find_package.
# Without nvcc, prints a line and exits with 77. Usage: find_package.sh BUILD_FOLDER [ARCHITECTURE]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
strew=$(cd "$here/../../.." && pwd)
work=$(realpath -m "$1") architecture=${2:-90}
nvcc=$(command -v "${NVCC:-nvcc}" || command -v /usr/local/cuda/bin/nvcc || true)
[[ -n $nvcc ]] || { echo "There is no nvcc here: strew_cuda was not linked."; exit 77; }

# The library has the flags of the release build. If BUILD_FOLDER is at the top of the checkout, paths are equally deep too,
# and ccache reuses the objects.
export CCACHE_BASEDIR=$strew CCACHE_NOHASHDIR=1
options=(-G Ninja -DCMAKE_BUILD_TYPE=Release --log-level=WARNING)
if command -v ccache >/dev/null; then
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
fi
cmake -S "$strew" -B "$work" "${options[@]}" -DSTREW_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" \
  -DCMAKE_CUDA_ARCHITECTURES="$architecture-real" -DSTREW_WARNINGS_AS_ERRORS=ON -DSTREW_BUILD_TESTS=OFF \
  -DSTREW_BUILD_APPS=OFF
cmake --build "$work"
cmake --install "$work" --prefix "$work/prefix" >/dev/null
cmake -S "$here" -B "$work/consumer" "${options[@]}" -DCMAKE_PREFIX_PATH="$work/prefix" -DCUDAToolkit_ROOT="$(dirname "$(dirname "$nvcc")")"
cmake --build "$work/consumer"
"$work/consumer/consumer"

if cmake -S "$strew" -B "$work/shared" "${options[@]}" -DSTREW_CUDA=ON -DBUILD_SHARED_LIBS=ON 2>"$work/shared.log"; then
  echo "STREW_CUDA with BUILD_SHARED_LIBS was not refused"
  exit 1
fi
grep -q "STREW_CUDA needs a static strew" "$work/shared.log"

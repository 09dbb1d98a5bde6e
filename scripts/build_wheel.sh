#!/usr/bin/env bash
# Builds the wheel of a package, with what .venv has and through ccache where there is one.
# Usage: build_wheel.sh PACKAGE [FOLDER [SOURCE]]: FOLDER is build/wheel/PACKAGE without it; SOURCE is an unpacked sdist
# with a .venv in it, without it the checkout; VENV and BUILD name another environment and build folder. PACKAGE is one of
#   python       the Python package, with the page that make playground has left in the checkout
#   onnxruntime  the plug-in for ONNX Runtime; ONNXRUNTIME_INCLUDE names the folder of its headers, which are fetched else
#   torch        the kernels for PyTorch, for the torch of the interpreter PYTHON (default: .venv's)
#   cuda         strew-cuda13, with nvcc or the NVCC named, for ARCHITECTURES ("90-real;...") or all
#   conformance  the conformance suite
set -euo pipefail
package=${1:-}
scripts=$(realpath "$(dirname "$0")")
root=$(dirname "$scripts")
folder=$(realpath -m "${2:-$root/build/wheel/$package}")
cd "${3:-$root}"
. "$scripts/ccache.sh"
# The compiler's name, the flags and the depth of the build folder are those of the release build, so that ccache knows
# the library's files again.
export CXX=${CXX:-c++}

find_nvcc() {
  nvcc=$(command -v "${NVCC:-nvcc}" || command -v /usr/local/cuda/bin/nvcc || true)
  [[ -n $nvcc ]] || { echo "There is no nvcc: install CUDA's toolkit 13, or name it by NVCC=/path/to/nvcc" >&2; exit 1; }
  local release
  release=$("$nvcc" --version | sed -nE 's/.*release ([0-9]+)\..*/\1/p')
  [[ $release == 13 ]] || { echo "$nvcc is of CUDA $release; the package strew-cuda13 needs 13" >&2; exit 1; }
  export CUDACXX=$nvcc CMAKE_CUDA_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER
}
# The link in a virtual environment is that environment: it is not followed.
interpreter() { realpath --no-symlinks "$(command -v "${PYTHON:-.venv/bin/python}")"; }
page() { [[ ! -f $root/build/playground/index.html ]] || echo "$root/build/playground"; }
headers() { echo "${ONNXRUNTIME_INCLUDE:-$("$scripts/fetch_onnxruntime_headers.sh" build/onnxruntime)}"; }

case $package in
  python) project=. defines=("STREW_PLAYGROUND=$(page)") ;;
  onnxruntime) project=bindings/onnxruntime defines=("STREW_ONNXRUNTIME_INCLUDE=$(headers)") ;;
  torch) project=bindings/torch defines=("STREW_TORCH_PYTHON=$(interpreter)") ;;
  cuda) find_nvcc; project=bindings/cuda defines=(${ARCHITECTURES:+"CMAKE_CUDA_ARCHITECTURES=$ARCHITECTURES"}) ;;
  conformance) project=conformance defines=() ;;
  *) sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2 ;;
esac

rm -rf "$folder"
venv=${VENV:-$PWD/.venv}
PATH="$venv/bin:$PATH" "$venv/bin/python" -m pip wheel "./$project" --quiet --disable-pip-version-check --no-build-isolation \
  --no-deps --wheel-dir "$folder" --config-settings=build-dir="$PWD/${BUILD:-build-$package}" \
  --config-settings=cmake.define.STREW_WARNINGS_AS_ERRORS=ON \
  "${defines[@]/#/--config-settings=cmake.define.}" </dev/null

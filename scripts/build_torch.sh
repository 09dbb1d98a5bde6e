#!/usr/bin/env bash
# Builds the wheel of the kernels for PyTorch into a folder, for the torch of an interpreter, with what .venv has and
# through ccache where there is one. Usage: build_torch.sh PYTHON FOLDER
set -euo pipefail
python=$(command -v "$1") || { echo "$1: no such interpreter" >&2; exit 1; }
python=$(realpath --no-symlinks "$python")  # the link in a virtual environment is that environment
folder=$(realpath -m "$2")
cd "$(dirname "$0")/.."
version=$("$python" -c 'import torch; print(torch.__version__)' 2>/dev/null) ||
  { echo "$python has no torch: install it first, since the kernels are built for one version of it" >&2; exit 1; }

. scripts/ccache.sh
export CXX=${CXX:-c++}
rm -rf "$folder"
PATH="$PWD/.venv/bin:$PATH" .venv/bin/pip wheel bindings/torch --quiet --disable-pip-version-check \
  --no-build-isolation --no-deps --wheel-dir "$folder" --config-settings=build-dir="$PWD/build-torch" \
  --config-settings=cmake.define.STREW_WARNINGS_AS_ERRORS=ON \
  --config-settings=cmake.define.STREW_TORCH_PYTHON="$python" </dev/null
echo "built for torch $version"

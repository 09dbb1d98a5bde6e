#!/usr/bin/env bash
# Builds what bench/gpu.py needs on a machine that cannot build it: the wheels of both packages for an interpreter, with the
# libraries that they need inside. Usage: [ARCHITECTURES="90-real;..."] pack_gpu.sh PYTHON FOLDER
set -euo pipefail
python=$(command -v "$1") || { echo "$1: no such interpreter" >&2; exit 1; }
folder=$(realpath -m "$2")
cd "$(dirname "$0")/.."
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
venv=$PWD/build/pythons/$version
[[ -x $venv/bin/pip ]] || "$python" -m venv --clear "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check -r scripts/requirements/python.txt
VENV=$venv BUILD=build-python-$version scripts/build_wheel.sh python build/wheel/gpu
scripts/build_wheel.sh cuda
rm -rf "$folder"
PATH="$PWD/.venv/bin:$PATH" auditwheel repair --strip --wheel-dir "$folder" build/wheel/gpu/strew-*.whl
PATH="$PWD/.venv/bin:$PATH" auditwheel repair --strip --wheel-dir "$folder" build/wheel/cuda/strew_cuda13-*.whl
ls -l "$folder"

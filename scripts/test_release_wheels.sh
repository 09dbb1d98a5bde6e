#!/usr/bin/env bash
# Installs the wheels of FOLDER, as build_release_wheels.sh leaves them, into empty virtual environments and runs the tests
# against them: everything with Python 3.12, what is quick with every other Python here, the plug-in with ONNX Runtime and the
# conformance suite. test_arm64_wheels.sh is for those of aarch64.
# Usage: test_release_wheels.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath "${1:-build/release/wheels}")
work=$PWD/build/release_test
size_limit=3500000
unset PYTHONPATH PYTHONHOME
rm -rf "$work"
mkdir -p "$work"

for wheel in "$folder"/*.whl; do
  size=$(stat -c %s "$wheel")
  echo "$(basename "$wheel"): $size bytes"
  ((size < size_limit)) || { echo "FAILED: a wheel may have less than $size_limit bytes" >&2; exit 1; }
done
.venv/bin/python scripts/check_bills.py "$folder"/*.whl

# ours PACKAGE...: what pip chooses for this Python, out of the folder alone
ours() {
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index --find-links "$folder" "$@"
}
# environment VERSION PYTHON: an empty one with the package and NumPy
environment() {
  venv=$work/$1
  "$2" -m venv "$venv"
  ours strew
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$(grep ^numpy scripts/requirements/test.txt)"
  # From nowhere, and without an environment: the package alone.
  (
    cd /
    env -i PATH=/usr/bin:/bin "$venv/bin/python" -c '
import sys, numpy, strew
assert strew.__file__.startswith(sys.prefix), strew.__file__
print("strew", strew.__version__, strew.scatter_nd(numpy.zeros(3), [[1], [1]], [1, 2], reduction="add"))'
    env -i "$venv/bin/strew" --version
    env -i "$venv/bin/python" -m strew ops >"$work/ops.txt"
    wc -l <"$work/ops.txt"
  )
}
run_tests() { "$venv/bin/python" -P -m pytest -q -p no:cacheprovider "$@" </dev/null || failed=1; }

# Those that a wheel may make fail.
mapfile -t quick < <(ls tests/python/test_{dlpack,docstrings,dtypes,errors,exit,explain,fork,out,packaging,program,strings,stubs,threads}.py)
tests=$(grep -E '^(hypothesis|ml_dtypes|onnx|pytest)==' scripts/requirements/test.txt)
failed=0
whole=
while read -r version python; do
  [[ $version != 3.12 ]] || { whole=$python; continue; }
  echo "=== Python $version"
  environment "$version" "$python"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r /dev/stdin <<<"$tests"
  run_tests "${quick[@]}"
done < <(scripts/find_pythons.sh)

echo "=== Python 3.12"
[[ -n $whole ]] || { echo "FAILED: there is no Python 3.12 with its headers here" >&2; exit 1; }
environment 3.12 "$whole"
ours onnxruntime-ep-strew onnx-gather-scatter-conformance
"$venv/bin/pip" install --quiet --disable-pip-version-check -r scripts/requirements/test.txt
# tests/conformance tries the suite's source, this the wheel: all cases, from nowhere.
(cd / && "$venv/bin/python" -m strew.conformance --runtime strew.onnx_backend --threads 2 --call strew:set_num_threads) || failed=1
run_tests tests/onnxruntime
run_tests tests/python
exit "$failed"

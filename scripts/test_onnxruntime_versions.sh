#!/usr/bin/env bash
# Runs the plug-in's tests with one binary (that of `make ort`) under several versions of ONNX Runtime. Run by hand: each version gets
# a virtual environment in a temporary folder. Usage: test_onnxruntime_versions.sh [VERSION...]
set -euo pipefail
cd "$(dirname "$0")/.."
versions=("$@")
((${#versions[@]})) || versions=(1.24.1 1.24.4 newest)
wheel=$(echo build/wheel/onnxruntime/*.whl)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

failed=0
for version in "${versions[@]}"; do
  requirement=onnxruntime
  [[ $version == newest ]] || requirement+="==$version"
  /usr/bin/python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install --quiet --disable-pip-version-check \
    "$requirement" onnx==1.23.2 ml_dtypes numpy pytest "$wheel" </dev/null
  echo "=== onnxruntime $("$folder/$version/bin/python" -c 'import onnxruntime; print(onnxruntime.__version__)')"
  "$folder/$version/bin/python" -P -m pytest -q -p no:cacheprovider tests/onnxruntime || failed=1
done
exit "$failed"

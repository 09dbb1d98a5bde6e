#!/usr/bin/env bash
# Writes the official ONNX node tests and the suite's examples of the operators' pages as folders for `strew test`:
# build/node_tests and build/page_examples. Usage: make_suites.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
"$1" scripts/make_node_tests.py build/node_tests
rm -rf build/page_examples
PYTHONPATH=conformance "$1" -P -m gather_scatter_conformance --write build/page_examples --only page-example

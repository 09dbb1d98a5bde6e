#!/usr/bin/env bash
# Builds the kernels for PyTorch and runs their tests with PYTHON, or else with the interpreter of build/torch-python, which
# is made first. Usage: test_torch.sh [PYTHON]
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-build/torch-python/bin/python}
if [[ $# == 0 ]] && ! cmp -s tests/torch/requirements.txt build/torch-python/requirements.txt; then
  [[ -x $python ]] || /usr/bin/python3 -m venv --clear build/torch-python
  "$python" -m pip install --quiet --disable-pip-version-check -r tests/torch/requirements.txt
  cp tests/torch/requirements.txt build/torch-python/
fi
make --no-print-directory torch SKIP_DEPS=1 PYTHON="$python"
"$python" -P -m pytest -p no:cacheprovider tests/python/test_torch*.py tests/python/test_messages.py \
  tests/python/test_documents.py::test_the_examples_of_a_document_give_what_it_says tests/torch

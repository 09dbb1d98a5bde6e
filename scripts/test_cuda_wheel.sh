#!/usr/bin/env bash
# Builds the wheel strew-cuda13 for one architecture and has .venv's strew open it. Without a device a call has to say
# what is missing. Says so and exits with 77 where there is no nvcc.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v "${NVCC:-nvcc}" >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] ||
  { echo "There is no nvcc here: the package strew-cuda13 was not built."; exit 77; }
ARCHITECTURES=90-real scripts/build_wheel.sh cuda build/wheel/cuda-test
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --target "$folder" build/wheel/cuda-test/*.whl
PYTHONPATH=$folder:tests/python .venv/bin/python -P - <<'PYTHON'
import numpy as np
import strew.cuda
from device_support import DeviceArray, InterfaceArray

if strew.cuda.available():
    print("There is a device: bench/gpu.py says what it does.")
else:
    try:
        strew.gather(DeviceArray(np.zeros(3)), [0])
    except NotImplementedError as error:
        assert strew.cuda.unavailable_reason() in str(error), error
        print(error)
    else:
        raise SystemExit("a call on a device that is not there was not refused")
    try:
        strew.gather(InterfaceArray(np.zeros(3)), [0])
    except NotImplementedError as error:
        assert strew.cuda.unavailable_reason() in str(error), error
        print(error)
PYTHON

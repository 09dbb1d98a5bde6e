#!/usr/bin/env bash
# Builds the preset traced, and counts the source files with functions that a call enters (tests/walks/walks.py).
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python
cmake --preset traced --log-level=WARNING -DPython_EXECUTABLE="$python" >/dev/null
scripts/build.sh traced _strew small_walk
exec "$python" tests/walks/walks.py . build-traced

#!/usr/bin/env bash
# Builds the wheel as it is published, installs it into an empty virtual environment outside .venv, tries it from
# outside the checkout, then runs the Python tests against it.
set -euo pipefail
cd "$(dirname "$0")/.."
size_limit=2000000
work=$PWD/build/wheel
venv=$work/venv
unset PYTHONPATH PYTHONHOME
export PATH="$PWD/.venv/bin:$PATH"

install() {
  .venv/bin/pip --python "$venv/bin/python" install --quiet --disable-pip-version-check --no-compile "$@"
}

scripts/build_wheel.sh "$work/built"
rm -rf "$work/repaired"
auditwheel repair --strip --wheel-dir "$work/repaired" "$work"/built/*.whl
wheel=$(echo "$work"/repaired/strew-*-manylinux*.whl)
size=$(stat -c %s "$wheel")
echo "$(basename "$wheel"): $size bytes"
if ((size >= size_limit)); then
  echo "FAILED: the wheel may have less than $size_limit bytes" >&2
  exit 1
fi

.venv/bin/python -m venv --clear --without-pip "$venv"
install "$wheel"
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
(
  cd "$outside"
  env -i PATH=/usr/bin:/bin "$venv/bin/python" -c '
import sys, numpy, strew
assert strew.__file__.startswith(sys.prefix), strew.__file__
print("strew", strew.__version__, strew.scatter_nd(numpy.zeros(3), [[1], [1]], [1, 2], reduction="add"))'
  env -i "$venv/bin/strew" --version
  env -i "$venv/bin/python" -m strew ops >ops.txt
  wc -l ops.txt
)
install -r scripts/requirements.txt
"$venv/bin/python" -P -m pytest -p no:cacheprovider tests/python

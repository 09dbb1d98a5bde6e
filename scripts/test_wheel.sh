#!/usr/bin/env bash
# Builds the sdist, and from it the wheel as it is published, installs that into an empty virtual environment outside
# .venv, tries it from outside the checkout, then runs the Python tests against it.
set -euo pipefail
cd "$(dirname "$0")/.."
size_limit=7000000  # 2,600,000 are the static library
work=$PWD/build/wheel
source=$work/source
venv=$work/venv
unset PYTHONPATH PYTHONHOME
export PATH="$PWD/.venv/bin:$PATH"

install() {
  .venv/bin/pip --python "$venv/bin/python" install --quiet --disable-pip-version-check --no-compile "$@"
}

rm -rf "$work/sdist" "$source" "$work/repaired"
mkdir -p "$source"
python -c 'import scikit_build_core.build as backend, sys; backend.build_sdist(sys.argv[1])' "$work/sdist" >/dev/null
sdist=$(echo "$work"/sdist/strew-*.tar.gz)
foreign=$(comm -13 <(git ls-files -co --exclude-standard | sort) \
  <(tar -tzf "$sdist" | cut -d/ -f2- | grep -vx PKG-INFO | sort))
if [[ -n $foreign ]]; then
  echo "FAILED: the sdist has files that are not the project's: $foreign" >&2
  exit 1
fi

# .venv lies in the unpacked sdist, as hard links, where it lies in the checkout: with the same paths from there, ccache
# knows every file again.
tar -xzf "$sdist" -C "$source" --strip-components 1
cp -al .venv "$source/.venv"
scripts/build_wheel.sh python "$work/from_sdist" "$source"
auditwheel repair --strip --wheel-dir "$work/repaired" "$work"/from_sdist/*.whl
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
install -r scripts/requirements/test.txt
"$venv/bin/python" -P -m pytest -p no:cacheprovider tests/python

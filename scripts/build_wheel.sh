#!/usr/bin/env bash
# Builds the wheel of the Python package into a folder, with what .venv has and through ccache where there is one.
# Usage: [VENV=.venv BUILD=build-python] build_wheel.sh FOLDER [SOURCE]: SOURCE is an unpacked sdist with a .venv in it;
# without it, the checkout. The page that make playground has left in the checkout goes into it.
set -euo pipefail
folder=$(realpath -m "$1")
scripts=$(realpath "$(dirname "$0")")
page=$(realpath -m "$scripts/../build/playground")
cd "${2:-$scripts/..}"
. "$scripts/ccache.sh"

# The compiler's name, the flags and the depth of build-python are those of the release build, so that ccache knows the
# library's files again.
export CXX=${CXX:-c++}
rm -rf "$folder"
venv=${VENV:-$PWD/.venv}
PATH="$venv/bin:$PATH" "$venv/bin/python" -m pip wheel . --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir "$folder" --config-settings=build-dir="${BUILD:-build-python}" \
  --config-settings=cmake.define.STREW_WARNINGS_AS_ERRORS=ON \
  --config-settings=cmake.define.STREW_PLAYGROUND="$([[ ! -f $page/index.html ]] || echo "$page")" </dev/null

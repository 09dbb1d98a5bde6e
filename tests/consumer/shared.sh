#!/usr/bin/env bash
# Builds and installs strew as shared libraries, compares what they export with the public headers, then builds and runs
# the consumer by find_package and by pkg-config.
# Usage: shared.sh COMPILER STANDARD WORK_FOLDER [CMAKE_OPTION...]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
strew=$(cd "$here/../.." && pwd)
compiler=$1 standard=$2 work=$(realpath -m "$3")
options=(-G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_STANDARD="$standard" -DCMAKE_CXX_STANDARD_REQUIRED=ON
  -DCMAKE_BUILD_TYPE=Release --log-level=WARNING)
if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

rm -rf "$work"
cmake -S "$strew" -B "$work/strew" "${options[@]}" -DBUILD_SHARED_LIBS=ON -DSTREW_WARNINGS_AS_ERRORS=ON "${@:4}"
cmake --build "$work/strew"
cmake --install "$work/strew" --prefix "$work/prefix" >/dev/null
library=$(find "$work/prefix" -name libstrew.so)
on_top=("${library%.so}"_{model,picture}.so)
for each in "$library" "${on_top[@]}"; do
  readelf -d "$each" | grep -E "SONAME.*$(basename "$each")\.[0-9]+\.[0-9]+\]"
done
# libstrew must not depend on the libraries on top of it.
readelf -d "$library" | { grep -cE 'NEEDED.*lib(strew_|minizip|z\.)' || true; } | grep -qx 0
python3 "$here/exports.py" "$work/prefix/include" "$library" "${on_top[@]}"

cmake -S "$here" -B "$work/find_package" "${options[@]}" -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/find_package"
(cd "$work/find_package" && ./consumer)

# Runs the example calls from C and from Python's ctypes.
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name strew.pc)")
export PKG_CONFIG_PATH
read -ra flags < <(pkg-config --cflags --libs strew)
cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$strew/examples/c/calls.c" -o "$work/calls" "${flags[@]}"
LD_LIBRARY_PATH=$(dirname "$library") "$work/calls" | diff "$strew/examples/c/calls.txt" -
python3 "$strew/examples/c/calls.py" "$library" | diff "$strew/examples/c/calls.txt" -
LD_LIBRARY_PATH=$(dirname "$library") "$here/pkg_config.sh" "$work/prefix" "$compiler" "$work/pkg_config" "$standard"

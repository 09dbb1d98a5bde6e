#!/usr/bin/env bash
# Builds and installs strew with one compiler and one C++ standard. Then builds and runs the consumer by find_package, by
# pkg-config and by add_subdirectory, and by the first two with a shared library. Code is hardly optimised.
# Usage: every_way.sh COMPILER STANDARD WORK_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
strew=$(cd "$here/../.." && pwd)
compiler=$1 standard=$2 work=$(realpath -m "$3/$1-$2")
options=(-G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_STANDARD="$standard" -DCMAKE_CXX_STANDARD_REQUIRED=ON
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" --log-level=WARNING)
if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

rm -rf "$work"
echo "--- install"
cmake -S "$strew" -B "$work/strew" "${options[@]}" -DSTREW_BUILD_TESTS=OFF -DSTREW_WARNINGS_AS_ERRORS=ON
cmake --build "$work/strew"
cmake --install "$work/strew" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/strew" ops | tail -n 1

echo "--- find_package"
cmake -S "$here" -B "$work/find_package" "${options[@]}" -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/find_package"
(cd "$work/find_package" && ./consumer)

echo "--- pkg-config"
"$here/pkg_config.sh" "$work/prefix" "$compiler" "$work/pkg_config" "$standard"

echo "--- add_subdirectory"
cmake -S "$here" -B "$work/add_subdirectory" "${options[@]}" -DSTREW_SOURCE_DIR="$strew"
cmake --build "$work/add_subdirectory"
(cd "$work/add_subdirectory" && ./consumer)

echo "--- shared library"
"$here/shared.sh" "$compiler" "$standard" "$work/shared" -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG"
"$work/shared/prefix/bin/strew" ops | tail -n 1

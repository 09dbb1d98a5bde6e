#!/usr/bin/env bash
# Tests a project without a build type that adds Strew as a subdirectory: only Strew's files are optimised.
# Usage: no_build_type.sh STREW_SOURCE FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
cmake -S "$here" -B "$2" -DSTREW_SOURCE_DIR="$1" -DCMAKE_BUILD_TYPE= -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  --log-level=WARNING >/dev/null
levels() { # optimisation levels of the files of a folder, without duplicates
  sed -n "s#^ *\"command\": \"\(.*\)$1.*#\1#p" "$2/compile_commands.json" | sed 's/.* -O\([0-9]\).*/\1/; t; s/.*/none/' | sort -u | xargs
}
[[ $(levels "$1/src/kernel/" "$2") == 3 ]] || { echo "src/kernel is compiled with -O$(levels "$1/src/kernel/" "$2")"; exit 1; }
[[ $(levels "$here/main.cc" "$2") == none ]] || { echo "the project itself is optimised"; exit 1; }

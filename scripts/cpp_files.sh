#!/usr/bin/env bash
# Prints the C++ files of the project, each followed by a zero byte.
set -euo pipefail
cd "$(dirname "$0")/.."
folders=()
for folder in include src apps bindings tests bench fuzz examples; do
  [[ ! -d $folder ]] || folders+=("$folder")
done
find "${folders[@]}" \( -name '*.h' -o -name '*.cc' \) -print0 | sort -z

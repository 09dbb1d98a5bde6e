#!/usr/bin/env bash
# Builds the playground into a folder: the page, and the library as a WebAssembly module.
# Usage: build_playground.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."

# Debian's emscripten needs acorn from Debian's Node.js, which may not be the first in PATH.
acorn=$(dpkg -L node-acorn | awk '/\/acorn$/ && !found++')
NODE_PATH=$(dirname "$acorn")
export NODE_PATH EMSDK_PYTHON=/usr/bin/python3  # emscripten starts it for each file, and pyenv's starts slowly
scripts/build.sh playground strew_module

node apps/playground/pack.mjs build-playground/apps/playground/module docs/pictures/scatter_nd_add.svg "$folder"

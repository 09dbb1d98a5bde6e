#!/usr/bin/env bash
# Builds the playground into a folder: the page, and the library as its WebAssembly module.
# Usage: build_playground.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."

# Debian's emscripten looks for acorn beside the Node.js of Debian, which may not be the first in PATH.
acorn=$(dpkg -L node-acorn | awk '/\/acorn$/ && !found++')
NODE_PATH=$(dirname "$acorn")
export NODE_PATH
scripts/build.sh playground strew_module

rm -rf "$folder"
mkdir -p "$folder"
cp -r apps/playground/{index.html,playground.css,icon.svg,examples.json,js} build-playground/apps/playground/module/strew.{mjs,wasm} "$folder"

# The first picture stands in the page before the module is there. The page's policy wants its style in a file.
first=docs/pictures/scatter_nd_add.svg
sed -n 's:.*<style>\(.*\)</style>.*:\1:p' "$first" >"$folder/picture.css"
sed -i -e "/<!-- the first picture -->/r $first" -e 's:<!-- the first picture -->::' "$folder/index.html"
sed -i '/<style>.*<\/style>/d' "$folder/index.html"

size=$(gzip -9 -c "$folder/strew.wasm" | wc -c)
echo "$folder: strew.wasm has $size bytes with gzip"

#!/usr/bin/env bash
# Makes the published sdist: the files of HEAD, and third_party/ with the used parts of other libraries, so that a build
# needs no network. Its bytes depend only on the commit and the build backend. Its unpacked files stay in FOLDER/source for
# build_wheel.sh. Usage: make_sdist.sh [FOLDER [SOURCES]]: FOLDER is build/sdist by default; SOURCES is a folder from
# scripts/debian_sources.sh; by default each library is read from its repository.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:-build/sdist}")
python=$PWD/.venv/bin/python
rm -rf "$folder"
mkdir -p "$folder/source"
git archive HEAD | tar -x -C "$folder/source"
scripts/collect_third_party.py "$folder/source/third_party" ${2:+--from "$2"}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
cd "$folder/source"
"$python" -c 'import scikit_build_core.build as backend, sys; backend.build_sdist(sys.argv[1])' "$folder" >/dev/null
echo "$folder"/*.tar.gz

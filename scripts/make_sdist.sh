#!/usr/bin/env bash
# Makes the sdist that is published: what git tracks of HEAD, and third_party/ with the used parts of other libraries, so that
# it is built without them and without a network. Its bytes depend on the commit and the build backend alone.
# FOLDER/source, what it is made of, stays for build_wheel.sh.
# Usage: make_sdist.sh [FOLDER [SOURCES]]: FOLDER is build/sdist without it; SOURCES has the libraries unpacked, as
# scripts/debian_sources.sh leaves them; without it each is read from its repository.
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

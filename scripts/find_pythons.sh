#!/usr/bin/env bash
# Prints "VERSION PATH", sorted by version, for each Python from 3.11 on with installed headers, on PATH or from pyenv. With
# LEAST, prints only the first version from LEAST on. Usage: find_pythons.sh [LEAST]
set -euo pipefail
unset PYTHONPATH PYTHONHOME
declare -A pythons
has_headers='import os, sysconfig; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")'
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}" ~/.pyenv/versions/*/bin; do
  for python in "$folder"/python3.1[1-9]; do
    version=${python##*/python}
    if [[ -z ${pythons[$version]-} ]] && "$python" -c "$has_headers" 2>/dev/null; then pythons[$version]=$python; fi
  done
done
for version in "${!pythons[@]}"; do echo "$version ${pythons[$version]}"; done | sort -V |
  if [[ -n ${1-} ]]; then awk -v least="${1#3.}" '{ split($1, version, ".") } version[2] >= least { print; exit }'; else cat; fi

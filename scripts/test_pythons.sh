#!/usr/bin/env bash
# Builds the wheel for another Python than that of .venv, from 3.11 on, and runs with it those tests that are quick: for
# the newest that is on PATH or of pyenv, for all of these, or says which they are. Usage: test_pythons.sh [all|list]
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/pythons
files=(tests/python/test_{dlpack,docstrings,dtypes,errors,exit,explain,fork,out,packaging,program,strings,stubs,threads}.py)
unset PYTHONPATH PYTHONHOME

declare -A pythons
while read -r version python; do pythons[$version]=$python; done < <(scripts/find_pythons.sh)
unset "pythons[$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')]"
mapfile -t versions < <(printf '%s\n' "${!pythons[@]}" | sort -V | grep .)
case ${1-} in
  list) echo "${versions[*]:-none}"; exit ;;
  all) ;;
  *) versions=("${versions[@]: -1}") ;;
esac

((${#versions[@]})) || echo "There is no other Python than $(.venv/bin/python --version) here"
failed=0
for version in "${versions[@]}"; do
  venv=$work/$version
  [[ -x $venv/bin/pip ]] || "${pythons[$version]}" -m venv --clear "$venv"
  { cat scripts/requirements/python.txt; grep -E '^(hypothesis|ml_dtypes|onnx|pytest)==' scripts/requirements/test.txt; } |
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r /dev/stdin
  VENV=$venv BUILD=build-python-$version scripts/build_wheel.sh python "$work/wheel-$version"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$work/wheel-$version"/*.whl
  echo "=== $("$venv/bin/python" --version)"
  "$venv/bin/python" -P -m pytest -p no:cacheprovider "${files[@]}" || failed=1
done
exit "$failed"

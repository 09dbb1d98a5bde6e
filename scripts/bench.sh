#!/usr/bin/env bash
# make bench: measures the time that a better choice of strategy would save, and the times of the named workloads and the sweep in
# every library; draws plots into build/figures. A second call resumes an interrupted one. Usage: bench.sh [--quick]
set -euo pipefail
cd "$(dirname "$0")/.."
figures=build/figures python=build/bench-python/bin/python
mkdir -p $figures
scripts/build.sh release strew_regret
if ! cmp -s bench/requirements.txt build/bench-python/requirements.txt; then
  [[ -x $python ]] || /usr/bin/python3 -m venv --clear build/bench-python
  $python -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
  cp bench/requirements.txt build/bench-python/
fi
scripts/build_wheel.sh python
$python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/python/*.whl

[[ ${1-} == --quick ]] && drawn=30 sweep=(--only "tables of 1 MiB") || drawn=300 sweep=()
build/bench/strew_regret --calls "$drawn" | $python bench/regret.py - >$figures/regret.txt
$python bench/peers.py --missing --json $figures/peers.json "$@"
$python bench/sweep.py $figures/sweep.jsonl "${sweep[@]}"
$python bench/plot.py $figures/{peers.json,sweep.jsonl} $figures >$figures/tables.md
echo "figures and tables: $figures"

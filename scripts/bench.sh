#!/usr/bin/env bash
# make bench: times the kernels, the named workloads beside every peer, the sweep and the growth of cost, and draws the plots.
# Usage: bench.sh [--quick]. Results go to build/figures; a second call goes on where the first was interrupted.
set -euo pipefail
cd "$(dirname "$0")/.."
figures=build/figures
python=build/bench-python/bin/python
mkdir -p $figures

dpkg-query -W -f='${db:Status-Abbrev}' libbenchmark-dev 2>/dev/null | grep -q ii ||
  { echo "libbenchmark-dev is missing: apt-get install libbenchmark-dev" >&2; exit 1; }
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DSTREW_BUILD_BENCH=ON -G Ninja >build/bench.log
cmake --build build --target strew_bench strew_regret strew_task_cost strew_plain strew_program >>build/bench.log
if ! cmp -s bench/requirements.txt build/bench-python/requirements.txt; then
  [[ -x $python ]] || /usr/bin/python3 -m venv --clear build/bench-python
  $python -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
  cp bench/requirements.txt build/bench-python/
fi
scripts/build_wheel.sh python
$python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/python/*.whl

shortest=$([[ ${1-} == --quick ]] && echo 0.02 || echo 0.2)
build/bench/strew_bench --benchmark_filter=kernel --benchmark_min_time="$shortest" \
  --benchmark_out=$figures/kernels.json --benchmark_out_format=json
[[ ${1-} == --quick ]] && rows=rows_256B_of_32MiB drawn=30 || rows= drawn=300
build/bench/strew_task_cost $rows | $python bench/machine.py >$figures/tasks.jsonl
build/bench/strew_regret --calls "$drawn" | $python bench/machine.py >$figures/regret.jsonl
$python bench/peers.py --missing --json $figures/peers.json "$@"
[[ ${1-} == --quick ]] && sweep=(--only "tables of 1 MiB") powers=(10 20) || sweep=() powers=(10 27)
$python bench/sweep.py $figures/sweep.jsonl "${sweep[@]}"
$python bench/growth.py $figures/growth.jsonl --powers "${powers[@]}"
scripts/plot_bench.sh $python $figures $figures
echo "figures and tables: $figures"

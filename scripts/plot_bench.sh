#!/usr/bin/env bash
# Draws every plot of bench/ from the figures in a folder, and writes the tables beside them.
# Usage: plot_bench.sh PYTHON FIGURES OUT
set -euo pipefail
python=$1 figures=$2 out=$3
bench=$(dirname "$0")/../bench
"$python" "$bench/plot_peers.py" "$figures/peers.json" "$out"
"$python" "$bench/peer_figures.py" "$figures/peers.json" >"$out/peers.md"
"$python" "$bench/plot_roofline.py" "$figures/peers.json" "$out/roofline.svg" >"$out/roofline.md"
"$python" "$bench/plot_threads.py" "$figures/peers.json" "$out/threads.svg"
if [[ -e $figures/tasks.jsonl ]]; then
  "$python" "$bench/plot_tasks.py" "$figures/tasks.jsonl" "$out/tasks.svg" >"$out/tasks.md"
fi
if [[ -e $figures/regret.jsonl ]]; then
  "$python" "$bench/plot_regret.py" "$figures/regret.jsonl" "$out/regret.svg"
  "$python" "$bench/regret.py" "$figures/regret.jsonl" >"$out/regret.txt"
fi
"$python" "$bench/plot_growth.py" "$figures/growth.jsonl" "$out/growth.svg"
"$python" "$bench/plot_sweep.py" "$figures/sweep.jsonl" "$out" >"$out/sweep.md"

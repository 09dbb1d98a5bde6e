"""Draws the JSON of torch_programs.py: how many times as fast a training step is on Strew's kernels.

Usage: plot_torch.py IN.json OUT.svg
"""

import json
import sys

from plotting import STREW, plt, save
from torch_figures import faster, rows_of

OTHER = "#b8b8b8"


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    rows = list(rows_of(report, "steps"))[::-1]
    figure, axes = plt.subplots(figsize=(7, 0.26 * len(rows) + 1))
    times = [faster(row) for _, _, row in rows]
    bars = axes.barh(range(len(rows)), times, color=[STREW if each > 1 else OTHER for each in times], height=0.7)
    axes.bar_label(bars, [f"{each:.2f}" for each in times], padding=3)
    axes.axvline(1, color="#444444", linewidth=1)
    axes.set_yticks(range(len(rows)), [f"{program}, {threads} thread{'s' * (threads != '1')}" for program, threads, _ in rows])
    axes.set_xlabel("training steps in the time that PyTorch alone takes for one")
    machine = report["machine"]
    axes.set_title(f"PyTorch {machine['versions']['torch']}, float32, {machine['cores']} cores of {machine['cpu']}", fontsize=8)
    save(figure, sys.argv[2])


if __name__ == "__main__":
    main()

"""Draws the lines of strew_regret: which share of the calls has at most so much regret, for each task count.

Usage: plot_regret.py IN.jsonl OUT.svg
"""

import sys

from plotting import STREW, plt, save
from regret import read

OPERATORS = ("gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter")
LEAST = 0.001  # what is below is drawn there


def line(axes, values, **style):
    ordered = sorted(max(value, LEAST) for value in values)
    axes.plot(ordered, [(i + 1) / len(ordered) for i in range(len(ordered))], linewidth=1, **style)


def main():
    calls = read(sys.argv[1])
    tasks = sorted({call["tasks"] for call in calls})
    figure, panels = plt.subplots(1, len(tasks), figsize=(3.4 * len(tasks), 3), sharey=True, squeeze=False)
    for axes, count in zip(panels[0], tasks):
        here = [call for call in calls if call["tasks"] == count]
        line(axes, [call["noise"] for call in here], color="#999999", linestyle="--", label="noise")
        for op, colour in zip(OPERATORS, plt.cm.tab10.colors):
            found = [call["regret"] for call in here if call["op"] == op]
            if found:
                line(axes, found, color=colour, alpha=0.5, label=op)
        line(axes, [call["regret"] for call in here], color=STREW, label="all", zorder=3)
        axes.axvline(0.1 if count == 1 else 0.15, color="#cccccc")  # the aim for the 95th percentile
        axes.axhline(0.95, color="#cccccc")
        axes.set_xscale("log")
        axes.set_title(f"{count} task{'s' if count > 1 else ''}", fontsize=8)
        axes.set_xlabel("time of the choice / time of the best - 1")
    panels[0][0].set_ylabel("share of the calls")
    panels[0][0].legend(fontsize=6, frameon=False)
    save(figure, sys.argv[2])


if __name__ == "__main__":
    main()

"""Draws the JSON of graph.py: times of fused gather-scatter and of its peers, and peaks of memory against edges.

Usage: plot_graph.py IN.json TIMES.svg [MEMORY.svg]; prints the tables of docs/graph-performance.md.
"""

import json
import sys

from graph_calls import INSTALLED
from graph_figures import PEERS, milliseconds, tables
from plotting import STREW, plt, save

COLOURS = {"strew": STREW} | PEERS


def draw_times(rows, path):
    bars = [(f"{key.rpartition('/')[0]}\n{form}, {key[-1]} thread{'s' * (key[-1] != '1')}", row, form) for key, row in rows.items() for form in ("sum", "max")]
    figure, axes = plt.subplots(figsize=(7.5, 0.55 * len(bars) + 1))
    for position, (_, row, form) in enumerate(bars):
        for number, (name, colour) in enumerate(COLOURS.items()):
            if (time := milliseconds(row, form, name)) is not None:
                label = name if position == 0 else None
                axes.barh(-position - 0.11 * number, time, height=0.1, color=colour, label=label)
    axes.set_yticks([-position - 0.33 for position in range(len(bars))], [text for text, _, _ in bars], fontsize=6)
    axes.margins(y=0.01)
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds for a call (logarithmic)")
    axes.legend(loc="lower right", fontsize=6)
    save(figure, path)


def draw_memory(rows, path):
    figure, axes = plt.subplots(figsize=(6, 3.5))
    for name in ("torch", INSTALLED, "strew"):
        points = sorted((int(key.split(" edges")[0].split(", ")[1]), row["peak"][name]) for key, row in rows.items())
        axes.plot([edges for edges, _ in points], [peak / 2**20 for _, peak in points], "o-", color=COLOURS[name], label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlabel("edges; 20,000 nodes, 64 columns of float32")
    axes.set_ylabel("peak memory of a weighted sum, MiB")
    axes.legend()
    save(figure, path)


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    draw_times(report["times"], sys.argv[2])
    if len(sys.argv) > 3:
        draw_memory(report["memory"], sys.argv[3])
    print("\n".join(tables(report["times"])))


if __name__ == "__main__":
    main()

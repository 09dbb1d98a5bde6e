"""Draws the lines of growth.py: nanoseconds for each update as work grows.

Usage: plot_growth.py IN.jsonl OUT.svg
"""

import json
import sys

from plotting import plt, save

with open(sys.argv[1]) as file:
    points = {(p["name"], p["threads"], p["power"]): p["seconds"] for p in map(json.loads, file)}
names = list(dict.fromkeys(name for name, _, _ in points))
threads = sorted({number for _, number, _ in points})
figure, all_axes = plt.subplots(1, len(threads), figsize=(5.5 * len(threads), 4.2), sharey=True, squeeze=False)
for axes, number in zip(all_axes[0], threads):
    for name, colour in zip(names, plt.cm.tab10.colors):
        powers = sorted(power for n, t, power in points if (n, t) == (name, number))
        nanoseconds = [points[name, number, power] / 2**power * 1e9 for power in powers]
        axes.plot(powers, nanoseconds, marker=".", color=colour, linewidth=1, label=name)
    axes.set_yscale("log")
    axes.set_xticks(range(10, 28, 2), [f"$2^{{{power}}}$" for power in range(10, 28, 2)])
    axes.grid(color="#eeeeee")
    axes.set_xlabel("elements gathered or updated, in tables of as many")
    axes.set_title(f"{number} thread{'s' if number > 1 else ''}", fontsize=8)
all_axes[0][0].set_ylabel("nanoseconds for each")
all_axes[0][0].legend(fontsize=6, frameon=False)
save(figure, sys.argv[2])

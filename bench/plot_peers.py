"""Draws the JSON of peers.py: how many times longer each library takes than Strew, one picture for each mode and number of
threads.

Usage: plot_peers.py IN.json FOLDER
"""

import pathlib
import sys

from peer_figures import MODES, STYLES, medians, read
from plotting import STREW, plt, save

HOLLOW = "a hollow mark is another result"


def draw(report, mode, threads, path):
    times, differs = medians(report, mode, threads)
    names = list(times)[::-1]
    figure, axes = plt.subplots(figsize=(8, 0.24 * len(names) + 1.5))
    axes.axvline(1, color=STREW, linewidth=2, label="Strew")
    for library, (label, marker, colour) in STYLES.items():
        points = [(times[n][library] / times[n]["strew"], y) for y, n in enumerate(names) if library in times[n]]
        faces = ["none" if library in differs[n] else colour for n in names if library in times[n]]
        if points:
            faces = colour if marker == "x" else faces
            axes.scatter(*zip(*points), marker=marker, c=faces, edgecolors=None if marker == "x" else colour, s=24, zorder=3)
            axes.scatter([], [], marker=marker, color=colour, s=24, label=label)
    axes.set_xscale("log")
    ticks = [0.25, 0.5, 1, 2, 3, 5, 10, 20, 50, 100]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.set_xlabel(f"time, in multiples of Strew's: to the right of the line Strew is faster; {HOLLOW}")
    axes.set_title(f"{MODES[mode]}, {threads} thread{'s' if threads > 1 else ''}, {report['machine']['cpu']}", fontsize=8)
    axes.legend(fontsize=7, frameon=False, ncols=7, loc="lower center", bbox_to_anchor=(0.4, 1.06))
    save(figure, path)


def main():
    report, folder = read(sys.argv[1]), pathlib.Path(sys.argv[2])
    for threads in (2, 1):
        for mode in MODES:
            if medians(report, mode, threads)[0]:
                draw(report, mode, threads, folder / f"peers_{mode}_{threads}.svg")


if __name__ == "__main__":
    main()

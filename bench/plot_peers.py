"""Draws the JSON of peers.py: how many times longer each library takes than Strew, one picture for each mode and number of
threads. Prints the tables of docs/performance.md.

Usage: plot_peers.py IN.json FOLDER
"""

import pathlib
import statistics
import sys

from plotting import MODES, STREW, STYLES, best_peer, medians, plt, read, save

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


def milliseconds(times, differs, library):
    if library not in times:
        return "-"
    return f"{times[library] * 1e3:.3g}" + ("\\*" if library in differs else "")


def print_table(report, mode, threads):
    times, differs = medians(report, mode, threads)
    columns = [c for c in ("strew", *STYLES, "copy") if any(c in t for t in times.values())]
    print(f"\n{MODES[mode].capitalize()}, {threads} thread{'s' if threads > 1 else ''}, milliseconds:\n")
    print("| workload | " + " | ".join(columns) + " | best peer / Strew | ONNX Runtime / Strew |")
    print("|" + " --- |" * (len(columns) + 3))
    best, runtime = [], []
    for name, row in times.items():
        best.append(best_peer(row, differs[name])[1] / row["strew"])
        if "onnxruntime" in row:
            runtime.append(row["onnxruntime"] / row["strew"])
        cells = [milliseconds(row, differs[name], column) for column in columns]
        beside = f"{runtime[-1]:.2f}" if "onnxruntime" in row else "-"
        print(f"| `{name}` | " + " | ".join(cells) + f" | {best[-1]:.2f} | {beside} |")
    means = [f"{statistics.geometric_mean(ratios):.2f}" if ratios else "-" for ratios in (best, runtime)]
    print(f"\nGeometric means of the last two columns: {means[0]} and {means[1]}.")


def main():
    report, folder = read(sys.argv[1]), pathlib.Path(sys.argv[2])
    for threads in (2, 1):
        for mode in MODES:
            if medians(report, mode, threads)[0]:
                draw(report, mode, threads, folder / f"peers_{mode}_{threads}.svg")
                print_table(report, mode, threads)


if __name__ == "__main__":
    main()

"""Draws the JSON of bench/gpu.py: how near each library comes to a copy; and of its stage cpu the gain with threads.

Usage: plot.py gpu.json FOLDER
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from plotting import STREW, plt, save  # noqa: E402

STYLES = {"torch": ("o", "#d1495b"), "cupy": ("s", "#edae49"), "jax": ("D", "#66a182"), "strew": ("|", STREW)}


def draw_times(report, path):
    times = report["stages"]["times"]
    rows = [row for row in times["rows"] if "ms" in row]
    names = list(dict.fromkeys(row["workload"] for row in rows))[::-1]
    figure, axes = plt.subplots(figsize=(8, 0.3 * len(names) + 1.5))
    ours = {row["workload"]: row["of_copy"] for row in rows if row["who"] == "strew"}
    axes.barh(range(len(names)), [ours[name] for name in names], color=STREW, height=0.5, label="strew")
    seen = set()
    for row in rows:
        library = row["who"].split()[0].rstrip(",")
        if row["who"] == "strew":
            continue
        marker, colour = STYLES[library]
        filled = "deterministic" not in row["who"]
        label = f"{library}{'' if filled else ', deterministic'}" if library != "strew" else "strew, waiting"
        axes.plot(row["of_copy"], names.index(row["workload"]), marker=marker, markersize=4, color=colour,
                  markerfacecolor=colour if filled else "none", linestyle="", label=None if label in seen else label)
        seen.add(label)
    axes.axvline(1, color="#777777", linestyle="--", label=f"a copy: {times['copy_gb_per_s']:.0f} GB/s")
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.set_xscale("log")
    axes.set_xlabel("least bytes that the call needs / time, in parts of what a copy moves")
    axes.legend(fontsize=7, frameon=False, ncols=6, loc="lower center", bbox_to_anchor=(0.3, 1))
    save(figure, path)


def draw_scaling(report, path):
    threads, taken = report["stages"]["cpu"]["threads"], report["stages"]["cpu"]["seconds"]
    figure, axes = plt.subplots(figsize=(6, 4))
    for times in taken.values():
        axes.plot(threads, [times["1"] / times[str(n)] for n in threads], color=STREW, alpha=0.5)
    axes.plot(threads, threads, color="#777777", linestyle=":", label="as many times as threads")
    axes.set_xticks(threads)
    axes.set_xlabel("threads; a line is a workload, with a preallocated output")
    axes.set_ylabel("times as fast as one thread")
    axes.legend(frameon=False)
    save(figure, path)


def main():
    report, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    if "rows" in report["stages"].get("times", {}):
        draw_times(report, folder / "gpu.svg")
    if "seconds" in report["stages"].get("cpu", {}):
        draw_scaling(report, folder / "scaling.svg")


if __name__ == "__main__":
    main()

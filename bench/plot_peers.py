"""Draws the JSON of peers.py: for each workload, how many times longer each library takes than Strew. Prints the table of
docs/performance.md.

Usage: plot_peers.py IN.json OUT.svg
"""

import json
import statistics
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "strew"
import matplotlib.pyplot as plt

STYLES = {
    "onnxruntime": ("ONNX Runtime", "s", "#d1495b"),
    "numpy": ("NumPy", "o", "#4d6cfa"),
    "torch": ("PyTorch", "^", "#e98a15"),
    "jax": ("JAX", "D", "#7a9e7e"),
}

report = json.load(open(sys.argv[1]))
medians = {
    workload: {library: statistics.median(times) for library, times in seconds.items()}
    for workload, seconds in report["seconds"].items()
}
names = list(medians)[::-1]
figure, axes = plt.subplots(figsize=(8, 0.24 * len(names) + 1.3))
axes.axvline(1, color="#1b6ca8", linewidth=2, label="Strew")
for library, (label, marker, colour) in STYLES.items():
    points = [(medians[n][library] / medians[n]["strew"], y) for y, n in enumerate(names) if library in medians[n]]
    if points:
        axes.scatter(*zip(*points), marker=marker, color=colour, s=26, label=label, zorder=3)
axes.set_xscale("log")
ticks = [0.5, 1, 2, 3, 5, 10, 20, 50, 100]
axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
axes.minorticks_off()
axes.set_xlim(right=1.3 * max(m[p] / m["strew"] for m in medians.values() for p in STYLES if p in m))
axes.set_yticks(range(len(names)), names, fontsize=8)
axes.set_ylim(-0.7, len(names) - 0.3)
axes.grid(axis="y", color="#eeeeee")
axes.set_axisbelow(True)
axes.set_xlabel("time, in multiples of Strew's: to the right of the line Strew is faster", fontsize=8)
machine = report["machine"]
versions = ", ".join(f"{STYLES[name][0]} {version}" for name, version in machine["versions"].items() if name in STYLES)
axes.set_title(f"{report['threads']} threads, {machine['cpu']}; {versions}", fontsize=7)
axes.legend(fontsize=7, frameon=False, ncols=5, loc="lower center", bbox_to_anchor=(0.45, 1.03))
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.savefig(sys.argv[2], metadata={"Date": None})


def milliseconds(workload, library):
    seconds = medians[workload].get(library)
    return "-" if seconds is None else f"{seconds * 1e3:.3g}"


COLUMNS = ["strew", *STYLES, "strew_out"]
print("| workload | " + " | ".join(COLUMNS) + " | fastest peer / Strew |\n|" + " --- |" * (len(COLUMNS) + 2))
for name in medians:
    best = min(medians[name][library] for library in STYLES if library in medians[name])
    cells = [milliseconds(name, library) for library in COLUMNS]
    print(f"| `{name}` | " + " | ".join(cells) + f" | {best / medians[name]['strew']:.2f} |")
ratios = [min(m[p] for p in STYLES if p in m) / m["strew"] for m in medians.values()]
print(f"\nGeometric mean of the last column: {statistics.geometric_mean(ratios):.2f}")

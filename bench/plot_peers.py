"""Draws the JSON of peers.py as bars: how many times longer each library takes than Strew. Usage: plot_peers.py IN.json OUT.svg"""

import json
import statistics
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "strew"
import matplotlib.pyplot as plt

report = json.load(open(sys.argv[1]))
names = list(report["seconds"])[::-1]
libraries = [("strew", "#1b6ca8"), ("onnxruntime", "#b0b0b0"), ("numpy", "#dcdcdc")]
figure, axes = plt.subplots(figsize=(8, 3.6))
for i, (library, colour) in enumerate(libraries):
    medians = [statistics.median(report["seconds"][n][library]) * 1e3 for n in names]
    base = [statistics.median(report["seconds"][n]["strew"]) * 1e3 for n in names]
    ratios = [m / b for m, b in zip(medians, base)]
    places = [y + 0.27 * (1 - i) for y in range(len(names))]
    axes.barh(places, ratios, 0.25, color=colour, label=library)
    for place, ratio, ms in zip(places, ratios, medians):
        axes.text(ratio + 0.05, place, f"{ms:.0f} ms", va="center", fontsize=7)
axes.set_yticks(range(len(names)), names, fontsize=8)
axes.set_xlabel("time, in multiples of Strew's (shorter is faster)")
axes.set_xlim(0, axes.get_xlim()[1] * 1.08)
machine = report["machine"]
axes.set_title(
    f"{report['threads']} threads, {machine['cpu']}; ONNX Runtime {machine['onnxruntime']}, NumPy {machine['numpy']}",
    fontsize=8,
)
axes.legend(fontsize=8, frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.savefig(sys.argv[2], metadata={"Date": None})

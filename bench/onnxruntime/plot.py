"""Draws the JSON of compare.py: how many times faster each case is with Strew. Prints the tables for
docs/onnxruntime-performance.md.

Usage: plot.py IN.json OUT.svg
"""

import json
import statistics
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "strew"
import matplotlib.pyplot as plt
import models
from onnxruntime_figures import counts, ratio, row

GROUPS = {"models": "Models", "chains": "Chains of nodes", "workloads": "One node"}
COLOURS = {"1": "#7fb2d6", "2": "#1b6ca8"}

report = json.load(open(sys.argv[1]))
cases = report["cases"]
measured = {name: case for name, case in models.CASES.items() if name in cases}
names = [name for group in GROUPS for name, case in measured.items() if case.group == group]


def draw(path):
    figure, axes = plt.subplots(figsize=(8, 0.26 * len(names) + 1.2))
    places = range(len(names))[::-1]
    for threads, colour in COLOURS.items():
        shown = [(y, ratio(cases[name], threads)) for y, name in zip(places, names) if threads in counts(cases[name])]
        shift = 0.2 if threads == "1" else -0.2
        label = f"{threads} thread" + "s" * (threads != "1")
        axes.barh([y + shift for y, _ in shown], [r - 1 for _, r in shown], 0.38, left=1, color=colour, label=label)
    axes.axvline(1, color="#333333", linewidth=1)
    axes.set_xscale("log")
    ticks = [0.5, 1, 2, 3, 5, 10, 20, 40]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(places, names, fontsize=8)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.grid(axis="x", color="#eeeeee")
    axes.set_axisbelow(True)
    label = "times faster than ONNX Runtime's CPU provider: to the left of the line Strew is slower"
    axes.set_xlabel(label, fontsize=8)
    machine = report["machine"]
    axes.set_title(f"ONNX Runtime {machine['versions']['onnxruntime']}, {machine['cpu']}", fontsize=7)
    axes.legend(fontsize=7, frameon=False, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def print_table(group):
    members = [name for name in names if models.CASES[name].group == group]
    columns = ["CPU, 1 thread", "Strew", "times faster", "CPU, 2 threads", "Strew", "times faster", "outputs"]
    print(f"\n| {GROUPS[group].lower()} | " + " | ".join(columns) + " |\n|" + " --- |" * (len(columns) + 1))
    for name in members:
        print(row(name, cases[name]))
    ratios = {t: [ratio(cases[name], t) for name in members if t in counts(cases[name])] for t in COLOURS}
    means = {t: f"{statistics.geometric_mean(values):.2f}" for t, values in ratios.items() if values}
    print("\nGeometric means: " + ", ".join(f"{mean} on {t} thread{'s' * (t > '1')}" for t, mean in means.items()) + ".")


draw(sys.argv[2])
for group in GROUPS:
    print_table(group)

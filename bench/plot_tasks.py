"""Draws the JSON lines of strew_task_cost: the processor's time of all tasks together, in multiples of the serial
strategy's, for 1 to 64 tasks. Prints the table of it.

Usage: plot_tasks.py IN.jsonl OUT.svg
"""

import json
import sys

from plotting import STREW, plt, save

PATTERNS = ("uniform", "sorted", "zipf", "hot")
LIMITS = {1: 1, 2: 1.3, 4: 1.4, 8: 1.5, 16: 1.6, 64: 2.0}
SHADES = plt.get_cmap("viridis")


def read(path):
    """(workload, mode, offset) -> tasks -> row."""
    calls = {}
    with open(path) as lines:
        for row in map(json.loads, lines):
            calls.setdefault((row["workload"], row["mode"], row["offset"]), {})[row["tasks"]] = row
    return calls


def rows_of(calls, pattern):
    """The calls of one order of indices: label -> tasks -> row, for operands misaligned by 16 bytes."""
    for (name, _, offset), tasks in calls.items():
        if name.startswith("rows_") and name.endswith(pattern) and offset == 16:
            size, _, data, _ = name.removeprefix("rows_").split("_")
            yield size, data, tasks


def draw(axes, tasks, **style):
    axes.plot(list(tasks), [row["ratio"] for row in tasks.values()], linewidth=1, markersize=3, **style)


def panel(axes, title):
    axes.plot(list(LIMITS), list(LIMITS.values()), color="#999999", linestyle="--", label="aim")
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(LIMITS), list(LIMITS))
    axes.set_title(title, fontsize=8)
    axes.set_ylim(0, 3)


def table(calls):
    tasks = list(LIMITS)
    print("| call | begins | serial, ms | " + " | ".join(f"{t}" for t in tasks) + " | strategy |")
    print("| --- |" + " --- |" * (len(tasks) + 3))
    for (name, mode, offset), rows in calls.items():
        ratios = " | ".join(f"{rows[t]['ratio']:.2f}" for t in tasks)
        label = f"`{name}`" + (", kept" if mode == "kept" else "")
        print(f"| {label} | {offset} | {rows[1]['serial_ms']:.1f} | {ratios} | {rows[tasks[-1]]['strategy']} |")


def main():
    calls = read(sys.argv[1])
    figure, panels = plt.subplots(1, 5, figsize=(11, 3), sharey=True)
    for axes, pattern in zip(panels, PATTERNS):
        panel(axes, f"rows, {pattern}")
        found = list(rows_of(calls, pattern))
        sizes = list(dict.fromkeys(size for size, _, _ in found))
        for size, data, tasks in found:
            colour = SHADES(sizes.index(size) / max(len(sizes), 1))
            style = {"label": size, "linestyle": "-"} if data == "32MiB" else {"linestyle": ":"}
            draw(axes, tasks, color=colour, marker="o", **style)
    panel(panels[-1], "named workloads")
    for (name, _, _), tasks in calls.items():
        if not name.startswith("rows_"):
            draw(panels[-1], tasks, color=STREW, alpha=0.6)
    panels[0].set_ylabel("CPU time / serial strategy's")
    panels[0].legend(fontsize=6, frameon=False)
    figure.supxlabel("tasks; data of 32 MiB (lines) and 256 MiB (dotted)", fontsize=8)
    save(figure, sys.argv[2])
    table(calls)


if __name__ == "__main__":
    main()

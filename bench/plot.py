"""Draws the documents' plots from the files that the programs in bench/ write, and prints the tables of the documents.

Usage: plot.py FIGURES... FOLDER

FIGURES are peers.json, sweep.jsonl, graph.json, torch.json, compiled.json, onnxruntime.json or dask_scale.jsonl, or
files whose names begin like these.
"""

import math
import pathlib
import re
import sys

import figures
import matplotlib
from figures import STYLES, threads_text

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "strew"
matplotlib.rcParams["font.size"] = 8
import matplotlib.pyplot as plt  # noqa: E402

STREW, GREY = "#1b6ca8", "#b8b8b8"


def save(figure, path):
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def name_rows(axes, names):
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_axisbelow(True)


def scale_of_ratios(axes, ticks):
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def draw_peers(report, mode, threads, path):
    """Draw the time of each library divided by Strew's."""
    times, differs = figures.medians(report, mode, threads)
    names = list(times)[::-1]
    chart, axes = plt.subplots(figsize=(8, 0.24 * len(names) + 1.5))
    axes.axvline(1, color=STREW, linewidth=2, label="Strew")
    for library, (label, marker, colour) in STYLES.items():
        points = [(times[n][library] / times[n]["strew"], y) for y, n in enumerate(names) if library in times[n]]
        faces = ["none" if library in differs[n] else colour for n in names if library in times[n]]
        if points:
            faces = colour if marker == "x" else faces
            axes.scatter(*zip(*points), marker=marker, c=faces, edgecolors=None if marker == "x" else colour, s=24, zorder=3)
            axes.scatter([], [], marker=marker, color=colour, s=24, label=label)
    scale_of_ratios(axes, [0.25, 0.5, 1, 2, 3, 5, 10, 20, 50, 100])
    name_rows(axes, names)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_xlabel("time, in multiples of Strew's: to the right of the line Strew is faster; a hollow mark is another result")
    axes.set_title(f"{figures.MODES[mode]}, {threads_text(threads)}, {report['machine']['cpu']}", fontsize=8)
    axes.legend(fontsize=7, frameon=False, ncols=7, loc="lower center", bbox_to_anchor=(0.4, 1.06))
    save(chart, path)


def peers(report, folder):
    for threads in (2, 1):
        for mode in figures.MODES:
            if figures.medians(report, mode, threads)[0]:
                draw_peers(report, mode, threads, folder / f"peers_{mode}_{threads}.svg")
                yield from figures.peer_table(report, mode, threads)
    yield from figures.peer_summary(report)


def draw_panel(panel, rows, path):
    """Draw a heat map of the time of the best peer divided by Strew's."""
    columns = list(dict.fromkeys(x for row in rows.values() for x in row))
    ratios = [[figures.sweep_best(row[x])[1] / row[x]["seconds"]["strew"] if x in row else math.nan for x in columns] for row in rows.values()]
    chart, axes = plt.subplots(figsize=(2.6 + 0.62 * len(columns), 0.9 + 0.26 * len(rows)))
    axes.imshow([[math.log2(ratio) for ratio in row] for row in ratios], cmap="RdBu", vmin=-2.5, vmax=2.5, aspect="auto")
    for y, row in enumerate(ratios):
        for x, ratio in enumerate(row):
            if not math.isnan(ratio):
                dark = abs(math.log2(ratio)) > 1.6
                axes.text(x, y, f"{ratio:.2g}", ha="center", va="center", fontsize=6, color="white" if dark else "black")
    axes.set_xticks(range(len(columns)), columns, fontsize=6, rotation=30 if max(map(len, columns)) > 8 else 0)
    axes.set_yticks(range(len(rows)), list(rows), fontsize=6)
    axes.set_title(f"{panel}: time of the best peer / Strew's", fontsize=7)
    save(chart, path)


def sweep(rows, folder):
    panels = {}
    for row in rows:
        panels.setdefault(row["panel"], {}).setdefault(row["y"], {})[row["x"]] = row
    for panel, cells in panels.items():
        draw_panel(panel, cells, folder / f"sweep_{re.sub('[^a-z0-9]+', '_', panel.lower()).strip('_')}.svg")
    yield from figures.sweep_losses([row for cells in panels.values() for row_of in cells.values() for row in row_of.values()])


def graph(report, folder):
    colours = {"strew": STREW} | figures.GRAPH_PEERS
    bars = [(f"{key.rpartition('/')[0]}\n{form}, {threads_text(key[-1])}", row, form) for key, row in report["times"].items() for form in ("sum", "max")]
    chart, axes = plt.subplots(figsize=(7.5, 0.55 * len(bars) + 1))
    for position, (_, row, form) in enumerate(bars):
        for number, (name, colour) in enumerate(colours.items()):
            if (time := figures.graph_milliseconds(row, form, name)) is not None:
                axes.barh(-position - 0.11 * number, time, height=0.1, color=colour, label=name if position == 0 else None)
    axes.set_yticks([-position - 0.33 for position in range(len(bars))], [text for text, _, _ in bars], fontsize=6)
    axes.margins(y=0.01)
    axes.set_xscale("log")
    axes.set_xlabel("milliseconds for a call (logarithmic)")
    axes.legend(loc="lower right", fontsize=6)
    save(chart, folder / "graph_times.svg")
    chart, axes = plt.subplots(figsize=(6, 3.5))
    for name in ("torch", "torch + Strew", "strew"):
        points = sorted((int(key.split(" edges")[0].split(", ")[1]), row["peak"][name]) for key, row in report["memory"].items())
        axes.plot([edges for edges, _ in points], [peak / 2**20 for _, peak in points], "o-", color=colours[name], label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlabel("edges; 20,000 nodes, 64 columns of float32")
    axes.set_ylabel("peak memory of a weighted sum, MiB")
    axes.legend()
    save(chart, folder / "graph_memory.svg")
    yield from figures.graph_tables(report["times"])


def torch(report, folder):
    rows = list(figures.torch_rows(report, "steps"))[::-1]
    chart, axes = plt.subplots(figsize=(7, 0.26 * len(rows) + 1))
    times = [figures.torch_faster(row) for _, _, row in rows]
    bars = axes.barh(range(len(rows)), times, color=[STREW if each > 1 else GREY for each in times], height=0.7)
    axes.bar_label(bars, [f"{each:.2f}" for each in times], padding=3)
    axes.axvline(1, color="#444444", linewidth=1)
    axes.set_yticks(range(len(rows)), [f"{program}, {threads_text(threads)}" for program, threads, _ in rows])
    axes.set_xlabel("training steps in the time that PyTorch alone takes for one")
    machine = report["machine"]
    axes.set_title(f"PyTorch {machine['versions']['torch']}, float32, {machine['cores']} cores of {machine['cpu']}", fontsize=8)
    save(chart, folder / "torch.svg")
    yield from figures.torch_tables(report)


def compiled(report, folder):
    """Draw the speed of a training step relative to torch.compile: in eager PyTorch, and compiled with Strew."""
    rows = list(figures.torch_rows(report, "compiled"))[::-1]
    chart, axes = plt.subplots(figsize=(7, 0.32 * len(rows) + 1))
    for side, colour, shift in (("torch", GREY, 0.2), ("strew compile", STREW, -0.2)):
        times = [row["torch compile"]["wall"] / row[side]["wall"] for _, _, row in rows]
        bars = axes.barh([y + shift for y in range(len(rows))], [each - 1 for each in times], 0.38, left=1, color=colour)
        bars.set_label({"torch": "PyTorch, eager"}.get(side, "compiled with Strew"))
        for y, each in enumerate(times):
            axes.text(max(each, 1) * 1.03, y + shift, f"{each:.2f}", va="center", fontsize=6)
    axes.axvline(1, color="#444444", linewidth=1)
    scale_of_ratios(axes, [0.25, 0.5, 1, 2, 4, 8, 16])
    name_rows(axes, [f"{program}, {threads_text(threads)}" for program, threads, _ in rows])
    axes.set_xlabel("training steps in the time that torch.compile alone takes for one")
    axes.set_title(f"PyTorch {report['machine']['versions']['torch']}, float32, {report['machine']['cpu']}", fontsize=8)
    axes.legend(fontsize=7, frameon=False, loc="lower right")
    save(chart, folder / "compiled.svg")
    yield from figures.compiled(report)


def onnxruntime(report, folder):
    """Draw how many times faster each case is with Strew."""
    cases = {name: case for group in figures.model_groups(report["cases"]).values() for name, case in group.items()}
    names = list(cases)[::-1]
    chart, axes = plt.subplots(figsize=(8, 0.26 * len(names) + 1.2))
    for threads, colour, shift in (("1", "#7fb2d6", 0.2), ("2", STREW, -0.2)):
        shown = [(y + shift, figures.model_ratio(cases[name], threads)) for y, name in enumerate(names) if threads in cases[name]]
        axes.barh([y for y, _ in shown], [r - 1 for _, r in shown], 0.38, left=1, color=colour, label=threads_text(threads))
    axes.axvline(1, color="#333333", linewidth=1)
    scale_of_ratios(axes, [0.5, 1, 2, 3, 5, 10, 20, 40])
    name_rows(axes, names)
    axes.grid(axis="x", color="#eeeeee")
    axes.set_xlabel("times faster than ONNX Runtime's CPU provider: to the left of the line Strew is slower")
    axes.set_title(f"ONNX Runtime {report['machine']['versions']['onnxruntime']}, {report['machine']['cpu']}", fontsize=7)
    axes.legend(fontsize=7, frameon=False, loc="lower right")
    save(chart, folder / "onnxruntime.svg")
    for table in figures.model_tables(report):
        yield from table


def dask(lines, folder):
    """Draw three panels: threads by size of data in 96 chunks, threads by number of chunks, and processes by workers."""
    chart, (by_size, by_chunks, by_workers) = plt.subplots(1, 3, figsize=(9.6, 2.8))
    colours = {"disk": STREW, "files": STREW, "direct": "C2", "tasks": "C4", "p2p": "C5", "copy": "0.6", "once": "C1", "memmap": "C3"}
    threads = [line for line in lines if "workers" not in line]
    largest = max(line["elements"] for line in threads if line["chunks"] != 96)
    panels = (
        (by_size, "elements of data", "elements", [line for line in threads if line["chunks"] == 96]),
        (by_chunks, "chunks of data", "chunks", [line for line in threads if line["elements"] == largest]),
        (by_workers, "workers", "workers", [line for line in lines if "workers" in line and line["elements"] == largest]),
    )
    for axes, name, key, those in panels:
        for how in dict.fromkeys(line["how"] for line in those):
            points = sorted((line[key], line["seconds"]) for line in those if line["how"] == how)
            if len(points) > 1:
                method = how.replace("gather-", "").replace("cluster-", "")
                style = {"color": colours[method], "linestyle": "dashed" if "gather" in how else "solid"}
                axes.plot(*zip(*points), marker=".", label=how.replace("cluster-", ""), **style)
        axes.set(xscale="log", yscale="log", xlabel=name, ylabel="seconds")
        axes.legend(frameon=False, fontsize=7)
    counts = sorted({line["workers"] for line in panels[2][3]})
    by_workers.set_xticks(counts, [str(count) for count in counts], minor=False)
    by_workers.minorticks_off()
    by_workers.set(yscale="linear")
    by_workers.set_ylim(0, 1.4 * by_workers.get_ylim()[1])
    by_workers.legend(frameon=False, fontsize=7, loc="upper center", ncols=2)
    save(chart, folder / "dask_scale.svg")
    return ()


DRAWERS = {drawer.__name__: drawer for drawer in (peers, sweep, graph, torch, compiled, onnxruntime, dask)}


def main():
    *paths, folder = map(pathlib.Path, sys.argv[1:])
    for path in paths:
        drawer = next(drawer for name, drawer in DRAWERS.items() if path.name.startswith(name))
        for line in drawer(figures.read(path), folder):
            print(line if line.startswith("|") else f"\n{line}\n")


if __name__ == "__main__":
    main()

"""What the JSON of peers.py says: medians, the fastest peer, and the tables of docs/performance.md, which this prints.

Usage: peer_figures.py IN.json
"""

import json
import statistics
import sys

STYLES = {
    "onnxruntime": ("ONNX Runtime", "s", "#d1495b"),
    "numpy": ("NumPy", "o", "#4d6cfa"),
    "torch": ("PyTorch", "^", "#e98a15"),
    "jax": ("JAX", "D", "#7a9e7e"),
    "openvino": ("OpenVINO", "v", "#8d5a97"),
    "plain": ("plain loop", "x", "#555555"),
}
MODES = {"fresh": "new outputs", "kept": "preallocated outputs", "in_place": "in place"}


def read(path):
    with open(path) as file:
        return json.load(file)


def medians(report, mode, threads):
    """workload -> library -> seconds, and workload -> libraries whose result differs."""
    times, differs = {}, {}
    for key, row in report["rows"].items():
        name, row_mode, row_threads = key.split("/")
        if row_mode == mode and int(row_threads) == threads and "strew" in row["seconds"]:
            times[name] = {library: statistics.median(t) for library, t in row["seconds"].items() if t}
            differs[name] = row["differs"]
    return times, differs


def best_peer(times, differs=()):
    """(library, seconds) of the fastest peer whose result is right."""
    peers = {library: t for library, t in times.items() if library in STYLES and library not in differs}
    return min(peers.items(), key=lambda item: item[1])


def milliseconds(times, differs, library):
    if library not in times:
        return "-"
    return f"{times[library] * 1e3:.3g}" + ("\\*" if library in differs else "")


def ratios(report, mode, threads):
    """How many times longer the fastest peer takes in each workload, and ONNX Runtime in those that it has."""
    times, differs = medians(report, mode, threads)
    best = {name: best_peer(row, differs[name])[1] / row["strew"] for name, row in times.items()}
    runtime = {name: row["onnxruntime"] / row["strew"] for name, row in times.items() if "onnxruntime" in row}
    return best, runtime


def mean(column):
    return f"{statistics.geometric_mean(column.values()):.2f}" if column else "-"


def summary(report):
    """The lines of the table with the geometric means of all others."""
    columns = [f"{peer}, {threads}" for threads in ("2 threads", "1 thread") for peer in ("best peer", "ONNX Runtime")]
    yield "| outputs | workloads | " + " | ".join(columns) + " |"
    yield "|" + " --- |" * 6
    for mode, title in MODES.items():
        columns = [column for threads in (2, 1) for column in ratios(report, mode, threads)]
        yield f"| {title} | {len(columns[0])} | " + " | ".join(map(mean, columns)) + " |"


def table(report, mode, threads):
    """The lines of one table, and of what stands around it."""
    times, differs = medians(report, mode, threads)
    best, runtime = ratios(report, mode, threads)
    columns = [c for c in ("strew", *STYLES, "copy") if any(c in t for t in times.values())]
    yield f"{MODES[mode].capitalize()}, {threads} thread{'s' if threads > 1 else ''}, milliseconds:"
    yield "| workload | " + " | ".join(columns) + " | best peer / Strew | ONNX Runtime / Strew |"
    yield "|" + " --- |" * (len(columns) + 3)
    for name, row in times.items():
        cells = [milliseconds(row, differs[name], column) for column in columns]
        beside = f"{runtime[name]:.2f}" if name in runtime else "-"
        yield f"| `{name}` | " + " | ".join(cells) + f" | {best[name]:.2f} | {beside} |"
    yield f"Geometric means of the last two columns: {mean(best)} and {mean(runtime)}."


def tables(report):
    yield from summary(report)
    for threads in (2, 1):
        for mode in MODES:
            if medians(report, mode, threads)[0]:
                yield from table(report, mode, threads)


if __name__ == "__main__":
    for line in tables(read(sys.argv[1])):
        print(line if line.startswith("|") else f"\n{line}\n")

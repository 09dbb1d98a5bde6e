"""What the plots share: figures that come out the same, names and colours of libraries, the rows of peers.py."""

import json
import statistics

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "strew"
matplotlib.rcParams["font.size"] = 8
import matplotlib.pyplot as plt  # noqa: E402

STREW = "#1b6ca8"
STYLES = {
    "onnxruntime": ("ONNX Runtime", "s", "#d1495b"),
    "numpy": ("NumPy", "o", "#4d6cfa"),
    "torch": ("PyTorch", "^", "#e98a15"),
    "jax": ("JAX", "D", "#7a9e7e"),
    "openvino": ("OpenVINO", "v", "#8d5a97"),
    "plain": ("plain loop", "x", "#555555"),
}
MODES = {"fresh": "new outputs", "kept": "outputs kept", "in_place": "in place"}


def save(figure, path):
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


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

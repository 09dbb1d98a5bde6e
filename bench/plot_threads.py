"""Draws the JSON of peers.py: how many times faster two threads are than one, and what the machine's copying and random
accesses gain.

Usage: plot_threads.py IN.json OUT.svg
"""

import sys

from peer_figures import STYLES, medians, read
from plotting import STREW, plt, save
from traffic import SHAPES, traffic


def bound_of(report, name):
    """What binds the workload, from the times that copying and random accesses would take on two threads."""
    limits = report["limits"]["2"]
    streamed, places = traffic(name)
    copying = streamed / max(limits["memcpy_gb_per_s"], limits["streaming_gb_per_s"])
    return "random accesses" if places * limits["random_ns_256_MiB"] > copying else "copying"


def main():
    report = read(sys.argv[1])
    one, two = medians(report, "kept", 1)[0], medians(report, "kept", 2)[0]
    names = [name for name in SHAPES if name in one and name in two][::-1]
    limits = report["limits"]
    best = [max(limits[t]["memcpy_gb_per_s"], limits[t]["streaming_gb_per_s"]) for t in ("1", "2")]
    gains = {
        "copying": best[1] / best[0],
        "random accesses": limits["1"]["random_ns_256_MiB"] / limits["2"]["random_ns_256_MiB"],
    }
    figure, axes = plt.subplots(figsize=(8, 0.24 * len(names) + 1.5))
    axes.barh(range(len(names)), [one[n]["strew"] / two[n]["strew"] for n in names], color=STREW, height=0.6, label="Strew")
    for library in ("onnxruntime", "torch", "openvino"):
        label, marker, colour = STYLES[library]
        points = [(one[n][library] / two[n][library], y) for y, n in enumerate(names) if library in one[n] and library in two[n]]
        if points:
            axes.scatter(*zip(*points), marker=marker, color=colour, s=16, label=label, zorder=3)
    for y, name in enumerate(names):
        axes.text(0.03, y, bound_of(report, name), va="center", fontsize=6, color="white")
    for (label, gain), style in zip(gains.items(), ("--", ":")):
        axes.axvline(gain, color="#777777", linestyle=style, label=f"{label}: {gain:.2f}")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("time on 1 thread / time on 2 threads, preallocated outputs; in the bar, the bottleneck")
    axes.legend(fontsize=7, frameon=False, ncols=6, loc="lower center", bbox_to_anchor=(0.4, 1))
    save(figure, sys.argv[2])


if __name__ == "__main__":
    main()

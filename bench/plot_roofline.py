"""Draws the JSON of peers.py against the machine's limits: how fast each workload moves its bytes, and what copying and random
accesses at the rates measured in the same run would allow.

Usage: plot_roofline.py IN.json OUT.svg
"""

import statistics
import sys

import numpy as np
from peer_figures import best_peer, medians, read
from plotting import STREW, plt, save
from traffic import SHAPES, traffic


def limits_of(report, threads):
    """Bytes a second when copying; seconds for each random access."""
    limits = report["limits"][str(threads)]
    copy = max(limits["memcpy_gb_per_s"], limits["streaming_gb_per_s"]) * 1e9
    return copy, limits["random_ns_256_MiB"] * 1e-9


def draw(axes, report, threads):
    copy, random = limits_of(report, threads)
    times, _ = medians(report, "kept", threads)
    density = np.logspace(-3, 2, 200)  # random accesses for each KiB streamed
    axes.plot(density, 1024 / (1024 / copy + density * random) / 1e9, color="#999999", label="copying + random accesses")
    axes.axhline(copy / 1e9, color="#cccccc", linestyle="--", label="copying")
    for name in SHAPES:
        if name not in times:
            continue
        streamed, places = traffic(name)
        x, y = max(places / streamed * 1024, density[0]), streamed / times[name]["strew"] / 1e9
        axes.scatter(x, y, color=STREW, s=14, zorder=3)
        axes.annotate(name, (x, y), fontsize=5, xytext=(3, 2), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(f"{threads} thread{'s' if threads > 1 else ''}", fontsize=8)
    axes.set_xlabel("random accesses for each KiB that is streamed")
    axes.set_ylabel("GB/s of data, indices, updates, output")
    axes.legend(fontsize=6, frameon=False, loc="lower left")


def bounds_of(report, threads):
    """Seconds that each workload would take at the limit."""
    copy, random = limits_of(report, threads)
    return {name: streamed / copy + places * random for name in SHAPES for streamed, places in [traffic(name)]}


def print_reach(report, threads, bounds):
    """How many times faster than the peers Strew is, and would be if every workload took no longer than its limit."""
    times, differs = medians(report, "kept", threads)
    names = [name for name in SHAPES if name in times]
    means = []
    for peer in (lambda n: best_peer(times[n], differs[n])[1], lambda n: times[n]["onnxruntime"]):
        for mine in (lambda n: times[n]["strew"], lambda n: min(times[n]["strew"], bounds[n])):
            means.append(f"{statistics.geometric_mean(peer(n) / mine(n) for n in names):.2f}")
    print(f"| {threads} thread{'s' * (threads > 1)} | " + " | ".join(means) + " |")


def main():
    report = read(sys.argv[1])
    threads = [int(t) for t in sorted(report["limits"]) if medians(report, "kept", int(t))[0]]
    figure, all_axes = plt.subplots(1, len(threads), figsize=(6 * len(threads), 5), squeeze=False)
    for axes, number in zip(all_axes[0], threads):
        draw(axes, report, number)
    save(figure, sys.argv[2])
    print("| workload | " + " | ".join(f"of the limit, {t} thread{'s' * (t > 1)}" for t in threads) + " |\n|" + " --- |" * (len(threads) + 1))
    bounds = {t: bounds_of(report, t) for t in threads}
    for name in SHAPES:
        times = {t: medians(report, "kept", t)[0] for t in threads}
        cells = [f"{bounds[t][name] / times[t][name]['strew']:.0%}" if name in times[t] else "-" for t in threads]
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    print("\n| | best peer / Strew | at the limit | ONNX Runtime / Strew | at the limit |\n|" + " --- |" * 5)
    for number in threads:
        print_reach(report, number, bounds[number])


if __name__ == "__main__":
    main()

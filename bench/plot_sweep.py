"""Draws the lines of sweep.py: heat maps of the best peer's time over Strew's. Prints where Strew loses.

Usage: plot_sweep.py IN.jsonl FOLDER [LOSS]

A loss is a case in which Strew takes more than LOSS (1.5) times as long as the fastest peer, whether or not the peer's result is
the same; a cliff is one in which it takes as much longer than a case with more work beside it.
"""

import json
import math
import pathlib
import re
import sys

from plotting import plt, save

SIZED = ("Updates (tables of 4 MiB)", "Updates in place (tables of 64 MiB)")


def read_cases(path):
    """panel -> y -> x -> the last line of that case."""
    panels = {}
    with open(path) as file:
        for line in map(json.loads, file):
            panels.setdefault(line["panel"], {}).setdefault(line["y"], {})[line["x"]] = line
    return panels


def best_peer(line):
    peers = {library: seconds for library, seconds in line["seconds"].items() if library != "strew"}
    return min(peers.items(), key=lambda item: item[1]) if peers else (None, math.nan)


def draw(panel, rows, path):
    columns = list(dict.fromkeys(x for row in rows.values() for x in row))
    ratios = [[best_peer(row[x])[1] / row[x]["seconds"]["strew"] if x in row else math.nan for x in columns] for row in rows.values()]
    figure, axes = plt.subplots(figsize=(2.6 + 0.62 * len(columns), 0.9 + 0.26 * len(rows)))
    logs = [[math.log2(ratio) for ratio in row] for row in ratios]
    axes.imshow(logs, cmap="RdBu", vmin=-2.5, vmax=2.5, aspect="auto")
    for y, row in enumerate(ratios):
        for x, ratio in enumerate(row):
            if not math.isnan(ratio):
                dark = abs(math.log2(ratio)) > 1.6
                axes.text(x, y, f"{ratio:.2g}", ha="center", va="center", fontsize=6, color="white" if dark else "black")
    axes.set_xticks(range(len(columns)), columns, fontsize=6, rotation=30 if max(map(len, columns)) > 8 else 0)
    axes.set_yticks(range(len(rows)), list(rows), fontsize=6)
    axes.set_title(f"{panel}: time of the best peer / Strew's", fontsize=7)
    save(figure, path)


def losses(panels, limit):
    found = []
    for rows in panels.values():
        for row in rows.values():
            for line in row.values():
                library, seconds = best_peer(line)
                if line["seconds"]["strew"] > limit * seconds:
                    found.append((line["seconds"]["strew"] / seconds, library, line))
    return sorted(found, key=lambda item: -item[0])


def cliffs(panels, limit):
    found = []
    for panel in SIZED:
        for row in panels.get(panel, {}).values():
            lines = list(row.values())
            for small, large in zip(lines, lines[1:]):
                ratio = small["seconds"]["strew"] / large["seconds"]["strew"]
                if ratio > limit:
                    found.append((ratio, small, large))
    return sorted(found, key=lambda item: -item[0])


def main():
    panels, folder = read_cases(sys.argv[1]), pathlib.Path(sys.argv[2])
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else 1.5
    for panel, rows in panels.items():
        draw(panel, rows, folder / f"sweep_{re.sub('[^a-z0-9]+', '_', panel.lower()).strip('_')}.svg")
    cases = sum(len(row) for rows in panels.values() for row in rows.values())
    lost = losses(panels, limit)
    print(f"{len(lost)} of {cases} cases are more than {limit:g} times slower than the best peer.\n")
    print("| times slower | case | Strew, us | best peer | us | other result | panel |\n| --- | --- | --- | --- | --- | --- | --- |")
    for ratio, library, line in lost:
        seconds = line["seconds"]
        other = "yes" if library in line["differs"] else ""
        print(f"| {ratio:.2f} | {line['name']} | {seconds['strew'] * 1e6:.4g} | {library} | {seconds[library] * 1e6:.4g} "
              f"| {other} | {line['panel']}: {line['y']}, {line['x']} |")  # fmt: skip
    for ratio, small, large in cliffs(panels, limit):
        print(f"\nCliff: {small['name']} takes {ratio:.2f} times as long as {large['name']}")


if __name__ == "__main__":
    main()

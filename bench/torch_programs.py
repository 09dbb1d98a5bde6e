"""Times training steps of whole programs with PyTorch alone and on Strew's kernels: forward, backward and optimizer.

Each side runs in its own process, in turn. On one thread the losses and parameters of all sides must have the same
bits, except for compiled programs.

Usage: torch_programs.py [--only gcn sage ...] [--threads 1 2] [--turns 5] [--json FILE] [--sides torch strew ...]
       [--deterministic]
Sides are torch and strew, each also with " malloc" appended, which sets glibc's allocator to keep its memory;
"strew results", in which Strew caches only the memory of its results; "torch fuse" or "strew fuse", which fuse the
layers of PyTorch Geometric; and "torch compile" or "strew compile", which compile the loss with an empty cache. Results
go into FILE, under "compiled" if a side compiles, under "memory" if there are more than two sides. plot.py reads FILE.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

import torch_models
from machine import commit, describe
from workers import Worker

MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184", "MALLOC_TOP_PAD_": "67108864"}
STEPS = {"small gcn": 200}  # training steps of a turn; one for other programs
SERVE = "serve"  # first argument of the process of a side; then the program, its threads and its options


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--sides", nargs="+", default=["torch", "strew"])
    parser.add_argument("--deterministic", action="store_true")
    given = parser.parse_args()
    for model in given.only or torch_models.MODELS:
        for threads in given.threads:
            row = measure(model, threads, given.sides, given.turns, given.deterministic)
            print(f"{model:18} {threads} threads: {line(row)}", flush=True)
            if given.json:
                kind = "memory" if len(given.sides) > 2 else "deterministic" if given.deterministic else "steps"
                kind = "compiled" if any("compile" in side for side in given.sides) else kind
                report = json.loads(given.json.read_text()) if given.json.exists() else {"machine": describe(["strew", "torch"])}
                cell = report.setdefault(kind, {}).setdefault(model, {}).setdefault(str(threads), {})
                cell.update(row | {"commit": commit()})
                given.json.write_text(json.dumps(report, indent=1) + "\n")


def start(model, threads, side, deterministic, caches):
    library, *how = side.split()
    install = {"torch": [], "strew": ["-m", "strew.torch", *(["--memory", "results"] if "results" in how else [])]}[library]
    arguments = [sys.executable, *install, __file__, SERVE, model, str(threads), *(["deterministic"] if deterministic else [])]
    arguments += [word for word in ("fuse", "compile") if word in how]
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": f"{caches}/{side.replace(' ', '-')}"} | (MALLOC if "malloc" in how else {})
    return Worker(arguments, environment)


def bits(steps):
    return [(each["loss"], each["bits"]) for each in steps]


def measure(model, threads, sides, turns, deterministic):
    """Return medians of the wall and CPU time of a step on each side, and whether all sides gave the same bits."""
    steps = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as caches:
        workers = {side: start(model, threads, side, deterministic, caches) for side in sides}
        for turn in range(turns + 2):
            for side, worker in workers.items():
                steps[side].append(worker.ask(str(STEPS.get(model, 1) if turn else 1)))
        for worker in workers.values():
            worker.end()
    same = all(bits(found) == bits(steps[sides[0]]) for found in steps.values())
    # Fused operators in compiled programs sum gradients of weights in another order.
    exact = threads == 1 and not any("compile" in side for side in sides)
    assert same or not exact, f"{model}: losses or parameters differ: {steps}"
    row = {"same": same}
    for side, found in steps.items():
        row[side] = {kind: statistics.median(each[kind] for each in found[2:]) for kind in ("wall", "cpu", "peak")}
        if "compile" in side:
            row[side]["compile"] = found[0]["wall"] - row[side]["wall"]
    return row


def line(row):
    parts = []
    for side, found in row.items():
        text = found
        if isinstance(found, dict):
            text = f"{found['wall'] * 1e3:.0f} ms (processor {found['cpu'] * 1e3:.0f}, {found['peak'] / 2**30:.2f} GiB)"
        parts.append(f"{side}: {text}")
    return ", ".join(parts)


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        torch_models.serve(sys.argv[2], int(sys.argv[3]), set(sys.argv[4:]))
    else:
        main()

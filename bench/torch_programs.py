"""Training steps of whole programs, with PyTorch alone and on Strew's kernels: forward, backward and optimizer.

Each side is a process of its own, called in turn, so that neither has the memory of the other. The losses of both
must be equal.

Usage: torch_programs.py [--only gcn sage ...] [--threads 1 2] [--turns 5] [--json FILE] [--malloc]
With --malloc also with glibc's allocator told to keep its memory (docs/pytorch.md).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184", "MALLOC_TOP_PAD_": "67108864"}
SIDES = {"torch": {}, "strew": {}}
WITH_MALLOC = {"torch, malloc set": MALLOC, "strew, malloc set": MALLOC}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--malloc", action="store_true")
    given = parser.parse_args()
    sides = SIDES | (WITH_MALLOC if given.malloc else {})
    here = os.path.dirname(os.path.abspath(__file__))
    known = subprocess.run([sys.executable, f"{here}/torch_program.py"], capture_output=True, text=True, check=True)
    rows = []
    for model in given.only or known.stdout.splitlines():
        for threads in given.threads:
            row = measure(f"{here}/torch_program.py", model, threads, sides, given.turns)
            rows.append(row)
            print(line(row), flush=True)
            if given.json:
                with open(given.json, "w") as file:
                    json.dump(rows, file, indent=1)


def measure(program, model, threads, sides, turns):
    """Wall and processor time of a step on each side: the medians of the least of each process."""
    workers = {}
    for side, environment in sides.items():
        install = ["-m", "strew.torch"] if side.startswith("strew") else []
        workers[side] = subprocess.Popen(
            [sys.executable, *install, program, model, str(threads)],
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    steps = {side: [] for side in sides}
    for turn in range(turns + 2):
        for side, worker in workers.items():
            worker.stdin.write("step\n")
            worker.stdin.flush()
            step = json.loads(worker.stdout.readline())
            steps[side] += [step] if turn > 1 else []
    for worker in workers.values():
        worker.stdin.close()
        worker.wait()
    losses = {tuple(step["loss"] for step in found) for found in steps.values()}
    assert len(losses) == 1 or threads > 1, f"{model}: losses differ: {losses}"
    row = {"model": model, "threads": threads, "same losses": len(losses) == 1}
    for side, found in steps.items():
        row[side] = {kind: statistics.median(step[kind] for step in found) for kind in ("wall", "cpu")}
    return row


def line(row):
    alone, on_strew = row["torch"], row["strew"]
    text = (
        f"{row['model']:18} {row['threads']} threads: torch {alone['wall'] * 1e3:6.0f} ms, strew {on_strew['wall'] * 1e3:6.0f} ms: "
        f"{alone['wall'] / on_strew['wall']:.2f} (of processor time {alone['cpu'] / on_strew['cpu']:.2f})"
    )
    if "torch, malloc set" in row:
        alone, on_strew = row["torch, malloc set"], row["strew, malloc set"]
        text += (
            f"; malloc set: {alone['wall'] * 1e3:6.0f} ms, {on_strew['wall'] * 1e3:6.0f} ms: "
            f"{alone['wall'] / on_strew['wall']:.2f} ({alone['cpu'] / on_strew['cpu']:.2f})"
        )
    return text + ("" if row["same losses"] else "  (losses differ)")


if __name__ == "__main__":
    main()

"""Times training steps of whole programs with PyTorch alone and on Strew's kernels: forward, backward and optimizer.

Each side runs in its own process, in turn. On one thread the losses and parameters of all sides must have the same
bits, except for compiled programs.

Usage: torch_programs.py [--only PATTERN ...] [--threads 1 2] [--rounds 5] [--json FILE] [--sides torch strew ...]
       [--deterministic]
Sides are torch and strew, each also with " malloc" appended, which sets glibc's allocator to keep its memory;
"strew results", in which Strew caches only the memory of its results; "torch fuse" or "strew fuse", which fuse the
layers of PyTorch Geometric; and "torch compile" or "strew compile", which compile the loss with an empty cache. Results
go into FILE, under "compiled" if a side compiles, under "memory" if there are more than two sides. plot.py reads FILE.
"""

import statistics
import sys
import tempfile

import program
import torch_models
from machine import commit, describe
from workers import SERVE, Worker, serve

MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184", "MALLOC_TOP_PAD_": "67108864"}
STEPS = {"small gcn": 200}  # training steps per turn; one for other programs


def main():
    parser = program.parser(__doc__, rounds=5)
    parser.add_argument("--sides", nargs="+", default=["torch", "strew"])
    parser.add_argument("--deterministic", action="store_true")
    given = parser.parse_args()
    report = program.load(given.json, machine=describe(["strew", "torch"]))
    kind = "memory" if len(given.sides) > 2 else "deterministic" if given.deterministic else "steps"
    kind = "compiled" if any("compile" in side for side in given.sides) else kind
    for model in program.matching(torch_models.MODELS, given.only):
        for threads in given.threads:
            row = measure(model, threads, given.sides, given.rounds, given.deterministic)
            print(f"{model:18} {threads} threads: {line(row)}", flush=True)
            cell = report.setdefault(kind, {}).setdefault(model, {}).setdefault(str(threads), {})
            cell.update(row | {"commit": commit()})
            program.save(given.json, report)


def start(model, threads, side, deterministic, caches):
    library, *how = side.split()
    memory = ["--memory", "results"] if "results" in how else []
    install = ["-m", "strew.torch", *memory] if library == "strew" else []
    arguments = [*install, __file__, SERVE, model, threads, *(["deterministic"] if deterministic else [])]
    arguments += [word for word in ("fuse", "compile") if word in how]
    environment = {"TORCHINDUCTOR_CACHE_DIR": f"{caches}/{side.replace(' ', '-')}"}
    return Worker(*arguments, environment=environment | (MALLOC if "malloc" in how else {}))


def bits(steps):
    return [(each["loss"], each["bits"]) for each in steps]


def measure(model, threads, sides, rounds, deterministic):
    """Return medians of the wall and CPU time of a step on each side, and whether all sides gave the same bits."""
    steps = {side: [] for side in sides}
    with tempfile.TemporaryDirectory() as caches:
        workers = {side: start(model, threads, side, deterministic, caches) for side in sides}
        for number in range(rounds + 2):
            for side, worker in workers.items():
                steps[side].append(worker.ask("run", STEPS.get(model, 1) if number else 1))
        for worker in workers.values():
            worker.end()
    same = all(bits(found) == bits(steps[sides[0]]) for found in steps.values())
    # Fused operators in compiled programs sum gradients of weights in a different order.
    exact = threads == 1 and not any("compile" in side for side in sides)
    assert same or not exact, f"{model}: losses or parameters differ: {steps}"
    row = {"same": same}
    for side, found in steps.items():
        row[side] = {kind: statistics.median(each[kind] for each in found[2:]) for kind in ("wall", "cpu", "peak")}
        if "compile" in side:
            row[side]["compile"] = found[0]["wall"] - row[side]["wall"]
    return row


def line(row):
    form = "{}: {wall:.4g} s (processor {cpu:.4g} s, {gib:.2f} GiB)"
    sides = [form.format(side, gib=found["peak"] / 2**30, **found) for side, found in row.items() if side != "same"]
    return f"same bits: {row['same']}, {', '.join(sides)}"


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        serve(torch_models.Training, sys.argv[2], int(sys.argv[3]), set(sys.argv[4:]))
    else:
        main()

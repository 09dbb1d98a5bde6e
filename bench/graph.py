"""Times fused gather-scatter beside PyTorch and SciPy, in turn, each library in its own process.

Usage: graph.py [--only PATTERN ...] [--libraries NAME ...] [--threads 1 2] [--rounds 7] [--json FILE]
                [--memory]

--memory measures not times but the peak memory of one call, for growing numbers of edges. plot.py draws FILE.
"""

import argparse
import fnmatch
import json
import math
import os
import pathlib
import statistics
import sys
import time

import machine
from graph_calls import INSTALLED, LIBRARIES, serve
from workers import Worker

CASES = {
    "100k nodes, 1M edges, 64 columns": (100_000, 1_000_000, 64, "uniform"),
    "169k nodes, 1.17M edges, 128 columns": (169_343, 1_166_243, 128, "uniform"),
    "1M nodes, 4M edges, 32 columns": (1_000_000, 4_000_000, 32, "uniform"),
    "power law, 169k nodes, 1.17M edges, 128 columns": (169_343, 1_166_243, 128, "power"),
    "hub, 169k nodes, 1.17M edges, 64 columns": (169_343, 1_166_243, 64, "hub"),
    "200k nodes, 2M edges, 1 column": (200_000, 2_000_000, 1, "uniform"),
    "200k nodes, 2M edges, 4 columns": (200_000, 2_000_000, 4, "uniform"),
    "200k nodes, 2M edges, 8 columns": (200_000, 2_000_000, 8, "uniform"),
}
MEMORY = {f"20k nodes, {edges} edges, 64 columns": (20_000, edges, 64, "uniform") for edges in (1 << n for n in range(15, 22))}
SERVE = "serve"  # first argument of the process of a library; the second is the case
PAUSE = 0.03  # seconds after a call on several threads, whose waiting threads may still spin


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument("--libraries", nargs="+", default=list(LIBRARIES), choices=LIBRARIES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


class Library(Worker):
    def __init__(self, name, case, threads):
        self.name, self.threads = name, threads
        given = dict(zip(("nodes", "edges", "columns", "kind"), case, strict=True)) | {"library": name, "threads": threads}
        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
        super().__init__([sys.executable, __file__, SERVE, json.dumps(given)], environment)
        self.calls = self.read() or []

    def answer(self, verb, call):
        return self.ask(json.dumps([verb, call]))


def check(libraries, form):
    """Fail unless all libraries have the same result, within rounding."""
    found = {each.name: each.answer("check", form) for each in libraries if form in each.calls}
    for name, value in found.items():
        if not math.isclose(value, found["strew"], rel_tol=1e-3, abs_tol=1):
            raise SystemExit(f"the {form} of {name} differs: {found}")


def times_of(libraries, rounds):
    """Return {"call / library": seconds of each round}. The first round is not measured."""
    seconds = {}
    for number in range(rounds + 1):
        for library in libraries:
            for call in library.calls:
                spent = library.answer("time", call)
                if library.threads > 1:
                    time.sleep(PAUSE)
                if number > 0:
                    seconds.setdefault(f"{call} / {library.name}", []).append(spent)
    return seconds


def show(key, seconds):
    print(key)
    for call, times in seconds.items():
        print(f"    {call:48}{statistics.median(times) * 1e3:10.2f} ms", flush=True)


def measure(title, case, threads, options):
    libraries = [Library(name, case, threads) for name in options.libraries]
    try:
        if options.memory:
            peaks = {each.name: each.answer("peak", "sum") for each in libraries if each.calls}
            print(f"{title}: " + ", ".join(f"{name} {peak / 2**20:.1f} MiB" for name, peak in peaks.items()), flush=True)
            return {"peak": peaks}
        for form in ("sum", "max"):
            check(libraries, form)
        seconds = times_of(libraries, options.rounds)
        show(f"{title}, {threads} threads", seconds)
        return {"seconds": seconds}
    finally:
        for library in libraries:
            library.end()


def main():
    options = arguments()
    cases = MEMORY if options.memory else CASES
    if options.memory:
        options.libraries, options.threads = ["strew", "torch", INSTALLED], [1]
    report = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    for threads in options.threads:
        for title, case in cases.items():
            if not any(fnmatch.fnmatch(title, pattern) for pattern in options.only):
                continue
            row = measure(title, case, threads, options) | machine.stamp()
            report["machine"] = row["machine"]
            report.setdefault("memory" if options.memory else "times", {})[f"{title}/{threads}"] = row
            if options.json:
                options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        serve(json.loads(sys.argv[2]))
    else:
        main()

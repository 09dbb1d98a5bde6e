"""Times fused gather-scatter in Strew, PyTorch and SciPy, in turn, each library in its own process.

Usage: graph.py [--only PATTERN ...] [--threads 1 2] [--rounds 7] [--json FILE] [--memory]

--memory measures the peak memory of one call instead of times, for growing numbers of edges. plot.py draws FILE.
"""

import json
import math
import statistics
import sys
import time

import machine
import program
from graph_calls import INSTALLED, LIBRARIES, Calls
from workers import SERVE, Worker, serve

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
PAUSE = 0.03  # seconds after a call on several threads, whose waiting threads may still spin


class Library(Worker):
    def __init__(self, name, case, threads):
        self.name, self.threads = name, threads
        given = dict(zip(("nodes", "edges", "columns", "kind"), case, strict=True)) | {"threads": threads}
        super().__init__(__file__, SERVE, name, json.dumps(given), environment={"OMP_NUM_THREADS": str(threads)})
        self.calls = self.ask("names")


def check(libraries, form):
    """Fail unless all libraries have the same result, within rounding."""
    found = {each.name: each.ask("check", form) for each in libraries if form in each.calls}
    for name, value in found.items():
        if not math.isclose(value, found["strew"], rel_tol=1e-3, abs_tol=1):
            raise SystemExit(f"the {form} of {name} differs: {found}")


def times_of(libraries, rounds):
    """Return {"call / library": seconds of each round}. The first round is not measured."""
    seconds = {}
    for number in range(rounds + 1):
        for library in libraries:
            for call in library.calls:
                spent = library.ask("time", call)
                if library.threads > 1:
                    time.sleep(PAUSE)
                if number > 0:
                    seconds.setdefault(f"{call} / {library.name}", []).append(spent)
    return seconds


def measure(title, case, threads, options):
    names = ["strew", "torch", INSTALLED] if options.memory else LIBRARIES
    libraries = [Library(name, case, threads) for name in names]
    try:
        if options.memory:
            peaks = {each.name: each.ask("peak", "sum") for each in libraries if each.calls}
            print(f"{title}: " + ", ".join(f"{name} {peak / 2**20:.1f} MiB" for name, peak in peaks.items()), flush=True)
            return {"peak": peaks}
        for form in ("sum", "max"):
            check(libraries, form)
        seconds = times_of(libraries, options.rounds)
        print(f"{title}, {threads} threads")
        for call, times in seconds.items():
            print(f"    {call:48}{statistics.median(times) * 1e3:10.2f} ms", flush=True)
        return {"seconds": seconds}
    finally:
        for library in libraries:
            library.end()


def main():
    parser = program.parser(__doc__, rounds=7)
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    cases, kind = (MEMORY, "memory") if options.memory else (CASES, "times")
    report = program.load(options.json)
    for threads in [1] if options.memory else options.threads:
        for title in program.matching(cases, options.only):
            row = measure(title, cases[title], threads, options) | machine.stamp()
            report["machine"] = row["machine"]
            report.setdefault(kind, {})[f"{title}/{threads}"] = row
            program.save(options.json, report)


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        serve(Calls, sys.argv[2], json.loads(sys.argv[3]))
    else:
        main()

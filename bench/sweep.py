"""Times many shapes, types and patterns in Strew, NumPy, PyTorch and ONNX Runtime, to find cases that Strew loses.

Usage: sweep.py OUT.jsonl [--only WORD ...] [--threads 2]

All libraries run in this process on the same arrays, in turn, into preallocated outputs if the library can. Each case
is appended to the file as a line, which notes results that differ from NumPy's; cases in the file are skipped. The
program fails if a bit of Strew's result differs. plot.py draws the file and lists the losses.
"""

import argparse
import json
import pathlib
import time

import libraries
import machine
import numpy as np
from sweep_cases import all_cases, inputs_of

LIBRARIES = [each for each in ("strew", "numpy", "torch", "onnxruntime") if each in libraries.installed()]
ROUNDS = 2
# A round repeats a call for LEAST_SECONDS and at least LEAST_CALLS times, or twice if it is slow. The shortest time
# counts, because the first call wakes the threads.
LEAST_SECONDS, LEAST_CALLS = 2e-3, 4
SLOW, TIMES_SLOWER = 0.05, 5


def make_calls(case, inputs, threads):
    calls = {}
    for library in LIBRARIES:
        try:
            call = libraries.make_call(library, case.op, case.attributes, inputs, threads, case.mode)
            if call is None and case.mode == "kept":
                call = libraries.make_call(library, case.op, case.attributes, inputs, threads, "fresh")
            if call is not None:
                call()
                calls[library] = call
        except (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError):
            if library == "strew":
                raise
    return calls


def differing(case, inputs, calls):
    """Return the libraries whose result differs from NumPy's."""
    if case.mode == "in_place":  # the data have changed; "kept" checks the same code
        return []
    owners = {library: call() for library, call in calls.items()}
    results = {library: libraries.array_of(owner, inputs[0].dtype) for library, owner in owners.items()}
    expected = results.pop("numpy", results["strew"])
    close = {"rtol": 2e-2} if inputs[0].itemsize <= 2 else {"rtol": 1e-2}
    adds = case.attributes.get("reduction", "none") in ("add", "mul")
    found = []
    for library, result in results.items():
        if adds and library != "strew":
            same = np.allclose(expected.astype(np.float64), result.astype(np.float64), **close)
        else:
            same = np.array_equal(expected.view(np.uint8), np.ascontiguousarray(result).view(np.uint8))
        if not same:
            found.append(library)
    return found


def time_once(call):
    """Return the shortest time of several consecutive calls."""
    best, calls, start = np.inf, 0, time.perf_counter()
    while True:
        begin = time.perf_counter()
        call()
        now = time.perf_counter()
        best, calls = min(best, now - begin), calls + 1
        if now - start > LEAST_SECONDS and calls >= (2 if best > SLOW else LEAST_CALLS):
            return best


def measure(case, threads):
    inputs = inputs_of(case)
    calls = make_calls(case, inputs, threads)
    differs = differing(case, inputs, calls)
    if "strew" in differs:
        raise SystemExit(f"{case.name}: Strew's result is wrong")
    seconds = {library: [] for library in calls}
    for number in range(ROUNDS):
        for library, call in calls.items():
            mine = seconds[library]
            if number > 0 and mine[-1] > SLOW and mine[-1] > TIMES_SLOWER * seconds["strew"][-1]:
                continue
            mine.append(time_once(call))
            if threads > 1:
                time.sleep(libraries.PAUSES.get(library, 0))
    return {library: min(times) for library, times in seconds.items()}, differs


def line_of(case, threads, seconds, differs):
    seconds = {library: float(f"{value:.4g}") for library, value in seconds.items()}
    where = {"name": case.name, "panel": case.panel, "y": case.y, "x": case.x, "threads": threads}
    return where | {"seconds": seconds, "differs": differs} | machine.stamp()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="cases whose panel or name has all words")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    lines = options.file.read_text().splitlines() if options.file.exists() else []
    there = {(line["panel"], line["y"], line["x"], line["threads"]) for line in map(json.loads, lines)}
    for case in all_cases():
        wanted = all(word in f"{case.panel} {case.y} {case.name}" for word in options.only)
        if not wanted or (case.panel, case.y, case.x, options.threads) in there:
            continue
        seconds, differs = measure(case, options.threads)
        with options.file.open("a") as file:
            file.write(json.dumps(line_of(case, options.threads, seconds, differs)) + "\n")


if __name__ == "__main__":
    main()

"""Times many shapes, types and patterns in Strew, NumPy, PyTorch and ONNX Runtime, to find cases that Strew loses.

Usage: sweep.py OUT.jsonl [--only WORD ...] [--seconds 80] [--threads 2] [--libraries NAME ...] [--every 1] [--again]

All libraries run in this process on the same arrays, in turn, into preallocated outputs if the library can. Each case is appended to
the file as a line, which notes results that differ from NumPy's. Cases in the file are skipped without --again. The program stops after
--seconds; a second call resumes. It fails if a bit of Strew's result differs. plot.py draws the file and lists the losses.
"""

import argparse
import json
import pathlib
import time

import libraries
import machine
import numpy as np
from sweep_cases import all_cases, inputs_of

LIBRARIES = ("strew", "numpy", "torch", "onnxruntime")
ROUNDS = 2
# A round repeats a call for LEAST_SECONDS and at least LEAST_CALLS times, or twice if it is slow. The shortest time
# counts, because the first call wakes the threads.
LEAST_SECONDS, LEAST_CALLS = 2e-3, 4
SLOW, TIMES_SLOWER = 0.05, 5


def make_calls(case, inputs, threads, names):
    calls = {}
    for library in names:
        try:
            call = libraries.make_call(library, case.op, case.attributes, inputs, threads, case.mode)
            if call is None and case.mode == "kept":
                call = libraries.make_call(library, case.op, case.attributes, inputs, threads, "fresh")
            if call is not None:
                call()
                calls[library] = call
        except (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError) as refusal:
            if library == "strew":
                raise
            calls.pop(library, None)
            del refusal
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


def measure(case, threads, names=LIBRARIES):
    inputs = inputs_of(case)
    calls = make_calls(case, inputs, threads, names)
    differs = differing(case, inputs, calls)
    if "strew" in differs:
        raise SystemExit(f"{case.name}: the result of Strew is wrong")
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
    return {
        "name": case.name,
        "panel": case.panel,
        "y": case.y,
        "x": case.x,
        "threads": threads,
        "seconds": {library: float(f"{value:.4g}") for library, value in seconds.items()},
        "differs": differs,
        **machine.stamp(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="cases whose panel or name has all words")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--libraries", nargs="+", default=LIBRARIES, choices=libraries.MODULES, help="must include strew")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one case in N")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    lines = options.file.read_text().splitlines() if options.file.exists() and not options.again else []
    there = {(line["panel"], line["y"], line["x"], line["threads"]) for line in map(json.loads, lines)}
    wanted = [case for case in all_cases() if all(w in f"{case.panel} {case.y} {case.name}" for w in options.only)][:: options.every]
    left = [case for case in wanted if (case.panel, case.y, case.x, options.threads) not in there]
    end = time.monotonic() + options.seconds
    for number, case in enumerate(left):
        if time.monotonic() > end:
            print(f"{len(left) - number} of {len(wanted)} cases are left")
            raise SystemExit(3)
        seconds, differs = measure(case, options.threads, options.libraries)
        with options.file.open("a") as file:
            file.write(json.dumps(line_of(case, options.threads, seconds, differs)) + "\n")


if __name__ == "__main__":
    main()

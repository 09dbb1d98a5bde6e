"""Times the cases of models.py in ONNX Runtime: with its CPU provider alone, and with gathers and scatters on Strew.

Usage: compare.py OUT.json [--threads 1 2] [--only NAME ...] [--rounds 5] [--quick] [--seconds S] [--again]

Both sessions have their own processes and take turns, with pauses, because waiting threads spin for a while. A turn is
one run that is not measured, and then runs for about a fifth of a second. The outputs are compared before anything is
timed. If they differ, the CPU provider runs on one thread; "cpu varies" means that this output agrees with Strew's.
A second call resumes an interrupted run. --quick has short turns and two rounds.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import sys
import tempfile
import time

import models
import numpy as np
from runner import Runner

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from machine import commit, cpu  # noqa: E402

PAUSE = 0.15
TURN = 0.2


def load(path):
    with np.load(path) as file:
        return [file[name] for name in file.files]


def difference(expected, result):
    """Return the largest difference divided by the largest expected value; 0 for equal outputs."""
    if [(x.shape, x.dtype) for x in expected] != [(x.shape, x.dtype) for x in result]:
        return float("inf")
    worst = 0.0
    for a, b in zip(expected, result):
        if np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            continue
        far = np.abs(a.astype(np.float64) - b.astype(np.float64)).max() / max(np.abs(a).max(), 1e-30)
        worst = max(worst, float(far) if np.isfinite(far) else float("inf"))
    return worst


def outputs_of(runner, path):
    runner.ask("save", str(path))
    return load(path)


def compare_outputs(name, cpu, strew, threads, tolerance=1e-5):
    """Return how the outputs agree, as entries of the JSON."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        path = pathlib.Path(folder) / "outputs.npz"
        results = outputs_of(strew, path)
        far = difference(outputs_of(cpu, path), results)
        if far <= tolerance:
            return {"agreement": "equal" if far == 0 else "rounding", "difference": far}
        if threads == 1:
            return {"agreement": "strew differs", "difference": far}
        judge = Runner(name, "cpu", 1)
        judge.answer()
        judged = difference(outputs_of(judge, path), results)
        judge.end()
    if judged > tolerance:
        return {"agreement": "strew differs", "difference": judged}
    return {"agreement": "cpu varies", "difference": far, "difference_to_cpu_on_one_thread": judged}


def measure(name, threads, rounds, turn):
    # Both start at once, because making the inputs takes longer than measuring.
    runners = {provider: Runner(name, provider, threads) for provider in ("cpu", "strew")}
    places = {provider: runner.answer() for provider, runner in runners.items()}
    taken, left = places["strew"]
    report = {"nodes": taken, "left": left, **compare_outputs(name, runners["cpu"], runners["strew"], threads)}
    runs = min(max(int(turn / runners["cpu"].ask("time", 1)), 1), 20000)
    seconds = {provider: [] for provider in runners}
    for i in range(rounds):
        for provider in list(runners) if i % 2 == 0 else list(runners)[::-1]:
            time.sleep(PAUSE)
            seconds[provider].append(runners[provider].ask("time", runs))
    for runner in runners.values():
        runner.end()
    return report | {"runs": runs, "date": time.strftime("%Y-%m-%d"), "commit": commit(), **seconds}


def machine():
    import onnxruntime

    versions = {"onnxruntime": onnxruntime.__version__, "python": platform.python_version()}
    return {"cpu": cpu(), "processors": os.cpu_count(), "system": platform.platform(), "versions": versions}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", nargs="+", default=list(models.CASES), choices=list(models.CASES), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no case after this many seconds")
    parser.add_argument("--again", action="store_true", help="also measure cases that OUT.json has")
    options = parser.parse_args()
    rounds, turn = (2, TURN / 10) if options.quick else (options.rounds, TURN)
    report = json.loads(options.json.read_text()) if options.json.exists() else {"cases": {}}
    wanted = [(name, threads) for name in options.only for threads in options.threads]
    left = [w for w in wanted if options.again or str(w[1]) not in report["cases"].get(w[0], {})]
    begin = time.monotonic()
    for number, (name, threads) in enumerate(left):
        if time.monotonic() - begin > options.seconds:
            print(f"{len(left) - number} of {len(wanted)} cases are left")
            raise SystemExit(3)
        result = measure(name, threads, rounds, turn)
        report["machine"] = machine()
        report["cases"].setdefault(name, {})[str(threads)] = result
        # Replaces the file after each case, atomically, so that an interrupted run keeps its results.
        partial = options.json.with_suffix(".part")
        partial.write_text(json.dumps(report, indent=1) + "\n")
        partial.replace(options.json)
        cpu, strew = (statistics.median(result[provider]) * 1e3 for provider in ("cpu", "strew"))
        print(
            f"{name:32} {threads} threads: cpu {cpu:10.4g} ms, strew {strew:10.4g} ms, {cpu / strew:5.2f} x, "
            f"{result['agreement']}, {result['nodes']}",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Times the cases of models.py in ONNX Runtime: with its CPU provider alone, and with gathers and scatters on Strew.

Usage: compare.py [--threads 1 2] [--only PATTERN ...] [--rounds 5] [--json FILE]

Both sessions have their own processes and take turns, with pauses, because waiting threads spin for a while. A turn is
one run that is not measured, and then runs for about a fifth of a second. The outputs are compared before anything is
timed. If they differ, the CPU provider runs on one thread; "cpu varies" means that this output agrees with Strew's.
Rows of FILE are not measured again.
"""

import os
import pathlib
import statistics
import sys
import tempfile
import time

import models  # adds bench to the path
import numpy as np

import machine
import program
from workers import SERVE, Worker, ask_all, serve


PAUSE = 0.15
TURN = 0.2


def start(name, provider, threads):
    return Worker(__file__, SERVE, name, provider, threads)


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


def outputs_of(session, path):
    session.ask("save", path)
    with np.load(path) as file:
        return [file[name] for name in file.files]


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
        judge = start(name, "cpu", 1)
        judged = difference(outputs_of(judge, path), results)
        judge.end()
    if judged > tolerance:
        return {"agreement": "strew differs", "difference": judged}
    return {"agreement": "cpu varies", "difference": far, "difference_to_cpu_on_one_thread": judged}


def measure(name, threads, rounds):
    # Both start at once, because making the inputs takes longer than measuring.
    sessions = {provider: start(name, provider, threads) for provider in ("cpu", "strew")}
    taken, left = ask_all(sessions, "placement")["strew"]
    report = {"nodes": taken, "left": left, **compare_outputs(name, sessions["cpu"], sessions["strew"], threads)}
    runs = min(max(int(TURN / sessions["cpu"].ask("time", 1)), 1), 20000)
    seconds = {provider: [] for provider in sessions}
    for i in range(rounds):
        for provider in list(sessions) if i % 2 == 0 else list(sessions)[::-1]:
            time.sleep(PAUSE)
            seconds[provider].append(sessions[provider].ask("time", runs))
    for session in sessions.values():
        session.end()
    return report | {"runs": runs, "date": time.strftime("%Y-%m-%d"), "commit": machine.commit(), **seconds}


def main():
    options = program.parser(__doc__, rounds=5).parse_args()
    report = program.load(options.json, cases={})
    for name in program.matching(models.CASES, options.only):
        for threads in options.threads:
            case = report["cases"].setdefault(name, {})
            if str(threads) in case:
                continue
            result = case[str(threads)] = measure(name, threads, options.rounds)
            report["machine"] = machine.describe(["onnxruntime"])
            program.save(options.json, report)
            cpu, strew = (statistics.median(result[provider]) * 1e3 for provider in ("cpu", "strew"))
            print(
                f"{name:32} {threads} threads: cpu {cpu:10.4g} ms, strew {strew:10.4g} ms, {cpu / strew:5.2f} x, "
                f"{result['agreement']}, {result['nodes']}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        serve(models.Session, *sys.argv[2:4], int(sys.argv[4]))
    else:
        main()

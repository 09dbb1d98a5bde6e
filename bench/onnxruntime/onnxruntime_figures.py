"""The rows of docs/onnxruntime-performance.md, from the cases of compare.py's JSON."""

import statistics

THREADS = ("1", "2")


def milliseconds(case, threads, provider):
    return statistics.median(case[threads][provider]) * 1e3


def ratio(case, threads):
    return milliseconds(case, threads, "cpu") / milliseconds(case, threads, "strew")


def counts(case):
    return [threads for threads in THREADS if threads in case]


def row(name, case):
    cells = []
    for threads in THREADS:
        if threads in case:
            times = (milliseconds(case, threads, provider) for provider in ("cpu", "strew"))
            cells += [*(f"{time:.3g}" for time in times), f"{ratio(case, threads):.2f}"]
        else:
            cells += ["-"] * 3
    agreement = {case[threads]["agreement"] for threads in counts(case)}
    return f"| `{name}` | " + " | ".join([*cells, ", ".join(sorted(agreement))]) + " |"

"""Times small calls of Strew in Python, and NumPy's nearest equivalents.

Usage: call_overhead.py [--rounds 15]
"""

import argparse
import statistics
import timeit

import numpy as np
import strew

CALLS = 20_000

data, indices, updates = np.zeros(8, np.float32), np.array([[1], [3], [1], [7]]), np.ones(4, np.float32)
table, rows, flat = np.ones((8400, 4), np.float32), np.arange(300), indices[:, 0].copy()

few, picked = np.arange(16, dtype=np.float32) + 1, np.arange(16)[::-1].copy()
few_out, planned = np.empty_like(few), strew.plan(strew.gather, few, picked)

CASES = {
    "gather 16 of 16": lambda: strew.gather(few, picked),
    "gather 16 of 16, plan.run": lambda: planned.run(few, picked),
    "gather 16 of 16, plan.run, out=": lambda: planned.run(few, picked, out=few_out),
    "np.take 16 of 16": lambda: few.take(picked),
    "scatter_nd 4 into 8, add": lambda: strew.scatter_nd(data, indices, updates, "add"),
    "scatter_nd 4 into 8, add, out=": lambda: strew.scatter_nd(data, indices, updates, "add", data),
    "np.add.at 4 into 8 (in place)": lambda: np.add.at(data, flat, updates),
    "gather 300 rows of 4": lambda: strew.gather(table, rows),
    "np.take 300 rows of 4": lambda: table.take(rows, axis=0),
    "np.empty of the output": lambda: np.empty(8, np.float32),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    times = {name: [] for name in CASES}
    for _ in range(rounds):  # in turn, so that all see the same machine
        for name, call in CASES.items():
            times[name].append(timeit.timeit(call, number=CALLS) / CALLS * 1e9)
    for name, nanoseconds in times.items():
        print(f"{name:34} {statistics.median(nanoseconds):8.0f} ns")


if __name__ == "__main__":
    main()

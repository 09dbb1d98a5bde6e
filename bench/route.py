#!/usr/bin/env python3
"""How many index values a thread brings to their owners in a second, beside the same in NumPy.

Both take a block of int64 indices, half of them negative, and give lists by owner: bounds, offsets inside the
owner's block, positions. They run alternately in this process, on one thread. NumPy is helped: its keys are as narrow as
possible, so that its stable sort is a radix sort.
"""

import argparse
import statistics
import time

import numpy as np
from strew import _strew

ROWS = 20_000_000


def numpy_route(indices, cuts, even):
    rows = np.where(indices < 0, indices + cuts[-1], indices)
    if ((rows < 0) | (rows >= cuts[-1])).any():
        raise IndexError
    owner = rows // (cuts[1] - cuts[0]) if even else np.searchsorted(cuts[1:-1], rows, side="right")
    owners = len(cuts) - 1
    key = owner.astype(np.uint8 if owners <= 1 << 8 else np.uint16 if owners <= 1 << 16 else np.uint32)
    positions = np.argsort(key, kind="stable")
    bounds = np.zeros(owners + 1, np.int64)
    np.cumsum(np.bincount(key, minlength=owners), out=bounds[1:])
    return bounds, (rows - cuts[owner])[positions].astype(np.uint32), positions


def strew_route(indices, cuts, even):
    return _strew._route(indices, [cuts])[:3]


def make_cuts(owners, even, rng):
    if even:
        cuts = np.minimum(np.arange(owners + 1) * -(-ROWS // owners), ROWS)
    else:
        cuts = np.concatenate([[0], np.sort(rng.choice(np.arange(1, ROWS), owners - 1, replace=False)), [ROWS]])
    return cuts.astype(np.int64)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--owners", type=int, nargs="+", default=[16, 100, 1000, 10_000])
    given = parser.parse_args()
    rng = np.random.default_rng(1)
    indices = rng.integers(-ROWS, ROWS, given.positions)
    print("owners  cuts    strew M/s  NumPy M/s  times")
    for owners in given.owners:
        for even in (True, False):
            cuts = make_cuts(owners, even, rng)
            spent = {strew_route: [], numpy_route: []}
            for route in spent:
                if not all(map(np.array_equal, route(indices, cuts, even), numpy_route(indices, cuts, even))):
                    raise SystemExit(f"{route.__name__}: other lists")
            for _ in range(given.rounds):
                for route, times in spent.items():
                    begin = time.thread_time()
                    route(indices, cuts, even)
                    times.append(time.thread_time() - begin)
            ours, theirs = (given.positions / statistics.median(times) / 1e6 for times in spent.values())
            print(f"{owners:6}  {'even' if even else 'ragged':6}  {ours:9.0f}  {theirs:9.0f}  {ours / theirs:5.1f}")


if __name__ == "__main__":
    main()

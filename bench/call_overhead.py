"""Times small calls and equivalent calls of NumPy and PyTorch, on one thread.

Usage: call_overhead.py [--rounds 15] [--only PATTERN ...]
Each round runs Strew's call for about 5 ms, and then its peer. The ratio is Strew's time divided by the peer's.
Rows with PyTorch's calls need PyTorch.
"""

import argparse
import importlib.util
import statistics
import timeit

import numpy as np
import program
import strew
import strew.numpy

SECONDS = 0.005


def numpy_calls():
    """Return name -> Strew's call and, if there is one, the peer's, for small calls on NumPy arrays."""
    data, indices, updates = np.zeros(8, np.float32), np.array([[1], [3], [1], [7]]), np.ones(4, np.float32)
    table, rows, flat = np.ones((8400, 4), np.float32), np.arange(300), indices[:, 0].copy()
    few, picked = np.arange(16, dtype=np.float32) + 1, np.arange(16)[::-1].copy()
    few_out, plan = np.empty_like(few), strew.plan(strew.gather, few, picked)
    sums, places, one = np.zeros(100), np.random.default_rng(0).integers(0, 100, 20), np.ones(1)
    take, scatter = lambda: few.take(picked), strew.scatter_nd
    into, adds = (data, indices, updates, "add"), strew.numpy.add.at
    return {
        "gather 16 of 16": (lambda: strew.gather(few, picked), take),
        "gather 16 of 16, plan.run": (lambda: plan.run(few, picked), take),
        "gather 16 of 16, plan.run, out=": (lambda: plan.run(few, picked, out=few_out), take),
        "gather 300 rows of 4": (lambda: strew.gather(table, rows), lambda: table.take(rows, axis=0)),
        "scatter_nd 4 into 8, add": (lambda: scatter(*into),),
        "scatter_nd 4 into 8, add, out=": (lambda: scatter(*into, data), lambda: np.add.at(data, flat, updates)),
        "add.at, 20 indices, one value": (lambda: adds(sums, places, one), lambda: np.add.at(sums, places, one)),
        "the empty output": (lambda: np.empty(8, np.float32),),
    }


def torch_calls():
    """Return name -> calls, as above, for `strew.torch` and `strew.torch_scatter`, forward and backward."""
    import strew.torch
    import strew.torch_scatter as scatter
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    x, at = torch.randn(8, 32), torch.randint(0, 8, (8, 32))
    wanted = x.clone().requires_grad_()
    gather, csr, segments = strew.torch.gather_elements, scatter.segment_csr, torch.segment_reduce
    nodes, node = torch.randn(50, 8), torch.randint(0, 10, (50,))
    node[0] = 9
    wide, trained = node.view(-1, 1).expand(50, 8), nodes.clone().requires_grad_()
    floats, integers, bounds = torch.randn(200), torch.randint(0, 100, (200,)), torch.arange(0, 201, 10)
    group, zeros = torch.randint(0, 10, (200,)), lambda: torch.zeros(10, 8)
    return {
        "torch gather_elements 8 x 32": (lambda: gather(x, at), lambda: torch.gather(x, 0, at)),
        "torch gather_elements 8 x 32, backward": (
            lambda: gather(wanted, at).sum().backward(),
            lambda: torch.gather(wanted, 0, at).sum().backward(),
        ),
        "scatter_sum 50 x 8": (
            lambda: scatter.scatter_sum(nodes, node, 0),
            lambda: zeros().index_add_(0, node, nodes),
        ),
        "scatter_sum 50 x 8, backward": (
            lambda: scatter.scatter_sum(trained, node, 0).sum().backward(),
            lambda: zeros().scatter_add(0, wide, trained).sum().backward(),
        ),
        "segment_csr, 200 floats, max": (
            lambda: csr(floats, bounds, reduce="max"),
            lambda: segments(floats, "max", offsets=bounds),
        ),
        "segment_csr, 200 floats, sum": (
            lambda: csr(floats, bounds),
            lambda: segments(floats, "sum", offsets=bounds),
        ),
        "segment_csr, 200 int64, sum": (lambda: csr(integers, bounds), lambda: torch.cumsum(integers, 0)),
        "scatter_softmax, 200 floats": (
            lambda: scatter.scatter_softmax(floats, group),
            lambda: torch.softmax(floats, 0),
        ),
    }


def measure(name, calls, rounds):
    numbers = []
    for call in calls:
        timeit.timeit(call, number=1)
        numbers.append(max(1, int(SECONDS / max(timeit.timeit(call, number=3) / 3, 1e-9))))
    times = [[] for _ in calls]
    for _ in range(rounds):  # both calls in turn, because the load of the machine changes
        for call, number, found in zip(calls, numbers, times, strict=True):
            found.append(timeit.timeit(call, number=number) / number * 1e6)
    medians = [statistics.median(found) for found in times]
    rest = f" {medians[1]:10.2f} us {medians[0] / medians[1]:7.2f}" if len(medians) == 2 else ""
    print(f"{name:45} {medians[0]:10.2f} us{rest}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN")
    given = parser.parse_args()
    strew.set_num_threads(1)
    rows = numpy_calls() | (torch_calls() if importlib.util.find_spec("torch") else {})
    for name in program.matching(rows, given.only):
        measure(name, rows[name], given.rounds)


if __name__ == "__main__":
    main()

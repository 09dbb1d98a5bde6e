"""Times small calls, and calls on unusual layouts, beside equivalent calls of NumPy and PyTorch, on one thread.

Usage: call_overhead.py [--rounds 15] [--only WORD ...]
Each round runs Strew's call for about 5 ms, and then its peer. The ratio is Strew's time divided by the peer's.
Rows of PyTorch's calls need PyTorch; rows that begin with `install` also need the package strew-torch.
"""

import argparse
import importlib.util
import statistics
import timeit

import numpy as np
import strew
import strew.numpy

SECONDS = 0.005


def numpy_calls():
    """Yield (name, Strew's call, peer's call or None) for small calls on NumPy arrays."""
    data, indices, updates = np.zeros(8, np.float32), np.array([[1], [3], [1], [7]]), np.ones(4, np.float32)
    table, rows, flat = np.ones((8400, 4), np.float32), np.arange(300), indices[:, 0].copy()
    few, picked = np.arange(16, dtype=np.float32) + 1, np.arange(16)[::-1].copy()
    few_out, planned = np.empty_like(few), strew.plan(strew.gather, few, picked)
    sums, places, one = np.zeros(100), np.random.default_rng(0).integers(0, 100, 20), np.ones(1)
    yield "gather 16 of 16", lambda: strew.gather(few, picked), lambda: few.take(picked)
    yield "gather 16 of 16, plan.run", lambda: planned.run(few, picked), lambda: few.take(picked)
    yield "gather 16 of 16, plan.run, out=", lambda: planned.run(few, picked, out=few_out), lambda: few.take(picked)
    yield "gather 300 rows of 4", lambda: strew.gather(table, rows), lambda: table.take(rows, axis=0)
    yield "scatter_nd 4 into 8, add", lambda: strew.scatter_nd(data, indices, updates, "add"), None
    yield (
        "scatter_nd 4 into 8, add, out=",
        lambda: strew.scatter_nd(data, indices, updates, "add", data),
        lambda: np.add.at(data, flat, updates),
    )
    yield "add.at, 20 indices, one value", lambda: strew.numpy.add.at(sums, places, one), lambda: np.add.at(sums, places, one)
    yield "the empty output", lambda: np.empty(8, np.float32), None


def layout_calls():
    """Yield calls with transposed or other non-contiguous operands, or with operands that repeat one value."""
    random = np.random.default_rng(1)
    rows, at = random.random((2000, 8), np.float32), random.integers(0, 2000, (20000, 1))
    values = random.random((20000, 1), np.float32)
    repeated, full = np.broadcast_to(values, (20000, 8)), np.repeat(values, 8, 1)
    for reduction in "none", "add":
        yield (
            f"scatter_nd, a value per row, {reduction}",
            lambda r=reduction: strew.scatter_nd(rows, at, repeated, r, out=rows),
            lambda r=reduction: strew.scatter_nd(rows, at, full, r, out=rows),
        )
    bytes_ = np.asfortranarray(random.integers(0, 100, (1000, 200), np.int8))
    columns = random.integers(0, 200, 100)
    out = np.empty((1000, 100), np.int8, order="F")
    yield (
        "gather axis 1, Fortran order",
        lambda: strew.gather(bytes_, columns, axis=1, out=out),
        lambda: bytes_[:, columns],
    )
    bgr = np.array([2, 1, 0])
    for dtype in np.uint8, np.float32:
        image = random.integers(0, 200, (1080, 1920, 3)).astype(dtype)
        pairs, swap = image.reshape(-1, 2), np.array([1, 0])
        yield (
            f"img[..., [2, 1, 0]], {np.dtype(dtype)}",
            lambda image=image: strew.gather(image, bgr, axis=2),
            lambda image=image: np.take(image, bgr, axis=2),
        )
        yield (
            f"pairs[:, [1, 0]], {np.dtype(dtype)}",
            lambda pairs=pairs, swap=swap: strew.gather(pairs, swap, axis=1),
            lambda pairs=pairs, swap=swap: np.take(pairs, swap, axis=1),
        )


def torch_calls():
    """Yield calls of `strew.torch` and `strew.torch_scatter`, forward and backward."""
    import strew.torch
    import strew.torch_scatter as scatter
    import torch

    torch.manual_seed(0)
    x, at = torch.randn(8, 32), torch.randint(0, 8, (8, 32))
    wanted = x.clone().requires_grad_()
    yield "torch gather_elements 8 x 32", lambda: strew.torch.gather_elements(x, at), lambda: torch.gather(x, 0, at)
    yield (
        "torch gather_elements 8 x 32, backward",
        lambda: strew.torch.gather_elements(wanted, at).sum().backward(),
        lambda: torch.gather(wanted, 0, at).sum().backward(),
    )
    nodes, node = torch.randn(50, 8), torch.randint(0, 10, (50,))
    node[0] = 9
    wide, trained = node.view(-1, 1).expand(50, 8), nodes.clone().requires_grad_()
    yield (
        "scatter_sum 50 x 8",
        lambda: scatter.scatter_sum(nodes, node, 0),
        lambda: torch.zeros(10, 8).index_add_(0, node, nodes),
    )
    yield (
        "scatter_sum 50 x 8, backward",
        lambda: scatter.scatter_sum(trained, node, 0).sum().backward(),
        lambda: torch.zeros(10, 8).scatter_add(0, wide, trained).sum().backward(),
    )
    floats, pointers = torch.randn(200), torch.arange(0, 201, 10)
    integers = torch.randint(0, 100, (200,))
    yield (
        "segment_csr, 200 floats, max",
        lambda: scatter.segment_csr(floats, pointers, reduce="max"),
        lambda: torch.segment_reduce(floats, "max", offsets=pointers),
    )
    yield (
        "segment_csr, 200 floats, sum",
        lambda: scatter.segment_csr(floats, pointers),
        lambda: torch.segment_reduce(floats, "sum", offsets=pointers),
    )
    yield (
        "segment_csr, 200 int64, sum",
        lambda: scatter.segment_csr(integers, pointers),
        lambda: torch.cumsum(integers, 0),
    )
    group = torch.randint(0, 10, (200,))
    yield "scatter_softmax, 200 floats", lambda: scatter.scatter_softmax(floats, group), lambda: torch.softmax(floats, 0)
    many, bounds = torch.randint(0, 100, (1_000_000,)), torch.arange(0, 1_000_001, 10)
    starts = bounds[:-1].numpy()
    yield (
        "segment_csr, 1e6 int64 in 1e5, sum",
        lambda: scatter.segment_csr(many, bounds),
        lambda: np.add.reduceat(many.numpy(), starts),
    )
    yield from molecule_steps(scatter)


def molecule_steps(scatter):
    """Yield a training step on a mini-batch of molecules: with strew.torch_scatter, and with PyTorch's operators."""
    import torch

    source, target = torch.randint(0, 50, (100,)), torch.randint(0, 50, (100,))
    molecule = torch.arange(50) // 10
    nodes, weight = torch.randn(50, 32), torch.randn(32, 32, requires_grad=True)

    def step(reduce_sum):
        hidden = reduce_sum((nodes @ weight)[source], target, 50).relu()
        reduce_sum(hidden, molecule, 5).sum().backward()

    def of_torch(src, index, size):
        return torch.zeros(size, 32).scatter_add_(0, index.view(-1, 1).expand_as(src), src)

    yield (
        "training step of molecules",
        lambda: step(lambda src, index, size: scatter.scatter_sum(src, index, 0, dim_size=size)),
        lambda: step(of_torch),
    )


def installed_calls():
    """Yield calls of PyTorch's functions, to time first with install() and then without."""
    import torch

    z, i, w = torch.zeros(10000, 3), torch.randint(0, 10000, (200000,)), torch.randn(200000, 1)
    yield "install: index_add_ of an expanded weight", lambda: z.index_add_(0, i, w.expand(200000, 3))
    one = torch.tensor(1.0)
    for columns in 3, 16, 64, 256:
        sums = torch.zeros(1000, columns)
        at = torch.randint(0, 1000, (200000 // columns,))
        yield (
            f"install: index_put_ of a scalar, {columns} columns",
            lambda sums=sums, at=at: sums.index_put_((at,), one, accumulate=True),
        )
    x = torch.randn(10000, 3, requires_grad=True)
    yield "install: x[i].sum().backward(), 3 columns", lambda: x[i].sum().backward()


def measure(name, ours, peer, rounds, setups=("pass", "pass")):
    sides = list(zip([ours] if peer is None else [ours, peer], setups))
    numbers = []
    for call, setup in sides:
        timeit.timeit(call, setup, number=1)
        numbers.append(max(1, int(SECONDS / max(timeit.timeit(call, setup, number=3) / 3, 1e-9))))
    times = [[] for _ in sides]
    for _ in range(rounds):  # both sides in turn, because the load of the machine changes
        for (call, setup), number, found in zip(sides, numbers, times, strict=True):
            found.append(timeit.timeit(call, setup, number=number) / number * 1e6)
    medians = [statistics.median(found) for found in times]
    rest = f" {medians[1]:10.2f} us {medians[0] / medians[1]:7.2f}" if len(medians) == 2 else ""
    print(f"{name:45} {medians[0]:10.2f} us{rest}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+", help="rows whose name contains one of these words")
    given = parser.parse_args()
    strew.set_num_threads(1)

    def measure_all(rows):
        for name, *row in rows:
            if given.only is None or any(word in name for word in given.only):
                measure(name, row[0], row[1], given.rounds, *row[2:])

    measure_all(numpy_calls())
    measure_all(layout_calls())
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        measure_all(torch_calls())
    if importlib.util.find_spec("strew_torch"):
        from strew.torch import install, uninstall

        measure_all((name, call, call, (install, uninstall)) for name, call in installed_calls())


if __name__ == "__main__":
    main()

"""PyTorch's operators alone and on Strew's kernels, called in turn: where Strew is worth taking (bindings/torch/src/thresholds.h).

Usage: torch_operators.py [--only WORD] [--threads N] [--dtype NAME ...] [--layout NAME] [--least 0 | -1] [--seconds 0.01]
       [--elements N ...] [--rows N ...] [--slow] [--deterministic]
Prints one line for each call: how many times as fast it is on Strew. With --least -1 calls that Strew leaves are
compared as well, which tells what asking it costs. --slow prints only what is slower than 0.95 three times in a row, and how
many there were.
Layouts are contiguous, transposed, strided (parts of rows of twice the length), offset (by an element; all three of tables,
sources and outputs) and expanded (one row as source).
"""

import argparse
import itertools
import math
import time

import strew.torch
import torch


def calls(elements, row, dtype, layout):
    """Names and functions: `elements` in all, of which each index value moves `row`."""
    generator = torch.Generator().manual_seed(0)
    updates = max(1, elements // row)
    rows = max(1, updates // 4)
    make = torch.randint(-50, 50, (1,), generator=generator).to(dtype).new_empty

    def values(*shape):
        if layout == "transposed":
            new = make(shape[::-1]).permute(*range(len(shape))[::-1])
        elif layout == "strided":
            new = make((*shape[:-1], 2 * shape[-1]))[..., : shape[-1]]
        elif layout == "offset":
            new = make(1 + math.prod(shape))[1:].view(shape)
        else:
            new = make(shape)
        return new.copy_(torch.randint(-50, 50, shape, generator=generator))

    index = torch.randint(0, rows, (updates,), generator=generator)
    table, source, out = values(rows, row), values(updates, row), values(updates, row)
    source = source[:1].expand(updates, row) if layout == "expanded" else source
    wide = index[:, None].expand(updates, row)
    if row == 1:
        table, source, out, wide = table[:, 0], source[:, 0], out[:, 0], index
    yield "index_add_", lambda: table.index_add_(0, index, source)
    yield "index_copy_", lambda: table.index_copy_(0, index, source)
    yield "index_fill_", lambda: table.index_fill_(0, index, 3)
    yield "index_reduce_ amax", lambda: table.index_reduce_(0, index, source, "amax")
    yield "scatter_add_", lambda: table.scatter_add_(0, wide, source)
    yield "scatter_reduce_ amax", lambda: table.scatter_reduce_(0, wide, source, "amax")
    yield "scatter_reduce_ mean", lambda: table.scatter_reduce_(0, wide, source, "mean", include_self=False)
    yield "scatter_reduce amax new", lambda: table.scatter_reduce(0, wide, source, "amax", include_self=False)
    yield "scatter_ src", lambda: table.scatter_(0, wide, source)
    yield "scatter_ value", lambda: table.scatter_(0, wide, 3)
    yield "gather", lambda: table.gather(0, wide)
    yield "gather out=", lambda: torch.gather(table, 0, wide, out=out)
    yield "index_select", lambda: table.index_select(0, index)
    yield "index_select out=", lambda: torch.index_select(table, 0, index, out=out)
    yield "x[i]", lambda: table[index]
    yield "x[i] = v", lambda: table.__setitem__(index, source)
    yield "x[i] = 3", lambda: table.__setitem__(index, 3)
    yield "index_put_ accumulate", lambda: table.index_put_((index,), source, accumulate=True)
    yield "index_add_ int32", lambda index=index.int(): table.index_add_(0, index, source)
    if row > 1:
        grad = torch.ops.aten.embedding_dense_backward
        yield "embedding_dense_backward", lambda: grad(source, index, rows, -1, False)
    half = torch.randint(0, max(1, rows // 64), (updates,), generator=generator)
    low = torch.randint(0, 64, (updates,), generator=generator)
    grid = values(max(1, rows // 64), 64, row) if row > 1 else values(max(1, rows // 64), 64)
    yield "x[i, j]", lambda: grid[half, low]
    yield "x[i, j] = v", lambda: grid.__setitem__((half, low), source)
    yield "index_put_ [i, j]", lambda: grid.index_put_((half, low), source, accumulate=True)
    mask = torch.rand(updates, generator=generator) < 0.5
    yield "x[mask]", lambda: source[mask]
    if row == 1:
        yield "take", lambda: table.take(index)
        yield "put_", lambda: table.put_(index, source)
        yield "put_ accumulate", lambda: table.put_(index, source, accumulate=True)
        side = max(1, int(elements**0.5))
        square, square_index = values(side, side), torch.randint(0, side, (side, side), generator=generator)
        square_source = values(side, side)
        for axis in (0, 1):
            yield f"scatter_add_ axis {axis} of 2", lambda axis=axis: square.scatter_add_(axis, square_index, square_source)
            yield f"scatter_ axis {axis} of 2", lambda axis=axis: square.scatter_(axis, square_index, square_source)
            yield f"gather axis {axis} of 2", lambda axis=axis: square.gather(axis, square_index)
            yield (
                f"scatter_reduce_ amax axis {axis} of 2",
                lambda axis=axis: square.scatter_reduce_(axis, square_index, square_source, "amax"),
            )


def seconds(call, repeats):
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats


def compare(call, least, shortest):
    """The times of PyTorch and of Strew: the least of five turns each."""
    found = [float("inf")] * 2
    repeats = [1, 1]
    for turn in range(7):
        for side in (0, 1):
            strew.torch.install(min_elements=None if least < 0 else least) if side else strew.torch.uninstall()
            took = seconds(call, repeats[side])
            if turn > 1:
                found[side] = min(found[side], took)
            elif turn == 0:
                took = seconds(call, 1)
                repeats[side] = max(1, int(shortest / took))
    strew.torch.uninstall()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", nargs="+", default=["float32"])
    parser.add_argument("--layout", default="contiguous")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--min-elements", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.004)
    parser.add_argument("--elements", type=int, nargs="+", default=[512, 8192, 131072, 2097152])
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 4, 16, 64])
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.use_deterministic_algorithms(given.deterministic)
    total = slow = 0
    for dtype, elements, row in itertools.product(given.dtype, given.elements, given.rows):
        if row > elements:
            continue
        for name, call in calls(elements, row, getattr(torch, dtype), given.layout):
            if given.only not in name:
                continue
            strew.torch.counts(reset=True)
            try:
                for _ in range(3 if given.slow else 1):
                    alone, on_strew = compare(call, given.least, given.seconds)
                    if alone / on_strew >= 0.95:
                        break
            except (RuntimeError, NotImplementedError):  # an operator that PyTorch has not for this type
                continue
            counts = strew.torch.counts(reset=True)
            left = " ".join(reason for count in counts.values() for reason in count.why)
            total += 1
            slow += alone / on_strew < 0.95
            if not given.slow or alone / on_strew < 0.95:
                print(
                    f"{name:28} {elements:9} by {row:5} {dtype} {given.threads} {given.layout}: "
                    f"{alone * 1e6:10.2f} {on_strew * 1e6:10.2f} us {alone / on_strew:6.2f} {left}",
                    flush=True,
                )
    print(f"{slow} of {total} below 0.95")


if __name__ == "__main__":
    main()

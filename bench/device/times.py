"""Times gathers and scatters on a device, in Strew, PyTorch, CuPy and JAX, and a copy.

Milliseconds are medians from the device's events; JAX, which reports no stream, is timed with the host's clock.
`of_copy` is the minimum traffic of the call divided by its time and by the bandwidth of a copy.
"""

import contextlib
import statistics
import time
import typing

import numpy as np
from calls import ATOMIC, WAITING, launched_again, peers, strews
from operands import OnHost, OnTorch, by_the_clock, places

HOT = 0.2  # seconds: calls that take longer are timed three times only
SMALL = [1, 100, 4096]


class Workload(typing.NamedTuple):
    kind: str  # "gather", "add", or "none" for a scatter without a reduction
    dtype: str
    row: int  # elements of a row
    rows: int
    count: int
    pattern: str

    @property
    def name(self):
        size = self.row * np.dtype({"bfloat16": "float16"}.get(self.dtype, self.dtype)).itemsize
        return f"{self.kind} {self.dtype} rows of {size} B, {self.pattern}, {self.rows} rows, {self.count} indices"

    def least_bytes(self, itemsize):
        row = self.row * itemsize
        touched = min(self.rows, self.count) * row
        moved = {"gather": self.count * row, "none": touched, "add": 2 * touched}[self.kind]
        return self.count * (row + 8) + moved


def table(width):
    """Return how many rows of `width` floats fill 8 GiB."""
    return (1 << 33) // (4 * width)


WORKLOADS = [
    Workload("gather", "float32", 16, table(16), 1 << 25, "uniform"),
    Workload("gather", "float32", 64, table(64), 1 << 24, "uniform"),
    Workload("gather", "float32", 64, table(64), 1 << 24, "zipf"),
    Workload("gather", "float32", 1024, table(1024), 1 << 20, "uniform"),
    Workload("gather", "float32", 1, 1 << 29, 1 << 27, "uniform"),
    Workload("add", "float32", 64, 1 << 20, 1 << 24, "uniform"),
    Workload("add", "float32", 64, 1 << 20, 1 << 24, "zipf"),
    Workload("add", "float32", 64, 1 << 20, 1 << 24, "sorted"),
    Workload("add", "float32", 64, 1 << 16, 1 << 24, "uniform"),
    Workload("add", "float32", 128, 1_720_000, 7_770_000, "half hot"),
    Workload("add", "bfloat16", 128, 1_720_000, 7_770_000, "half hot"),
    Workload("add", "float32", 1, 1 << 24, 1 << 26, "uniform"),
    Workload("add", "float32", 1, 1 << 24, 1 << 26, "zipf"),
    Workload("add", "float32", 1, 1 << 24, 1 << 23, "one"),
    Workload("add", "int32", 1, 1 << 24, 1 << 26, "uniform"),
    Workload("none", "float32", 64, 1 << 20, 1 << 24, "uniform"),
    Workload("none", "float32", 1, 1 << 24, 1 << 26, "uniform"),
]
WORKLOADS = {workload.name: workload for workload in WORKLOADS}


def timed(maker, call, most):
    """Return the median in milliseconds, and the relative spread of the times without the two extremes."""
    maker.synchronize()
    begin = time.perf_counter()
    call()
    maker.synchronize()
    rounds = 3 if time.perf_counter() - begin > HOT else most
    taken = sorted(maker.milliseconds(call) for _ in range(rounds))
    median = statistics.median(taken)
    return median, (taken[-2] - taken[1]) / median if rounds > 3 else 0.0


def copy_ceiling(maker, torch, tiny):
    """Return the bytes per second that a copy on the device reads and writes, or any number on the host."""
    if tiny:
        return 1e9
    begin = torch.randn(1 << 30, **maker.place)
    end = torch.empty_like(begin)
    milliseconds, _ = timed(maker, lambda: end.copy_(begin), 15)
    return 2 * begin.nbytes / milliseconds * 1e3


def tiny_one(workload):
    return workload._replace(rows=min(workload.rows, 37), count=min(workload.count, 90))


def measure_workload(maker, torch, workload, ceiling):
    import strew.cuda

    data = maker.numbers((workload.rows, workload.row), workload.dtype)
    at = places(maker, workload.pattern, workload.rows, workload.count)
    updates = maker.numbers((workload.count, workload.row), workload.dtype)
    tuples = maker.lent(at[:, None])
    calls = strews(workload, data, maker.lent(at), tuples, updates) | peers(torch, workload, (data, at, updates))
    least = workload.least_bytes(data.dtype.itemsize)
    rows = []
    for who, call in calls.items():
        row = {"workload": workload.name, "who": who}
        try:
            if who.startswith("jax"):
                call()
                row["ms"], row["spread"] = statistics.median(by_the_clock(call) for _ in range(7)), 0.0
            else:
                with contextlib.nullcontext() if who == WAITING else strew.cuda.deferred():
                    row["ms"], row["spread"] = timed(maker, call, 15)
            row["gb_per_s"] = least / row["ms"] / 1e6
            row["of_copy"] = row["gb_per_s"] * 1e9 / ceiling
        except Exception as error:  # the peer failed
            if who.startswith("strew"):
                raise
            row["cannot"] = f"{type(error).__name__}: {error}"[:200]
        rows.append(row)
    return rows


def small_calls(maker, torch, tiny):
    """Return the microseconds of calls with few updates, until the device is done, from the host's clock."""
    import strew

    rows = []
    for count in SMALL:
        data, updates = maker.numbers((1000, 8), "float32"), maker.numbers((count, 8), "float32")
        at = places(maker, "uniform", 1000, count)
        tuples = maker.lent(at[:, None])
        calls = {"strew": lambda: strew.scatter_nd(data, tuples, updates, "add", out=data)}  # noqa: B023
        if torch:
            calls[ATOMIC] = lambda: (data.index_add_(0, at, updates), torch.cuda.synchronize())  # noqa: B023
            try:
                calls["strew, a graph launched again"] = launched_again(torch, data, tuples, updates)
            except Exception as error:  # the row is omitted
                print(f"  no graph: {type(error).__name__}: {error}"[:200], flush=True)
        for who, call in calls.items():
            call()
            taken = statistics.median(by_the_clock(call) for _ in range(5 if tiny else 200))
            name = f"add of {count} {'row' if count == 1 else 'rows'} of 32 B"
            rows.append({"workload": name, "who": who, "microseconds": taken * 1e3})
    return rows


def show(rows, tiny):
    for row in rows:
        if "cannot" in row:
            print(f"    {row['who']:44} {row['cannot']}")
        elif tiny:
            print(f"    {row['who']:44} ran")
        else:
            print(f"    {row['who']:44} {row['ms']:10.3f} ms {row['of_copy']:7.0%} of a copy, spread {row['spread']:.0%}")


def measure(machine, left, names, keep):
    """Measure workloads, and keep all figures after each."""
    torch = None
    if not machine.tiny:
        try:
            import torch
        except ImportError:
            return {"left_out": "PyTorch, which makes the arrays and is a peer, is not installed"}
    import strew

    begin, maker = time.monotonic(), OnTorch(torch) if torch else OnHost(machine)
    strew.set_scratch_limit(1 << 36)
    ceiling = copy_ceiling(maker, torch, machine.tiny)
    found = {"rows": [], "not_measured": list(names), "copy_gb_per_s": ceiling / 1e9}
    found["small"] = small_calls(maker, torch, machine.tiny)
    for name in names:
        keep(found)
        if time.monotonic() - begin > left:
            break
        workload = tiny_one(WORKLOADS[name]) if machine.tiny else WORKLOADS[name]
        print(f"  {workload.name}", flush=True)
        rows = measure_workload(maker, torch, workload, ceiling)
        show(rows, machine.tiny)
        found["rows"] += rows
        found["not_measured"].remove(name)
        if torch:
            torch.cuda.empty_cache()
    if machine.tiny:
        return found | {"said": f"{len(found['rows'])} calls ran in tiny sizes; their times mean nothing"}
    return found | {"said": f"{len(found['rows'])} times; a copy moves {ceiling / 1e9:.0f} GB/s"}

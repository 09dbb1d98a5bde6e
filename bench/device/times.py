"""Times gathers and scatters on a device, beside PyTorch, CuPy, JAX and a copy.

Milliseconds are medians by the device's events; JAX, which reports no stream, is timed by the host's clock.
`of_copy` is the minimum traffic of the call divided by its time and by the bandwidth of a copy.
"""

import contextlib
import fnmatch
import os
import statistics
import time
import typing

import numpy as np

HOT = 0.2  # seconds: calls that take longer are timed three times only
DETERMINISTIC = "torch index_add_, deterministic"
ATOMIC = "torch index_add_"
KEPT = "strew, kept indices"
WAITING = "strew, waiting"


class Workload(typing.NamedTuple):
    kind: str  # "gather", "add", or "none" for a scatter without a reduction
    dtype: str
    row: int  # elements of a row
    rows: int
    count: int
    pattern: str
    demand: dict = {}  # peer -> minimum ratio of its time to Strew's; "copy", "kept" -> minimum `of_copy`

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
    """Return how many rows of `width` floats have 8 GiB."""
    return (1 << 33) // (4 * width)


AGAINST_BOTH = {DETERMINISTIC: 3.0, ATOMIC: 1.0}
WORKLOADS = [
    Workload("gather", "float32", 16, table(16), 1 << 25, "uniform"),
    Workload("gather", "float32", 64, table(64), 1 << 24, "uniform", {"copy": 0.8}),
    Workload("gather", "float32", 64, table(64), 1 << 24, "zipf", {"copy": 0.8}),
    Workload("gather", "float32", 1024, table(1024), 1 << 20, "uniform", {"copy": 0.8}),
    Workload("gather", "float32", 1, 1 << 29, 1 << 27, "uniform"),
    Workload("add", "float32", 64, 1 << 20, 1 << 24, "uniform", AGAINST_BOTH | {"kept": 0.85}),
    Workload("add", "float32", 64, 1 << 20, 1 << 24, "zipf", AGAINST_BOTH),
    Workload("add", "float32", 64, 1 << 20, 1 << 24, "sorted", AGAINST_BOTH),
    Workload("add", "float32", 64, 1 << 16, 1 << 24, "uniform", {DETERMINISTIC: 3.0, ATOMIC: 0.6}),
    Workload("add", "float32", 128, 1_720_000, 7_770_000, "half hot", {DETERMINISTIC: 5.0, ATOMIC: 1.0}),
    Workload("add", "bfloat16", 128, 1_720_000, 7_770_000, "half hot", {DETERMINISTIC: 5.0, ATOMIC: 1.0}),
    Workload("add", "float32", 1, 1 << 24, 1 << 26, "uniform", {DETERMINISTIC: 3.0, ATOMIC: 0.7}),
    Workload("add", "float32", 1, 1 << 24, 1 << 26, "zipf", {DETERMINISTIC: 3.0, ATOMIC: 0.7}),
    Workload("add", "float32", 1, 1 << 24, 1 << 23, "one", {ATOMIC: 1.0}),
    Workload("add", "int32", 1, 1 << 24, 1 << 26, "uniform", {ATOMIC: 0.7}),
    Workload("none", "float32", 64, 1 << 20, 1 << 24, "uniform", {"torch index_put_, deterministic": 3.0}),
    Workload("none", "float32", 1, 1 << 24, 1 << 26, "uniform", {"torch index_put_, deterministic": 3.0}),
]
SMALL = [1, 100, 4096]


class OnTorch:
    """Makes arrays and measures times with PyTorch."""

    def __init__(self, torch):
        self.torch, self.place = torch, {"device": "cuda"}
        torch.manual_seed(20261122)

    def fractions(self, count):
        return self.torch.rand(count, dtype=self.torch.float64, **self.place)

    def whole(self, values):
        return values.to(self.torch.int64)

    def sort(self, values):
        return values.sort().values

    def numbers(self, shape, dtype):
        dtype = getattr(self.torch, dtype)
        if dtype.is_floating_point:
            return self.torch.randn(shape, **self.place).to(dtype)
        return self.torch.randint(-9, 9, shape, dtype=dtype, **self.place)

    def lent(self, values):
        return values

    def milliseconds(self, call):
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(2)]
        events[0].record()
        call()
        events[1].record()
        events[1].synchronize()
        return events[0].elapsed_time(events[1])

    def synchronize(self):
        self.torch.cuda.synchronize()


class OnHost:
    """Makes arrays and measures times on the host, for tests; the times mean nothing."""

    def __init__(self, machine):
        self.machine, self.rng = machine, np.random.default_rng(20261122)
        self.milliseconds, self.synchronize = machine.milliseconds, machine.synchronize

    def fractions(self, count):
        return self.rng.random(count)

    def whole(self, values):
        return values.astype(np.int64)

    def sort(self, values):
        return np.sort(values)

    def numbers(self, shape, dtype):
        dtype = "float16" if dtype == "bfloat16" else dtype  # NumPy lacks bfloat16; float16 has its size
        return self.machine.array((self.rng.standard_normal(shape) * 9).astype(dtype))

    def lent(self, values):
        return self.machine.array(values)


def places(maker, pattern, rows, count):
    uniform = maker.whole(maker.fractions(count) * rows)
    match pattern:
        case "sorted":
            return maker.sort(uniform)
        case "zipf":  # the n-th most frequent row, at a random position, occurs 1/n times as often as the first
            rank = maker.whole(rows ** maker.fractions(count)) - 1
            return rank * 2654435761 % rows
        case "half hot":
            return uniform * maker.whole(maker.fractions(count) < 0.5)
        case "one":
            return uniform * 0
    return uniform


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


def by_the_clock(call):
    begin = time.perf_counter()
    call()
    return (time.perf_counter() - begin) * 1e3


def strews(workload, data, at, tuples, updates):
    """Return Strew's variants of the call; a scatter writes in place."""
    import strew

    def call():
        if workload.kind == "gather":
            return strew.gather(data, at, out=updates)
        reduction = "none" if workload.kind == "none" else "add"
        return strew.scatter_nd(data, tuples, updates, reduction, out=data)

    calls = {"strew": call, WAITING: call}
    if workload.kind == "gather":  # a gather into a new output checks indices during the copy
        calls["strew, a new result"] = lambda: strew.gather(data, at)
    if workload.kind == "add":
        edges = strew.check_indices(strew.scatter_nd, data, tuples, updates, "add")
        calls[KEPT] = lambda: strew.scatter_nd(data, edges, updates, "add", out=data)
    return calls


def deterministic(torch, call):
    def run():
        torch.use_deterministic_algorithms(True)
        try:
            call()
        finally:
            torch.use_deterministic_algorithms(False)

    return run


def torchs(torch, workload, data, at, updates):
    wide = at[:, None].expand(-1, workload.row)
    if workload.kind == "gather":
        return {
            "torch index_select": lambda: torch.index_select(data, 0, at, out=updates),
            "torch gather": lambda: torch.gather(data, 0, wide, out=updates),
        }
    if workload.kind == "none":
        put = lambda: data.index_put_((at,), updates)  # noqa: E731
        return {
            "torch index_copy_, any of equal ones": lambda: data.index_copy_(0, at, updates),
            "torch index_put_, deterministic": deterministic(torch, put),
        }
    add = lambda: data.index_add_(0, at, updates)  # noqa: E731
    return {
        ATOMIC: add,
        "torch scatter_add_": lambda: data.scatter_add_(0, wide, updates),
        DETERMINISTIC: deterministic(torch, add),
        "torch index_put_": lambda: data.index_put_((at,), updates, accumulate=True),
    }


def cupys(workload, data, at, updates):
    import cupy

    if workload.dtype == "bfloat16":
        return {}
    data, at, updates = map(cupy.asarray, (data, at, updates))
    if workload.kind == "gather":
        return {"cupy take": lambda: cupy.take(data, at, 0, out=updates)}
    if workload.kind == "none":
        return {"cupy data[at] = updates, any of equal ones": lambda: data.__setitem__(at, updates)}
    return {"cupy add.at": lambda: cupy.add.at(data, at, updates)}


def jaxs(workload, data, at, updates):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    data, at, updates = (jax.dlpack.from_dlpack(array) for array in (data, at, updates))
    calls = {
        "gather": lambda data, at, updates: data.take(at, 0),
        "none": lambda data, at, updates: data.at[at].set(updates),
        "add": lambda data, at, updates: data.at[at].add(updates),
    }
    compiled = jax.jit(calls[workload.kind])
    return {f"jax {workload.kind}, a new result": lambda: compiled(data, at, updates).block_until_ready()}


def peers(torch, workload, operands):
    """Return the calls of installed peers by name, and print why a peer failed."""
    found = dict(torchs(torch, workload, *operands)) if torch else {}
    for library, make in (("cupy", cupys), ("jax", jaxs)) if torch else ():
        try:
            found |= make(workload, *operands)
        except ImportError:
            continue
        except Exception as error:
            print(f"  {library}: {type(error).__name__}: {error}"[:200], flush=True)
    return found


def copy_ceiling(maker, torch, tiny):
    """Return the bytes per second that a copy on the device reads and writes, or any number on the host."""
    if tiny:
        return 1e9
    begin = torch.randn(1 << 30, **maker.place)
    end = torch.empty_like(begin)
    milliseconds, _ = timed(maker, lambda: end.copy_(begin), 15)
    return 2 * begin.nbytes / milliseconds * 1e3


def met(workload, rows):
    """Return requirement -> whether it is met, without requirements that name a missing peer."""
    found = {row["who"]: row for row in rows}
    ours = found["strew"]
    verdict = {}
    for who, factor in workload.demand.items():
        if who == "copy":
            verdict[f"{factor:.0%} of a copy"] = ours["of_copy"] >= factor
        elif who == "kept":
            verdict[f"{factor:.0%} of a copy with kept indices"] = found[KEPT]["of_copy"] >= factor
        elif "ms" in found.get(who, {}):
            verdict[f"{factor} times as fast as {who}"] = found[who]["ms"] / ours["ms"] >= factor
    return verdict


def tiny_one(workload):
    return workload._replace(rows=min(workload.rows, 37), count=min(workload.count, 90), demand={})


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
    return rows, met(workload, rows)


def launched_again(torch, data, tuples, updates):
    """Return a function that launches a graph with the captured call and waits for its end."""
    import strew
    import strew.cuda

    graph = torch.cuda.CUDAGraph()
    strew.scatter_nd(data, tuples, updates, "add", out=data)  # loads the kernels
    with torch.cuda.graph(graph), strew.cuda.deferred() as later:
        strew.scatter_nd(data, tuples, updates, "add", out=data)
    return lambda: (graph.replay(), torch.cuda.synchronize(), later)


def small_calls(maker, torch, tiny):
    """Return the microseconds of calls with few updates, until the device is done, by the host's clock."""
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
            rows.append({"workload": f"add of {count} rows of 32 B", "who": who, "microseconds": taken * 1e3})
    return rows


def show(rows, verdict, tiny):
    for row in rows:
        if "cannot" in row:
            print(f"    {row['who']:44} {row['cannot']}")
        elif tiny:
            print(f"    {row['who']:44} ran")
        else:
            print(f"    {row['who']:44} {row['ms']:10.3f} ms {row['of_copy']:7.0%} of a copy, spread {row['spread']:.0%}")
    for demand, holds in verdict.items():
        print(f"    {'reached' if holds else 'MISSED'}: {demand}", flush=True)


def measure(machine, left, patterns=("*",)):
    """Measure the workloads whose names match a pattern, in the order of the patterns."""
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None and not machine.tiny:
        return {"left_out": "PyTorch, which makes the arrays and is a peer, is not installed"}
    torch = None if machine.tiny else torch
    maker = OnTorch(torch) if torch else OnHost(machine)
    import strew

    begin = time.monotonic()
    strew.set_scratch_limit(1 << 36)
    found = {"rows": [], "demands": {}, "not_measured": []}
    ceiling = copy_ceiling(maker, torch, machine.tiny)
    found["copy_gb_per_s"] = ceiling / 1e9
    found["small"] = small_calls(maker, torch, machine.tiny)
    chosen = {w.name: w for pattern in patterns for w in WORKLOADS if fnmatch.fnmatch(w.name, pattern)}.values()
    for workload in map(tiny_one, chosen) if machine.tiny else chosen:
        if time.monotonic() - begin > left:
            found["not_measured"].append(workload.name)
            continue
        print(f"  {workload.name}", flush=True)
        rows, verdict = measure_workload(maker, torch, workload, ceiling)
        show(rows, verdict, machine.tiny)
        found["rows"] += rows
        found["demands"][workload.name] = verdict
        if torch:
            torch.cuda.empty_cache()
    if machine.tiny:
        return found | {"said": f"{len(found['rows'])} calls ran in tiny sizes; their times mean nothing"}
    missed = sum(not holds for verdict in found["demands"].values() for holds in verdict.values())
    found["said"] = f"{len(found['rows'])} times; a copy moves {ceiling / 1e9:.0f} GB/s; {missed} demands were missed"
    return found

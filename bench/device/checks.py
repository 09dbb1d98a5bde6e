"""Checks that a device gives the CPU's bits and error messages, and that compute-sanitizer finds no errors."""

import pathlib
import re
import shutil
import subprocess
import sys
import time

import memory
import numpy as np

REDUCTIONS = ["none", "add", "mul", "max", "min", "sub", "div", "mean"]
TYPES = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint32", "bool", "complex64", "complex128"]


class Wrong(Exception):
    """Raised if the device's result differs from the CPU's."""


def same(wanted, got, what):
    if (got.shape, got.dtype) != (wanted.shape, wanted.dtype):
        raise Wrong(f"{what}: the CPU returns {wanted.dtype} {wanted.shape}, the device returns {got.dtype} {got.shape}")
    expected, found = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (wanted, got))
    if not np.array_equal(expected, found):
        differ = np.flatnonzero(expected != found)
        raise Wrong(f"{what}: the bits differ from the CPU's, first in byte {differ[0]}, in {len(differ)} bytes")


def halves():
    """Return the types float16 and, if ml_dtypes is installed, bfloat16, by name."""
    try:
        import ml_dtypes
    except ImportError:
        return {"float16": np.dtype("float16")}
    return {"float16": np.dtype("float16"), "bfloat16": np.dtype(ml_dtypes.bfloat16)}


def pairs(machine, left):
    """Check sum, product, max and min of all 2^32 pairs of values of each 16-bit type, in rows and one by one."""
    import strew

    begin, done = time.monotonic(), 0
    every = np.arange(1 << 16, dtype=np.uint16)
    chunk = 2 if machine.tiny else 1024
    firsts = every[[0, 1, 0x7C00, 0xFFFF]] if machine.tiny else every
    for name, dtype in halves().items():
        seconds = every[::997] if machine.tiny else every
        updates = np.broadcast_to(seconds.view(dtype), (chunk, len(seconds)))
        on_device = machine.array(updates), machine.array(np.arange(chunk)[:, None])
        for start in range(0, len(firsts), chunk):
            data = np.repeat(firsts[start : start + chunk, None].view(dtype), len(seconds), axis=1)
            for reduction in ("add", "mul", "max", "min"):
                if time.monotonic() - begin > min(left, 150):
                    return {"left_out": f"out of time after {done} pairs, all with the CPU's bits", "pairs": done}
                wanted = strew.scatter_nd(data, np.arange(chunk)[:, None], updates, reduction)
                got = machine.array(data)
                strew.scatter_nd(lent(got, dtype), on_device[1], lent(on_device[0], dtype), reduction, out=lent(got, dtype))
                same(wanted, got.fetch(), f"{name} {reduction}, first operands from {start}")
                done += wanted.size
    return {"said": f"{done} pairs have the CPU's bits", "pairs": done, "types": list(halves())}


class Lent:
    """Presents an array as bfloat16 through DLPack, because `__cuda_array_interface__` cannot name this type."""

    def __init__(self, array, dtype):
        self.array, self.dtype = array, dtype
        self.shape, self.device = array.shape, array.machine

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None):
        import dlpack

        return dlpack.capsule(self.array.address, self.shape, self.dtype)

    def __array_namespace__(self):
        return self.array.__array_namespace__()


def lent(array, dtype):
    return array if dtype.kind != "V" else Lent(array, dtype)


def draw(rng, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iub":
        return rng.integers(0, 2 if dtype == bool else 100, shape).astype(dtype)
    values = rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 6, shape)
    values = np.where(rng.random(shape) < 0.01, rng.choice([np.inf, -np.inf, np.nan, -0.0], shape), values)
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def places(rng, rows, count):
    kind = rng.choice(["uniform", "hot", "one", "sorted"])
    at = rng.integers(-rows, rows, count)
    if kind == "hot":
        at[rng.random(count) < 0.5] = rng.integers(0, rows)
    return {"one": np.full(count, rows - 1), "sorted": np.sort(at)}.get(kind, at)


def random_call(rng, largest):
    """Return an operator's name, its operands and its attributes."""
    dtype = rng.choice(TYPES)
    rows, row, count = int(rng.integers(1, largest)), int(rng.choice([1, 2, 3, 8, 33, 64])), int(rng.integers(1, largest))
    data = draw(rng, (rows, row), dtype)
    at = places(rng, rows, count).astype(rng.choice(["int32", "int64"]))
    name = rng.choice(["gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter"])
    if name == "tensor_scatter":
        return tensor_scatter_call(rng, dtype, rows, row)
    reductions = REDUCTIONS if np.dtype(dtype).kind == "f" else REDUCTIONS[:5] if dtype != "bool" else ["none", "max"]
    how = {"reduction": str(rng.choice(reductions))} if name.startswith("scatter") else {}
    if rng.random() < 0.2:
        at = at + np.array(rng.integers(0, rows + 1), at.dtype)
        how["out_of_bounds"] = str(rng.choice(["clip", "wrap", "fill" if name.startswith("gather") else "drop"]))
    if name == "gather":
        return name, [data, at], how
    if name == "gather_nd":
        return name, [data, np.stack([at, rng.integers(0, row, count).astype(at.dtype)], 1)], how
    if name == "scatter_nd":
        return name, [data, at[:, None], draw(rng, (count, row), dtype)], how
    at = np.ascontiguousarray(np.broadcast_to(at[:, None], (count, row)))
    return name, [data, at, *([draw(rng, at.shape, dtype)] if how.get("reduction") else [])], how


def tensor_scatter_call(rng, dtype, rows, row):
    batch, mode = int(rng.integers(1, 5)), str(rng.choice(["linear", "circular"]))
    length = int(rng.integers(1, rows + 1))
    cache, update = draw(rng, (batch, rows, row), dtype), draw(rng, (batch, length, row), dtype)
    return "tensor_scatter", [cache, update, rng.integers(0, rows - length + 1, batch)], {"mode": mode}


def outcome(call):
    try:
        return call()
    except (IndexError, TypeError, ValueError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"


def compare(call, put, fetch, what):
    """Compare a call's result or error with the CPU's, on arrays that `put` makes and `fetch` reads."""
    import strew

    name, operands, how = call
    wanted = outcome(lambda: getattr(strew, name)(*operands, **how))
    got = outcome(lambda: fetch(getattr(strew, name)(*map(put, operands), **how)))
    what = f"{what}, {name} {how} of {[(o.dtype.name, o.shape) for o in operands]}"
    if not (isinstance(wanted, str) or isinstance(got, str)):
        same(wanted, got, what)
    elif not (isinstance(wanted, str) and isinstance(got, str) and wanted == got):
        raise Wrong(f"{what}: the CPU says {wanted!r}, the device says {got!r}"[:1000])


def random_calls(machine, left):
    """Compare random calls with many shapes, types and patterns of indices on the CPU and the device."""
    rng, begin, done = np.random.default_rng(20261122), time.monotonic(), 0
    cases, budget = (60, 20) if machine.tiny else (4000, min(left, 60))
    while done < cases and time.monotonic() - begin < budget:
        call = random_call(rng, 40 if machine.tiny or done % 4 else 60000)
        compare(call, machine.array, memory.Array.fetch, f"case {done}")
        done += 1
    return {"said": f"{done} random calls have the CPU's bits and errors", "calls": done}


def refusals(machine, left):
    """Check that a bad index gives the CPU's message, at once or deferred, and no write, and that later calls work."""
    import strew
    import strew.cuda

    rng = np.random.default_rng(1)
    rows, count = (50, 300) if machine.tiny else (50_000, 3_000_000)
    data, updates = draw(rng, (rows, 4), "float32"), draw(rng, (count, 4), "float32")
    good = rng.integers(0, rows, (count, 1))
    bad = good.copy()
    bad[count // 2], bad[count // 3] = rows, -rows - 1
    wanted = outcome(lambda: strew.scatter_nd(data, bad, updates, "add"))
    target, more = machine.array(data), machine.array(updates)
    indices = {"bad": machine.array(bad), "good": machine.array(good)}
    for reduction in ("none", "add", "max"):
        said = outcome(lambda: strew.scatter_nd(target, indices["bad"], more, reduction, out=target))
        if said != wanted:
            raise Wrong(f"{reduction}: the CPU says {wanted!r}, the device says {said!r}")
        same(data, target.fetch(), f"{reduction} after a refusal")
    with strew.cuda.deferred() as later:
        strew.scatter_nd(target, indices["bad"], more, "add", out=target)
        said = outcome(later.wait)
    if said != wanted:
        raise Wrong(f"deferred: the CPU says {wanted!r}, the device says {said!r}")
    same(data, target.fetch(), "after a deferred refusal")
    strew.scatter_nd(target, indices["good"], more, "add", out=target)
    same(strew.scatter_nd(data, good, updates, "add"), target.fetch(), "a good call after refusals")
    return {"said": f"the CPU's error, nothing written, and later calls work: {wanted}"}


def sanitizer(machine, folder, left):
    """Run the small cases under each tool of compute-sanitizer."""
    tool = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    command = [sys.executable, str(folder / "small.py")]
    if machine.tiny:
        subprocess.run([*command, str(machine.library)], check=True, capture_output=True)
        return {"left_out": "the host has no compute-sanitizer; the small cases ran without it"}
    if tool is None:
        return {"left_out": "compute-sanitizer was not found"}
    found, begin = {}, time.monotonic()
    for name in ("memcheck", "racecheck", "initcheck", "synccheck"):
        remaining = min(left, 120) - (time.monotonic() - begin)
        if remaining < 5:
            found[name] = "out of time"
            continue
        asked = [tool, "--tool", name, *command]
        try:
            done = subprocess.run(asked, capture_output=True, text=True, timeout=remaining)
        except subprocess.TimeoutExpired:
            found[name] = "out of time"
            continue
        summary = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", done.stdout)
        found[name] = summary[1] if summary else f"no summary; it ended with {done.returncode}"
        errors = re.match(r"(\d+)", found[name])
        if errors is None or errors[1] != "0" or done.returncode != 0:
            pathlib.Path(f"{name}.log").write_text(done.stdout + done.stderr)
            raise Wrong(f"{name}: {found[name]}; {name}.log has the whole output")
    return {"said": "; ".join(f"{name}: {said}" for name, said in found.items()), "tools": found}

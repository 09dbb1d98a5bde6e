"""The cases of sweep.py: panels of a heat map, each a grid of two parameters."""

import zlib
from typing import NamedTuple

import ml_dtypes
import numpy as np
from workloads import power_law_ranks


class Case(NamedTuple):
    panel: str
    y: str
    x: str
    op: str
    shape: tuple
    index_shape: tuple
    attributes: dict
    dtype: str = "float32"
    pattern: str = "uniform"
    index_dtype: str = "int64"
    mode: str = "kept"

    @property
    def name(self):
        extra = " ".join(f"{key}={value}" for key, value in self.attributes.items() if key != "mode")
        data = f"{self.dtype}{list(self.shape)}".replace(" ", "")
        indices = f"{self.index_dtype}{list(self.index_shape)}".replace(" ", "")
        mode = "" if self.mode == "kept" else self.mode
        parts = (self.op, data, indices, extra, self.pattern, mode)
        return " ".join(part for part in parts if part)


BYTES = {"4 KiB": 1 << 12, "64 KiB": 1 << 16, "1 MiB": 1 << 20, "16 MiB": 1 << 24, "256 MiB": 1 << 28, "4 GiB": 1 << 32}
PATTERNS = ("uniform", "sorted", "runs", "skewed", "equal", "permutation")
BY_WIDTH = {1: "uint8", 2: "float16", 4: "float32", 8: "float64", 16: "complex128"}
REDUCED = ("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64")
AXIS0 = {"axis": 0}


def size_text(number):
    return f"{number}" if number < 1024 else f"{number >> 10}Ki" if number < 1 << 20 else f"{number >> 20}Mi"


def gather(panel, y, x, rows, row, count, **more):
    return Case(panel, y, x, "Gather", (rows, row) if row > 1 else (rows,), (count,), AXIS0, **more)


def scatter_nd(panel, y, x, rows, row, count, reduction, **more):
    shape = (rows, row) if row > 1 else (rows,)
    return Case(panel, y, x, "ScatterND", shape, (count, 1), {"reduction": reduction}, **more)


def gather_rows():
    for row in (1, 4, 16, 64, 256, 1024, 4096):
        for table, size in BYTES.items():
            if size >= 4 * row and (size < 1 << 32 or row in (1, 64, 1024)):
                yield gather("Gather: row elements, table", size_text(row), table, size // 4 // row, row, (1 << 22) // row)


def scatter_rows():
    for reduction in ("none", "add"):
        for row in (1, 4, 16, 64, 256, 1024, 4096):
            for table, size in list(BYTES.items())[:5]:
                if size >= 4 * row:
                    y = f"{reduction} {size_text(row)}"
                    count = (1 << 20) // row
                    yield scatter_nd("ScatterND: row elements, table", y, table, size // 4 // row, row, count, reduction)


def widths():
    for width, dtype in BY_WIDTH.items():
        for table in ("64 KiB", "16 MiB", "256 MiB"):
            count = BYTES[table] // width
            x, panel, more = f"{width} B", "Element width", {"dtype": dtype}
            yield gather(panel, f"Gather {table}", x, count, 1, 1 << 21, **more)
            yield gather(panel, f"Gather rows of 16, {table}", x, count // 16, 16, 1 << 18, **more)
            yield scatter_nd(panel, f"ScatterND none {table}", x, count, 1, 1 << 20, "none", **more)
            side = 1024 if count >= 1 << 20 else 64
            shape, axis = (count // side, side), {"axis": 1}
            picked = (min(count // side, (1 << 22) // side), side // 2)
            yield Case(panel, f"GatherElements last {table}", x, "GatherElements", shape, picked, axis, **more)


def operators(panel, x, table, count, **more):
    """Return a case of each operator, with tables of about `table` floats and about `count` updates."""
    side = max(1, min(64, count // 16, table // 16))
    grid, picked = (max(1, table // side), side), (max(1, count // side), side)
    row_count, rows = max(1, count // 64), max(1, table // 64)
    add, none = {"axis": 0, "reduction": "add"}, {"axis": 0, "reduction": "none"}
    return [
        gather(panel, "Gather", x, table, 1, count, **more),
        gather(panel, "Gather rows of 64", x, rows, 64, row_count, **more),
        Case(panel, "GatherElements axis 0", x, "GatherElements", grid, picked, AXIS0, **more),
        Case(panel, "GatherND pairs", x, "GatherND", grid, (count, 2), {"batch_dims": 0}, **more),
        Case(panel, "ScatterElements add axis 0", x, "ScatterElements", grid, picked, add, **more),
        Case(panel, "ScatterElements none axis 0", x, "ScatterElements", grid, picked, none, **more),
        Case(panel, "ScatterElements add 1-D", x, "ScatterElements", (table,), (count,), add, **more),
        scatter_nd(panel, "ScatterND add", x, table, 1, count, "add", **more),
        scatter_nd(panel, "ScatterND none", x, table, 1, count, "none", **more),
        scatter_nd(panel, "ScatterND rows of 64 add", x, rows, 64, row_count, "add", **more),
    ]


def patterns():
    for size, table in (("64 MiB", 1 << 24), ("1 MiB", 1 << 18)):
        panel = f"Pattern of indices (tables of {size})"
        for pattern in PATTERNS:
            yield from operators(panel, pattern, table, 1 << 20, pattern=pattern)
        yield from operators(panel, "int32", table, 1 << 20, index_dtype="int32")


def counts():
    for power in range(0, 25, 2):
        yield from operators("Updates (tables of 4 MiB)", f"2^{power}", 1 << 20, 1 << power)
    for power in range(0, 21, 2):
        panel = "Updates in place (tables of 64 MiB)"
        cases = operators(panel, f"2^{power}", 1 << 24, 1 << power, mode="in_place")
        yield from (case for case in cases if case.y.startswith("Scatter"))


def axes():
    shapes = {"4 MiB": (128, 64, 128), "128 MiB": (512, 128, 512), "128 MiB flat": (8, 4096, 1024)}
    for size, shape in shapes.items():
        for axis, place in enumerate(("first", "middle", "last")):
            x = f"{place} {size}"
            scatters = [("ScatterElements", {"reduction": reduction}) for reduction in ("none", "add")]
            for op, attributes in (("Gather", {}), ("GatherElements", {}), *scatters):
                picked = list(shape)
                picked[axis] = max(1, shape[axis] // 2)
                index_shape = (picked[axis],) if op == "Gather" else tuple(picked)
                y = f"{op} {attributes.get('reduction', '')}".strip()
                yield Case("Axis", y, x, op, shape, index_shape, {"axis": axis} | attributes)


def reductions():
    for dtype in REDUCED:
        for reduction in ("none", "add", "mul", "max", "min"):
            for row, rows in ((1, 1 << 22), (64, 1 << 16)):
                y = f"rows of {row} {reduction}"
                yield scatter_nd("Reductions", y, dtype, rows, row, (1 << 20) // row, reduction, dtype=dtype)
            attributes = {"axis": 1, "reduction": reduction}
            shapes = (4096, 1024), (4096, 256)
            yield Case("Reductions", f"elements last {reduction}", dtype, "ScatterElements", *shapes, attributes, dtype)


def all_cases():
    makers = (gather_rows, scatter_rows, widths, patterns, counts, axes, reductions)
    return [case for maker in makers for case in maker()]


def values(random, dtype, shape):
    """Return non-zero values: a repeated random block, because large tables take long to fill."""
    if dtype == "bfloat16":
        return values(random, "float32", shape).astype(ml_dtypes.bfloat16)
    kind, count = np.dtype(dtype), int(np.prod(shape, dtype=np.int64))
    block = min(count, 1 << 20)
    if kind.kind in "iu":
        made = random.integers(1, 100, block).astype(kind)
    else:  # keeps long products finite
        made = (1 + 0.01 * (random.random(block) - 0.5)).astype(kind)
    return np.resize(made, count).reshape(shape)


def indices_of(random, case, extent, shape):
    chosen = places_of(random, case, extent, int(np.prod(shape)))
    if case.pattern == "sorted":
        chosen.sort()
    return chosen.astype(case.index_dtype).reshape(shape)


def places_of(random, case, extent, count):
    if case.pattern == "equal":
        return np.full(count, extent // 2)
    if case.pattern == "permutation":
        return np.resize(random.permutation(extent), count)
    if case.pattern == "runs":
        return np.repeat(random.integers(0, extent, count // 16 + 1), 16)[:count]
    if case.pattern == "skewed":
        return power_law_ranks(random, extent, count) * 0x9E3779B1 % extent
    return random.integers(0, extent, count)


def inputs_of(case):
    """Return the inputs in ONNX's order. Every call returns the same values."""
    random = np.random.default_rng(zlib.crc32(case.name.encode()))
    data = values(random, case.dtype, case.shape)
    if case.op in ("GatherND", "ScatterND"):
        parts = case.index_shape[-1]
        chosen = [indices_of(random, case, extent, case.index_shape[:-1]) for extent in case.shape[:parts]]
        indices = np.ascontiguousarray(np.stack(chosen, -1))
        update_shape = case.index_shape[:-1] + case.shape[parts:]
    else:
        indices = indices_of(random, case, case.shape[case.attributes["axis"]], case.index_shape)
        update_shape = case.index_shape
    if case.op.startswith("Gather"):
        return [data, indices]
    return [data, indices, values(random, case.dtype, update_shape)]

"""Generated cases: reproducible random shapes and values, and cases that are not among the numbered ones."""

import zlib

import numpy as np
from onnx import TensorProto

from .arrays import dtype_of
from .questions import FLOATS, MOVES, NUMBERS, empty
from .standard import TYPES_16

NAN, INF = float("nan"), float("inf")
SAMPLE = ("float32", "int64", "uint8", "string", "bool", "float16", "complex64")
NUMERIC = [name for name in TYPES_16 if name not in ("string", "bool", "complex64", "complex128")]


def random_of(*words):
    """Return a generator seeded with the words. NumPy promises that the sequence of RandomState never changes."""
    return np.random.RandomState(zlib.crc32("/".join(map(str, words)).encode()))


def integers(random, shape, low=0, high=100):
    return random.randint(low, high, shape).tolist() if 0 not in np.atleast_1d(shape) else empty(*shape)


def ask_equations(ask):
    """Adds random shapes and indices of either sign for every operator, with small numbers that fit every type."""
    for number in range(6):  # each round uses every sixth type
        random = random_of("equation", number)
        types, numeric = TYPES_16[number::6], tuple(NUMERIC[number::6])
        rank = 1 + number % 5
        shape = random.randint(1, 4, rank)
        axis = int(random.randint(-rank, rank))
        shape[axis] = size = 3 + number % 3
        chosen = integers(random, tuple(random.randint(1, 4, number % 3)), -size, size)
        data = integers(random, shape, 0, 10)
        ask.legal("equation", "Gather", f"random_{number}", data, chosen, types=types, axis=axis)
        smaller = [int(random.randint(1, n + 1)) for n in shape]
        smaller[axis] = int(random.randint(1, 6))
        places = integers(random, smaller, -size, size)
        ask.legal("equation", "GatherElements", f"random_{number}", data, places, types=types, axis=axis)
        updates = integers(random, smaller, 0, 10)
        for operator in ("Scatter", "ScatterElements"):
            ask.legal("equation", operator, f"random_{number}", data, unique_on_axis(random, smaller, axis, size),
                      integers(random, clipped(smaller, axis, size), 0, 10), types=types, axis=axis)  # fmt: skip
        for reduction in ("add", "mul", "max", "min"):
            ask.legal("duplicates-reduced", "ScatterElements", f"random_{number}_{reduction}", small(data), places,
                      small(updates), types=numeric, axis=axis, reduction=reduction)  # fmt: skip
        ask_tuples(ask, random, number, shape, data)


def small(values):
    """Return the literals modulo 4, whose products every type can represent."""
    return (np.asarray(values) % 4).tolist()


def clipped(shape, axis, size):
    """Return the shape, limited on the axis to `size`, the size of data."""
    return [min(n, size) if d == axis % len(shape) else n for d, n in enumerate(shape)]


def unique_on_axis(random, shape, axis, size):
    """Return indices without duplicates, some of them negative."""
    shape, axis = clipped(shape, axis, size), axis % len(shape)
    chosen = np.empty(shape, dtype=np.int64)
    for at in np.ndindex(*shape[:axis], *shape[axis + 1 :]):
        chosen[at[:axis] + (slice(None),) + at[axis:]] = random.permutation(size)[: shape[axis]]
    return np.where(random.rand(*shape) < 0.3, chosen - size, chosen).tolist()


def ask_tuples(ask, random, number, shape, data):
    """Adds GatherND with every tuple length and every batch_dims, and ScatterND with every tuple length."""
    rank, types, numeric = len(shape), TYPES_16[number::6], tuple(NUMERIC[number::6])
    for k in range(1, rank + 1):
        limits = np.array(shape[:k])
        many = int(random.randint(1, 5))
        flat = random.permutation(int(np.prod(limits)))[:many]
        places = np.stack(np.unravel_index(flat, limits), axis=-1)
        places = np.where(random.rand(*places.shape) < 0.3, places - limits, places).tolist()
        ask.legal("equation", "GatherND", f"random_{number}_k{k}", data, places, types=types)
        updates = integers(random, (len(places), *shape[k:]), 0, 10)
        ask.legal("equation", "ScatterND", f"random_{number}_k{k}", data, places, updates, types=types)
        twice = [*places, *places]
        for reduction in ("add", "mul", "max", "min"):
            ask.legal("duplicates-reduced", "ScatterND", f"random_{number}_k{k}_{reduction}", small(data), twice,
                      small([*updates, *updates]), types=numeric, reduction=reduction)  # fmt: skip
    for b in range(1, rank):
        batch = tuple(int(n) for n in shape[:b])
        k = int(random.randint(1, rank - b + 1))
        where = np.stack([random.randint(-n, n, (*batch, 2)) for n in shape[b : b + k]], axis=-1).tolist()
        ask.legal("batch-dims", "GatherND", f"random_{number}_b{b}", data, where, types=types, batch_dims=b)


def ask_caches(ask):
    """Adds TensorScatter with every rank from 2 to 5, every axis and both modes."""
    for rank in (2, 3, 4, 5):
        random = random_of("cache", rank)
        for axis in range(1, rank):
            shape = random.randint(1, 4, rank)
            shape[axis] = 4
            length = int(random.randint(1, 4))
            narrow = [length if d == axis else int(n) for d, n in enumerate(shape)]
            cache, update = integers(random, shape, 0, 8), integers(random, narrow, 0, 8)
            for mode, starts in (("linear", random.randint(0, 5 - length, shape[0])), ("circular", random.randint(0,
            9, shape[0]))):
                rule = "circular" if mode == "circular" else "equation"
                given = {"axis": axis - rank if random.rand() < 0.5 else axis, "mode": mode}
                ask.legal(rule, "TensorScatter", f"random_rank{rank}_axis{axis}_{mode}", cache, update, starts.tolist(),
                          types=MOVES if rank == 3 else ("float32", "int8", "bool"), **given)  # fmt: skip
    zeros = [[[0], [0], [0], [0]]]
    ask.legal("axis", "TensorScatter", "minus_one", [[0, 0]], [[5]], [1], types=MOVES, axis=-1)
    ask.legal("empty-data", "TensorScatter", "no_batch", empty(0, 4, 1), empty(0, 2, 1), empty(0))
    ask.legal("empty-data", "TensorScatter", "no_sequence", empty(2, 0, 1), empty(2, 0, 1), [0, 0], mode="circular")
    ask.refused("linear-bound", "TensorScatter", "second_of_two", [*zeros, *zeros], [[[1], [2]]] * 2, [0, 3])
    ask.refused("scalar-data", "TensorScatter", "scalar", 1, 1, [0])


def ask_opsets(ask):
    """Adds cases for every opset, which selects a version of each operator."""
    every = range(1, 29)
    data, indices, updates = [[1, 2], [3, 4]], [[1, 0]], [[5, 6]]
    ask.legal("opset", "Gather", "rows", data, indices, opsets=every)
    ask.legal("opset", "GatherElements", "columns", data, indices, opsets=every)
    ask.legal("opset", "GatherND", "element", data, indices, opsets=every)
    for operator in ("Scatter", "ScatterElements"):
        ask.legal("opset", operator, "columns", data, indices, updates, opsets=every)
    ask.legal("opset", "ScatterND", "element", data, indices, [5], opsets=every)
    ask.legal("opset", "TensorScatter", "first", [data], [[[5, 6]]], [1], opsets=every)
    for reduction in ("add", "mul", "max", "min"):
        ask.legal("opset", "ScatterElements", reduction, data, indices, updates, opsets=every, reduction=reduction)
        ask.legal("opset", "ScatterND", reduction, data, indices, [5], opsets=every, reduction=reduction)
    ask.legal("opset", "GatherND", "batch", data, [[1], [0]], opsets=every, batch_dims=1)
    ask.refused("attribute-unknown", "ScatterND", "reduction", [1, 2], [[0]], [1], since=(11, 13), reduction="add")
    ask.refused("attribute-unknown", "ScatterElements", "reduction", [1, 2], [0], [1], since=(11, 13), reduction="add")
    for reduction in ("max", "min"):
        ask.refused("reduction-name", "ScatterND", f"{reduction}_before_18", [1, 2], [[0]], [1], since=16,
                    reduction=reduction)  # fmt: skip
    for reduction in ("sum", "ADD", "", "mean", "prod"):
        ask.refused("reduction-name", "ScatterND", reduction or "empty", [1, 2], [[0]], [1], since=(16, 18),
                    reduction=reduction)  # fmt: skip
    ask.refused("bfloat16-from-13", "ScatterND", "bfloat16", [1, 2], [[0]], [1], dtype="bfloat16", since=11)
    ask.refused("bfloat16-from-13", "GatherND", "bfloat16", [1, 2], [[0]], dtype="bfloat16", since=(11, 12))
    ask.refused("bfloat16-from-13", "GatherElements", "bfloat16", [1, 2], [0], dtype="bfloat16", since=11)
    ask.legal("element-types", "TensorScatter", "every", [[[1], [1], [1]]], [[[1]]], [1], types=MOVES)


def ask_indices(ask):
    """Adds bad indices at the ends of ranges, duplicates, empty tensors, and bad ranks, axes and batch_dims."""
    for name, index in (("one_above", 3), ("one_below", -4), ("int32_max", 2**31 - 1)):
        ask.refused("index-range", "Gather", name, [1, 2, 3], [0, index, 1], indices="all")
        ask.refused("index-range", "GatherElements", name, [1, 2, 3], [0, index, 1], indices="all")
        ask.refused("index-range", "GatherND", name, [1, 2, 3], [[0], [index], [1]])
        ask.refused("index-range", "ScatterElements", name, [1, 2, 3], [0, index, 1], [7, 8, 9], indices="all")
        ask.refused("index-range", "Scatter", name, [1, 2, 3], [0, index, 1], [7, 8, 9], indices="all")
        ask.refused("index-range", "ScatterND", name, [1, 2, 3], [[0], [index], [1]], [7, 8, 9])
        if index != -4:
            ask.refused("index-range", "ScatterND", f"{name}_add", [1, 2, 3], [[0], [index]], [7, 8], reduction="add")
            ask.refused("index-range", "ScatterElements", f"{name}_add", [1, 2, 3], [0, index], [7, 8], reduction="add")
    for name, index in (("int64_max", 2**63 - 1), ("int64_min", -(2**63)), ("past_int32", 2**32 + 1)):
        ask.refused("index-range", "GatherND", name, [1, 2, 3], [[index]])
        ask.refused("index-range", "ScatterND", name, [1, 2, 3], [[index]], [7])
        ask.refused("index-range", "ScatterElements", name, [1, 2, 3], [index], [7])
        ask.refused("index-range", "Scatter", name, [1, 2, 3], [index], [7])
        ask.refused("index-range", "Gather", f"{name}_rows", [[1], [2], [3]], [index])
    ask.refused("index-range", "GatherND", "in_batch", [[[0, 1], [2, 3]]], [[2]], batch_dims=1)
    ask.refused("refused-whole", "GatherElements", "last_of_1000", [1, 2, 3], [*[1] * 999, 3], indices="all")
    ask.refused("refused-whole", "Gather", "last_of_1000", [1, 2, 3], [*[1] * 999, 3], indices="all")
    ask.refused("refused-whole", "GatherND", "last_of_1000", [1, 2, 3], [*[[1]] * 999, [3]])
    ask.refused("index-into-nothing", "GatherElements", "empty_axis", empty(0), [0], indices="all")
    ask.refused("index-into-nothing", "GatherND", "empty_axis", empty(0, 2), [[0]])
    ask.refused("index-into-nothing", "ScatterElements", "empty_axis", empty(0), [0], [1], indices="all")
    ask.refused("index-into-nothing", "Scatter", "empty_axis", empty(0), [0], [1], indices="all")
    ask.refused("index-of-empty-slice", "GatherND", "nothing_moves", empty(3, 0), [[3]])
    ask.legal("empty-data", "GatherND", "rows_of_nothing", empty(3, 0), [[2], [-3]], types=SAMPLE)
    ask.legal("empty-data", "GatherElements", "nothing", empty(2, 0), empty(1, 0), types=SAMPLE)
    ask.legal("off-axis-empty", "ScatterElements", "longer", [[0, 1, 2], [3, 4, 5]], empty(5, 0), empty(5, 0),
              types=SAMPLE, axis=1)  # fmt: skip
    ask.legal("off-axis-empty", "Scatter", "longer", [[0, 1, 2], [3, 4, 5]], empty(5, 0), empty(5, 0), types=SAMPLE,
              axis=1)  # fmt: skip
    rows = [[n, n + 1] for n in range(6)]
    ask.legal("duplicates-last-wins", "ScatterND", "rows", [[0, 0]] * 3, [[2], [0], [2], [-1], [0], [-3]], rows,
              types=MOVES)  # fmt: skip
    ask.legal("duplicates-last-wins", "ScatterND", "elements", [0, 0, 0], [[2], [0], [2], [2]], [1, 2, 3, 4],
              types=MOVES)  # fmt: skip
    ask.legal("duplicates-last-wins", "ScatterElements", "column", [[0], [0], [0]], [[2], [0], [2], [2]],
              [[1], [2], [3], [4]], types=MOVES)  # fmt: skip
    ask.legal("duplicates-aliased", "Scatter", "both_names", [1, 2, 3], [-1, 2], [8, 9], types=SAMPLE)
    for b, why in ((-1, "negative"), (-2, "negative"), (1, "equal to the ranks"), (5, "greater than the ranks")):
        ask.refused("batch-dims-range", "GatherND", f"b{b}", [1, 2, 3], [0], batch_dims=b, why=why)
    ask.refused("scalar-indices-refused", "GatherND", "scalar", [1, 2, 3], 0)
    ask.refused("scalar-data", "GatherND", "scalar", 1, [[0]])
    ask.refused("scalar-data", "GatherElements", "scalar", 1, 0)
    ask.refused("scalar-data", "ScatterElements", "scalar", 1, 0, 1)
    ask.refused("scalar-data", "Scatter", "scalar", 1, 0, 1)
    ask.refused("rank-equal", "ScatterElements", "indices", [[1, 2]], [0], [5])
    ask.refused("rank-equal", "Scatter", "indices", [[1, 2]], [0], [5])
    ask.legal("batch-empty", "GatherND", "no_batch", empty(0, 2, 3), empty(0, 2), types=SAMPLE, batch_dims=1)
    for value in (2**32, -(2**32), 2**63 - 1):
        ask.refused("axis-range", "GatherElements", f"axis_{value}", [[1, 2]], [[0, 0]], axis=value)
    ask.refused("axis-range", "GatherElements", "axis_rank", [[1, 2]], [[0, 0]], axis=2)
    ask.refused("axis-range", "GatherElements", "axis_below", [[1, 2]], [[0, 0]], axis=-3)


def ask_arithmetic(ask):
    """Adds reductions, some with results that the standard leaves open, for both operators that reduce."""
    for operator, shaped in (("ScatterElements", lambda i: i), ("ScatterND", lambda i: [[n] for n in i])):
        def one(rule, name, data, indices, updates, operator=operator, shaped=shaped, **given):
            ask.legal(rule, operator, name, data, shaped(indices), updates, **given)

        one("mul-multiplies", "six", [2, 3, 5], [0, 2, 0], [3, 4, 5], types=NUMBERS, reduction="mul",
            expect=[30, 3, 20])  # fmt: skip
        for reduction in ("add", "mul", "max", "min"):
            one("reduction", reduction, [4, 5, 6], [2, 0, 1], [3, 6, 5], types=NUMBERS, reduction=reduction)
            one("symbolic-shapes", reduction, [4, 5, 6], [2, 0, 1], [3, 6, 5], types=("float32", "int32"),
                symbolic=True, reduction=reduction)  # fmt: skip
        for reduction in ("max", "min"):
            one("signed-zero", reduction, [0.0, -0.0, 0.0, -0.0], [0, 1, 2, 3], [-0.0, 0.0, 0.0, -0.0], types=FLOATS,
                reduction=reduction)  # fmt: skip
            one("nan-in-max-and-min", f"{reduction}_first", [1, 1], [0, 0, 1, 1], [NAN, 2, 2, NAN], types=FLOATS,
                compare="values", reduction=reduction)  # fmt: skip
            one("infinities", f"{reduction}_of_both", [INF, -INF], [0, 1], [-INF, INF], types=FLOATS,
                reduction=reduction)  # fmt: skip
        one("nan-made", "add", [INF, 1, -INF], [0, 1, 2], [-INF, NAN, INF], types=FLOATS, compare="values",
            reduction="add")  # fmt: skip
        one("nan-made", "mul", [INF, 0, NAN], [0, 1, 2], [0, -INF, 0], types=FLOATS, compare="values", reduction="mul")
        one("infinities", "add", [INF, 1, -INF], [0, 1, 2], [1, INF, -INF], types=FLOATS, reduction="add")
        words = np.array([b"a", b"", "\u00e9".encode()], dtype=object)
        one("string-concatenation", "three", words, [0, 2, 0, 0], np.array([b"1", b"2", b"", b"4"], dtype=object),
            types=("string",), reduction="add")  # fmt: skip
        if operator == "ScatterND":
            for reduction in ("mul", "max", "min"):
                ask.refused("string-only-add", operator, reduction, words, [[0]], words[:1], dtype="string",
                            reduction=reduction)  # fmt: skip
        one("bool-reduction", "twice", [0, 1], [0, 0, 1, 1], [1, 0, 0, 1], types=("bool",), reduction="add")
        one("bool-reduction", "twice_and", [0, 1], [0, 0, 1, 1], [1, 0, 0, 1], types=("bool",), reduction="mul")
        for dtype, step in (("float16", 2.0**-11), ("bfloat16", 2.0**-8), ("float32", 2.0**-24)):
            one("rounded-each-step", "ties_to_even", [1, 1], [0, 0, 0, 1], [step, step, step, 3 * step], types=(dtype,),
                reduction="add")  # fmt: skip
            one("rounded-each-step", "many", [0.1], [0] * 50, [0.1 + 0.01 * n for n in range(50)], types=(dtype,),
                reduction="add")  # fmt: skip
        one("rounded-each-step", "overflow", [60000.0], [0, 0], [10000.0, -10000.0], types=("float16",),
            reduction="add")  # fmt: skip
        one("rounded-each-step", "subnormal", [2.0**-24], [0, 0], [0.5, 4.0], types=("float16",), reduction="mul")
        random = random_of("fold", operator)
        values = (random.rand(40) * 10.0 ** random.randint(-6, 7, 40)).tolist()
        one("left-fold", "forty", [0.1, 0.2], (random.randint(0, 2, 40)).tolist(), values, types=("float32", "float64"),
            reduction="add")  # fmt: skip


def ask_bits(ask):
    """Adds NaN payloads, signs of zero and strings with zero bytes, which must not change."""
    for dtype, width in (("float16", "uint16"), ("bfloat16", "uint16"), ("float32", "uint32"), ("float64", "uint64")):
        quiet = {"float16": 0x7E00, "bfloat16": 0x7FC0, "float32": 0x7FC00000, "float64": 0x7FF8 << 48}[dtype]
        sign = 1 << (8 * np.dtype(width).itemsize - 1)
        values = np.array([quiet | 5, sign | quiet | 9, sign, 1], width).view(dtype_of(dtype))
        only = {"types": (dtype,)}
        ask.legal("bits-kept", "Gather", "payloads", values, [3, 0, 1, 2], **only)
        ask.legal("bits-kept", "GatherElements", "payloads", values, [3, 0, 1, 2], **only)
        ask.legal("bits-kept", "GatherND", "payloads", values, [[3], [0], [1], [2]], **only)
        ask.legal("bits-kept", "ScatterElements", "payloads", values, [3, 0], values[:2], **only)
        ask.legal("bits-kept", "Scatter", "payloads", values, [3, 0], values[:2], **only)
        ask.legal("bits-kept", "ScatterND", "payloads", values, [[3], [0]], values[:2], **only)
        ask.legal("bits-kept", "TensorScatter", "payloads", values.reshape(1, 4, 1), values[:2].reshape(1, 2, 1), [1],
                  **only)  # fmt: skip
    words = np.array([b"", b"a\0b", b"\0", "\U0001f40d".encode(), b"a" * 300], dtype=object)
    ask.legal("bits-kept", "Gather", "rows_of_strings", np.array([[w, b"x"] for w in words], dtype=object),
              [4, 1, 3, 2, 0], types=("string",), why="rows of two strings")  # fmt: skip
    ask.legal("bits-kept", "GatherND", "strings", words, [[4], [1], [3], [2]], types=("string",))
    ask.legal("bits-kept", "GatherElements", "strings", words, [4, 1, 3, 2], types=("string",))
    ask.legal("bits-kept", "ScatterND", "strings", words, [[4], [1]], words[2:4], types=("string",))
    ask.legal("bits-kept", "ScatterElements", "strings", words, [4, 1], words[2:4], types=("string",))


def ask_models(ask):
    """Adds models with symbolic sizes, stored values, and values in legal and illegal encodings."""
    data, indices = [[1, 2], [3, 4]], [[1, 0]]
    different = np.arange(24).reshape(2, 3, 4).tolist()
    for axis in range(-3, 3):
        ask.legal("output-shape", "Gather", f"axis_{axis}", different, [[1, 0, 1, 1, 0]], axis=axis)
    ask.legal("symbolic-shapes", "Gather", "rows", data, indices, types=SAMPLE, symbolic=True, axis=1)
    ask.legal("symbolic-shapes", "Gather", "scalar", data, 1, types=SAMPLE, symbolic=True)
    ask.legal("symbolic-shapes", "GatherElements", "columns", data, indices, types=SAMPLE, symbolic=True)
    ask.legal("symbolic-shapes", "GatherND", "scalar_I1", data, [1, 0], types=SAMPLE, symbolic=True)
    ask.legal("symbolic-shapes", "GatherND", "rows_I2", data, [[1]], types=SAMPLE, symbolic=True)
    for operator in ("Scatter", "ScatterElements"):
        ask.legal("symbolic-shapes", operator, "columns_I7", data, indices, [[5, 6]], types=SAMPLE, symbolic=True)
    ask.legal("symbolic-shapes", "ScatterND", "element", data, indices, [5], types=SAMPLE, symbolic=True)
    ask.legal("symbolic-shapes", "TensorScatter", "one", [data], [[[5, 6]]], [1], types=("float32", "int8"),
              symbolic=True)  # fmt: skip
    for constants in (("indices",), ("data",), ("data", "indices")):
        label = "_and_".join(constants)
        ask.legal("tensor-encoding", "Gather", f"holds_{label}", data, indices, types=("float32",), constants=constants)
        ask.legal("tensor-encoding", "ScatterND", f"holds_{label}", data, indices, [5], types=("float32",),
                  constants=constants)  # fmt: skip
        ask.legal("functional", "ScatterElements", f"holds_{label}", data, indices, [[5, 6]], types=("float32",),
                  constants=constants, why="run twice: constants in the model must not change")  # fmt: skip
    shape_2 = (TensorProto.FLOAT, [2])
    ask.refused("output-declared", "Gather", "I8_shape", data, [0, 1], refused_at="check",
                declared=(TensorProto.FLOAT, [3, 2]))  # fmt: skip
    ask.refused("output-declared", "Gather", "I8_type", data, [0, 1], refused_at="check",
                declared=(TensorProto.INT32, [2, 2]))  # fmt: skip
    ask.refused("output-declared", "ScatterND", "I8_rank", data, [[0, 0]], [1], refused_at="check", declared=shape_2)
    ask.refused("output-declared", "ScatterElements", "I8_shape", data, [[0, 0]], [[1, 1]], refused_at="check",
                declared=(TensorProto.FLOAT, [2, 3]))  # fmt: skip
    for name, kind in (("float", 1.0), ("text", "0"), ("ints", [0])):
        ask.refused("attribute-kind", "Gather", f"axis_as_{name}", [1, 2], [0], axis=kind)
        ask.refused("attribute-kind", "ScatterElements", f"axis_as_{name}", [1, 2], [0], [1], axis=kind)
    ask.refused("attribute-kind", "ScatterND", "reduction_as_int", [1, 2], [[0]], [1], since=(16, 18), reduction=1)
    ask.refused("attribute-kind", "GatherND", "batch_dims_as_float", [1, 2], [[0]], since=(12, 13), batch_dims=0.0)
    ask.refused("attribute-unknown", "Gather", "other", [1, 2], [0], other=1)
    ask.refused("attribute-unknown", "TensorScatter", "reduction", [[[1]]], [[[1]]], [0], reduction="none")
    for dtype in ("int4", "float8_e5m2", "uint2"):
        ask.refused("element-type", "ScatterND", dtype, [1, 0], [[1]], [1], dtype=dtype)
        ask.refused("element-type", "ScatterElements", dtype, [1, 0], [1], [1], dtype=dtype)
        ask.refused("element-type", "GatherND", dtype, [1, 0], [[1]], dtype=dtype)
        ask.refused("element-type", "GatherElements", dtype, [1, 0], [1], dtype=dtype)
    for index_type in ("float32", "uint64", "int8", "bool"):
        ask.refused("index-type", "ScatterND", "type", [1, 0], [[1]], [1], indices=index_type)
        ask.refused("index-type", "ScatterElements", "type", [1, 0], [1], [1], indices=index_type)
        ask.refused("index-type", "GatherElements", "type", [1, 0], [1], indices=index_type)
    ask.refused("same-type", "ScatterND", "updates", np.zeros(2, np.float32), [[0]], np.zeros(1, np.int32))
    ask.refused("same-type", "TensorScatter", "update", np.zeros((1, 2, 1), np.float32),
                np.zeros((1, 1, 1), np.float16), [0])  # fmt: skip
    ask_encodings(ask)


def ask_encodings(ask):
    """Adds models that store data in valid or invalid encodings, with numbered cases from L3 to L16 among them."""
    def tensor(data_type, dims, **fields):
        return TensorProto(name="data", data_type=data_type, dims=dims, **fields)

    half, u32, c64, f32, i8 = (
        TensorProto.FLOAT16, TensorProto.UINT32, TensorProto.COMPLEX64, TensorProto.FLOAT, TensorProto.INT8,
    )  # fmt: skip
    good = {
        "L3_half_in_int32_data": ([1.0, 2.0], "float16", tensor(half, [2], int32_data=[0x3C00, 0x4000])),
        "L4_uint32_in_uint64_data": ([7, 9], "uint32", tensor(u32, [2], uint64_data=[7, 9])),
        "L5_complex_in_float_data": ([1, 2], "complex64", tensor(c64, [2], float_data=[1, 0, 2, 0])),
        "L16_float_data": ([1, 2], "float32", tensor(f32, [2], float_data=[1, 2])),
        "int8_in_int32_data": ([-1, 2], "int8", tensor(i8, [2], int32_data=[-1, 2])),
        "bool_in_int32_data": ([1, 0], "bool", tensor(TensorProto.BOOL, [2], int32_data=[1, 0])),
        "double_data": ([1, 2], "float64", tensor(TensorProto.DOUBLE, [2], double_data=[1, 2])),
    }
    for name, (values, dtype, proto) in good.items():
        ask.legal("tensor-encoding", "Gather", name, values, [1, 0], types=(dtype,), constants={"data": proto})
        ask.legal("tensor-encoding", "ScatterND", name, values, [[1]], [1], types=(dtype,), constants={"data": proto})
    eight = np.zeros(2, np.float32).tobytes()
    bad = {
        "L4_uint32_in_int32_data": tensor(u32, [2], int32_data=[7, 9]),
        "L5_complex_too_short": tensor(c64, [2], float_data=[1, 0]),
        "L6_strings_in_raw_data": tensor(TensorProto.STRING, [2], raw_data=b"ab"),
        "L7_one_byte_short": tensor(f32, [2], raw_data=eight[:-1]),
        "L7_one_byte_long": tensor(f32, [2], raw_data=eight + b"\0"),
        "L8_two_fields": tensor(f32, [2], raw_data=eight, float_data=[1, 2]),
        "L8_no_values": tensor(f32, [2]),
        "L9_negative": tensor(f32, [-1], raw_data=eight),
        "L9_overflow": tensor(f32, [2**32, 2**32], raw_data=eight),
        "L9_terabyte": tensor(f32, [2**40], raw_data=eight),
        "L10_undefined": tensor(TensorProto.UNDEFINED, [2], raw_data=eight),
    }
    stored_elsewhere = tensor(f32, [2], data_location=TensorProto.EXTERNAL)
    stored_elsewhere.external_data.add(key="location", value="../outside.bin")
    bad["L11_outside"] = stored_elsewhere
    both = tensor(f32, [2], data_location=TensorProto.EXTERNAL, raw_data=eight)
    both.external_data.add(key="location", value="inside.bin")
    bad["L14_external_and_raw"] = both
    for name, proto in bad.items():
        ask.refused("tensor-damage", "Gather", name, [1, 2], [1, 0], since=13, refused_at="check",
                    constants={"data": proto})  # fmt: skip


# Code for inputs that are too large to print; scripts contain the code. Every type used can represent the sums.
HOT_ROWS = """
random = np.random.RandomState(7)
data = np.zeros((4, 1600), "DTYPE")
indices = random.randint(0, 4, (640, 1))
updates = (random.rand(640, 1600) < 0.1).astype("DTYPE")
"""
HOT_ROWS_NUMBERED = """
data = np.zeros((4, 1600), "DTYPE")
indices = np.random.RandomState(7).randint(0, 4, (640, 1))
updates = np.broadcast_to((np.arange(640) % 251).astype("DTYPE")[:, None], (640, 1600)).copy()
"""
HOT_COLUMNS = """
random = np.random.RandomState(8)
data = np.zeros((4, 1600), "DTYPE")
indices = random.randint(0, 4, (640, 400)).astype("int32")
updates = (random.rand(640, 400) < 0.1).astype("DTYPE")
"""
ONE_COLUMN = """
indices = np.random.RandomState(9).randint(0, 3, 100000).astype("int32")
data, updates = np.zeros(3, "DTYPE"), np.ones(100000, "DTYPE")
"""
TABLE = """
random = np.random.RandomState(10)
data, indices = random.randint(0, 100, (50, 64)).astype("DTYPE"), random.randint(-50, 50, 1200)
"""


def ask_large(ask):
    """Adds large cases, whose work runtimes divide among threads. No update may be lost, not even a duplicate."""
    why = "many updates of a few elements: unsynchronized threads lose some"

    def large(rule, operator, name, recipe, dtype, **attributes):
        recipe = recipe.replace("DTYPE", dtype).strip()
        made = {"np": np}
        exec(recipe, made)  # noqa: S102 - the literals above
        literals = [made[key] for key in ("data", "indices", "updates") if key in made]
        ask.legal(rule, operator, name, *literals, types=(dtype,), indices=made["indices"].dtype.name,
                  since=13 if operator == "Gather" else 18, recipe=recipe, why=why, **attributes)  # fmt: skip

    for dtype in ("uint8", "int8"):
        large("large", "ScatterND", "hot_rows_add", HOT_ROWS, dtype, reduction="add")
        large("duplicates-last-wins", "ScatterND", "large_hot_rows", HOT_ROWS_NUMBERED,
              "uint8" if dtype == "int8" else "int16")  # fmt: skip
    large("large", "ScatterND", "hot_rows_add", HOT_ROWS.replace("1600", "400"), "float32", reduction="add")
    large("large", "ScatterND", "hot_rows_max", HOT_ROWS_NUMBERED, "uint8", reduction="max")
    large("large", "ScatterElements", "hot_columns_add", HOT_COLUMNS, "uint8", reduction="add")
    large("large", "ScatterElements", "one_column_add", ONE_COLUMN, "int32", reduction="add")
    large("large", "Gather", "rows", TABLE, "float32")


def ask_all(ask):
    for ask_some in (ask_equations, ask_caches, ask_opsets, ask_indices, ask_arithmetic, ask_bits, ask_models, ask_large):
        ask_some(ask)

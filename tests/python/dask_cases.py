"""Random calls of strew.dask, and the calls of strew that must give the same bytes."""

import dask.array as da
import numpy as np
import strew
import strew.dask

TYPES = ["float16", "float32", "float64", "int8", "int32", "int64", "uint16", "complex64", "bool"]
INDEX_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REDUCTIONS = {
    "f": ["none", "add", "mul", "max", "min", "sub", "div", "mean"],
    "c": ["none", "add", "mul", "sub", "div", "mean"],
    "i": ["none", "add", "mul", "max", "min", "sub", "and", "or", "xor", "mean"],
    "b": ["none", "add", "mul", "max", "min", "and", "or", "xor"],
}
REDUCTIONS["u"] = REDUCTIONS["i"]
OPERATORS = ["gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter"]


def chunked(rng, array, most=4):
    """Return the array in ragged chunks, some of them empty."""
    chunks = []
    for extent in array.shape:
        cuts = np.sort(rng.integers(0, extent + 1, int(rng.integers(0, most))))
        chunks.append(tuple(np.diff([0, *cuts.tolist(), extent]).tolist()))
    return da.from_array(array, chunks=tuple(chunks))


def values(rng, dtype, shape):
    if dtype == "bool":
        return rng.random(shape) < 0.5
    return (rng.standard_normal(shape) * 3).astype(dtype)


def index_values(rng, extent, shape):
    dtype = str(rng.choice(INDEX_TYPES))
    hot = rng.random() < 0.2  # no index is above one eighth of the axis
    found = rng.integers(0 if dtype[0] == "u" else -extent, max(1, extent // 8) if hot else extent, size=shape)
    return np.asarray(found).astype(dtype)


def dims(rng, count, most=9):
    return [int(n) for n in rng.integers(1, most, int(count))]


def random_reduction(rng, dtype):
    """Return the attributes of a random reduction, sometimes with parameters beyond ONNX."""
    kind = np.dtype(dtype).kind
    reduction = str(rng.choice(REDUCTIONS[kind]))
    attributes = {"reduction": reduction}
    if rng.random() < 0.5:
        return attributes
    if rng.random() < 0.5:
        attributes["include_self"] = False
    if rng.random() < 0.5 and dtype == "float16" and reduction != "none":
        attributes["acc_dtype"] = "float32"
    if rng.random() < 0.5 and reduction != "none" and kind != "b":
        attributes["alpha"] = 0.3 if kind in "fc" else 3
    return attributes


def random_call(rng):
    """Return (name, operands as ndarrays, attributes)."""
    op = str(rng.choice(OPERATORS))
    dtype = str(rng.choice(TYPES))
    rank = int(rng.integers(1, 4))
    shape = dims(rng, rank, 12)
    axis = int(rng.integers(-rank, rank))
    reduction = random_reduction(rng, dtype)
    if op == "gather":
        indices = index_values(rng, shape[axis], dims(rng, rng.integers(0, 3)))
        return op, [values(rng, dtype, shape), indices], {"axis": axis}
    if op in ("gather_elements", "scatter_elements"):
        lengths = [int(rng.integers(1, n + 1)) for n in shape]
        lengths[axis] = int(rng.integers(1, 20))
        operands = [values(rng, dtype, shape), index_values(rng, shape[axis], lengths)]
        if op == "gather_elements":
            return op, operands, {"axis": axis}
        return op, [*operands, values(rng, dtype, lengths)], {"axis": axis, **reduction}
    if op == "tensor_scatter":
        shape = dims(rng, int(rng.integers(2, 5)))
        axis = int(rng.integers(1, len(shape)))
        length = int(rng.integers(1, shape[axis] + 1))
        mode = str(rng.choice(["linear", "circular"]))
        most = shape[axis] - length if mode == "linear" else 3 * shape[axis]
        begins = rng.integers(0, most + 1, shape[0])
        new = [length if d == axis else n for d, n in enumerate(shape)]
        return op, [values(rng, dtype, shape), values(rng, dtype, new), begins], {"axis": axis, "mode": mode}
    b = int(rng.integers(0, rank)) if op == "gather_nd" else 0
    k = int(rng.integers(1 if op == "gather_nd" else 0, rank - b + 1))
    lead = shape[:b] + dims(rng, rng.integers(0, 3))
    components = [index_values(rng, shape[b + c], lead) for c in range(k)]
    indices = np.stack(components, -1) if components else np.zeros((*lead, 0), np.int64)
    if indices.dtype.kind == "f":
        indices = indices.astype(np.int64)  # NumPy promotes uint64 and int64 to float64
    if op == "gather_nd":
        return op, [values(rng, dtype, shape), indices], {"batch_dims": b}
    return op, [values(rng, dtype, shape), indices, values(rng, dtype, lead + shape[k:])], reduction


def lazy_call(rng, call, knows_indices=False, **further):
    """Return the call on Dask arrays; with `knows_indices`, indices stay in memory. tensor_scatter does not shuffle."""
    op, operands, attributes = call
    further = {} if op == "tensor_scatter" else further
    known = (2 if op == "tensor_scatter" else 1) if knows_indices else None
    given = [operand if n == known else chunked(rng, operand) for n, operand in enumerate(operands)]
    return getattr(strew.dask, op)(*given, **attributes, **further)


def one_call(call):
    op, operands, attributes = call
    return np.asarray(getattr(strew, op)(*operands, **attributes))


def assert_same_bits(got, call, label=""):
    wanted = one_call(call)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (label, call)
    assert got.tobytes() == wanted.tobytes(), (label, call)


def rule_call(rng):
    """Return a random call with an index rule and indices out of bounds."""
    while True:
        op, operands, attributes = random_call(rng)
        if op != "tensor_scatter" and operands[1].size:
            break
    last = "fill" if op.startswith("gather") else "drop"
    attributes["out_of_bounds"] = str(rng.choice(["clip", "wrap", last]))
    attributes["negative_indices"] = str(rng.choice(["from_end", "out_of_bounds"]))
    if attributes["out_of_bounds"] == "fill" and rng.random() < 0.5:
        attributes["fill_value"] = operands[0].dtype.type(1)
    operands[1] = np.array(operands[1], np.int64)
    wild = rng.random(operands[1].shape) < 0.3
    operands[1][wild] = rng.integers(-40, 40, int(wild.sum()))
    return op, operands, attributes

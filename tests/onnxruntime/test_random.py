"""Compares results of random operands in ONNX Runtime with plain loops, bit by bit."""

import numpy as np
import pytest
from onnx import TensorProto
from support import ONNX_TYPES, VERSION, assert_all_on_strew, assert_same, gather_nd, one_node, random_values
from support import run_on_strew, scatter_elements, scatter_nd, strew_session

TYPES = list(ONNX_TYPES)
REDUCTIONS = ["none", "add", "mul", "max", "min"]
SEEDS = range(8)


def indices_within(rng, shape, size, dtype="int64"):
    return rng.integers(-size, max(size, 1), shape).astype(dtype) if size else np.zeros((0,) * len(shape), dtype)


def random_shape(rng, rank, least=0):
    """Return a small shape, sometimes with a long last dimension."""
    dims = [int(rng.choice([least, 1, 2, 3, 5])) for _ in range(rank)]
    if rng.random() < 0.3:
        dims[-1] = 67
    return tuple(dims)


def threads_of(seed):
    return 1 + 2 * (seed % 2)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scatter_elements_is_the_loop(dtype, reduction):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        shape = random_shape(rng, int(rng.integers(1, 4)), least=1)
        axis = int(rng.integers(len(shape)))
        size = tuple(int(rng.integers(0, n + 1)) if a != axis else int(rng.integers(0, 9)) for a, n in enumerate(shape))
        data = random_values(rng, shape, dtype)
        updates = random_values(rng, size, dtype)
        indices = indices_within(rng, size, shape[axis], "int32" if seed % 3 == 0 else "int64")
        feeds = {"data": data, "indices": indices, "updates": updates}
        signed = axis - len(shape) if seed % 4 == 1 else axis
        result = run_on_strew("ScatterElements", feeds, threads=threads_of(seed), axis=signed, reduction=reduction)
        assert_same(result, scatter_elements(data, indices, updates, axis, reduction))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scatter_nd_is_the_loop(dtype, reduction):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        shape = random_shape(rng, int(rng.integers(1, 4)), least=1)
        tuple_length = int(rng.integers(1, len(shape) + 1))
        outer = random_shape(rng, int(rng.integers(1, 3)))
        columns = [indices_within(rng, outer, shape[axis]) for axis in range(tuple_length)]
        indices = np.stack(columns, axis=-1)
        data = random_values(rng, shape, dtype)
        updates = random_values(rng, outer + shape[tuple_length:], dtype)
        feeds = {"data": data, "indices": indices, "updates": updates}
        result = run_on_strew("ScatterND", feeds, threads=threads_of(seed), reduction=reduction)
        assert_same(result, scatter_nd(data, indices, updates, reduction))


@pytest.mark.parametrize("dtype", TYPES)
def test_the_gathers_are_what_numpy_says(dtype):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        shape = random_shape(rng, int(rng.integers(1, 4)), least=1)
        axis = int(rng.integers(len(shape)))
        data = random_values(rng, shape, dtype)
        index_type = "int32" if seed % 2 else "int64"
        indices = indices_within(rng, random_shape(rng, int(rng.integers(0, 3)) or 1), shape[axis], index_type)
        result = run_on_strew("Gather", {"data": data, "indices": indices}, threads=threads_of(seed), axis=axis)
        assert_same(result, np.take(data, indices, axis))

        size = tuple(int(rng.integers(0, n + 1)) if a != axis else int(rng.integers(0, 9)) for a, n in enumerate(shape))
        indices = indices_within(rng, size, shape[axis], index_type)
        grid = list(np.ogrid[tuple(slice(n) for n in size)])
        grid[axis] = indices
        result = run_on_strew("GatherElements", {"data": data, "indices": indices}, axis=axis)
        assert_same(result, data[tuple(grid)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("batch_dims", [0, 1, 2])
def test_gather_nd_is_the_loop(dtype, batch_dims):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        batch = random_shape(rng, batch_dims, least=1) if batch_dims else ()
        inner = random_shape(rng, int(rng.integers(1, 4)), least=1)
        tuple_length = int(rng.integers(1, len(inner) + 1))
        outer = batch + random_shape(rng, 1)
        indices = np.stack([indices_within(rng, outer, inner[axis]) for axis in range(tuple_length)], axis=-1)
        data = random_values(rng, batch + inner, dtype)
        result = run_on_strew("GatherND", {"data": data, "indices": indices}, batch_dims=batch_dims)
        assert_same(result, gather_nd(data, indices, batch_dims))


@pytest.mark.skipif(VERSION < (1, 25), reason="this ONNX Runtime does not know the operator")
@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("dtype", TYPES)
def test_tensor_scatter_is_the_loop(dtype, mode):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        batch, heads, length, size, new = 3, 2, 7, 5, int(rng.integers(0, 4))
        cache = random_values(rng, (batch, heads, length, size), dtype)
        update = random_values(rng, (batch, heads, new, size), dtype)
        begins = rng.integers(0, length if mode == "circular" else length - new + 1, batch)
        wanted = cache.copy()
        for b in range(batch):
            for i in range(new):
                wanted[b, :, (begins[b] + i) % length] = update[b, :, i]
        feeds = {"past_cache": cache, "update": update, "write_indices": begins}
        assert_same(run_on_strew("TensorScatter", feeds, opset=24, mode=mode), wanted)


@pytest.mark.parametrize(
    ("op_type", "opsets"),
    [
        ("ScatterND", [11, 13, 16, 18, 21, 23]),
        ("ScatterElements", [11, 13, 16, 18, 23]),
        ("Scatter", [9, 10]),
        ("GatherND", [11, 12, 13, 20]),
        ("GatherElements", [11, 13, 22]),
        ("Gather", [1, 7, 11, 13, 23]),
    ],
)
def test_every_version_runs_on_strew(op_type, opsets):
    data = np.arange(12, dtype=np.float32).reshape(4, 3)
    tuples = op_type.endswith("ND")
    indices = np.array([[1], [3]]) if tuples else np.array([[1, 3, 0]])
    feeds = {"data": data, "indices": indices}
    if "Scatter" in op_type:
        feeds["updates"] = np.full((2, 3) if tuples else (1, 3), -1, np.float32)
    for opset in opsets:
        result = run_on_strew(op_type, feeds, opset)
        assert result.dtype == np.float32
        assert "Scatter" not in op_type or (result == -1).sum() == (6 if tuples else 3)


@pytest.mark.skipif(VERSION < (1, 25), reason="this ONNX Runtime does not know the operator")
def test_tensor_scatter_moves_strings():
    strings = (TensorProto.STRING, [None] * 3)
    inputs = {"past_cache": strings, "update": strings, "write_indices": (TensorProto.INT64, [None])}
    session = strew_session(one_node("TensorScatter", inputs, opset=24))
    assert_all_on_strew(session, "TensorScatter")
    cache = np.array([[["a"], ["b"], ["c"]]], object)
    feeds = {"past_cache": cache, "update": np.array([[["long" * 9]]], object), "write_indices": np.array([1])}
    assert session.run(None, feeds)[0].tolist() == [[["a"], ["long" * 9], ["c"]]]


@pytest.mark.skipif(VERSION < (1, 25), reason="this ONNX Runtime does not know the operator")
@pytest.mark.parametrize("dtype", ["FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT8E8M0", "INT4", "UINT4", "FLOAT4E2M1"])
def test_tensor_scatter_has_small_types_that_onnx_runtime_lacks(dtype):
    number = getattr(TensorProto, dtype)
    values = {"past_cache": (number, [1, 4, 2]), "update": (number, [1, 1, 2]), "write_indices": (TensorProto.INT64, [1])}
    model = one_node("TensorScatter", values, opset=24)
    model.ir_version = 12
    assert_all_on_strew(strew_session(model), "TensorScatter")

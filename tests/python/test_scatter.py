"""Compares scatters with NumPy's `at` and assignments: random shapes, duplicates, strides, reductions."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from support import INDEX_TYPES, NUMPY_TYPES, REDUCTIONS, assert_same, assert_same_numbers, elements_index, random_bits
from support import random_indices, random_numbers, restrided, scattered, seeds, shapes, tuples_index

import strew

REAL_TYPES = [name for name in NUMPY_TYPES if not name.startswith("complex")]
calls = st.one_of(
    st.tuples(st.sampled_from(NUMPY_TYPES), st.just("none")),
    st.tuples(st.sampled_from(NUMPY_TYPES), st.just("none")),
    st.tuples(st.sampled_from(REAL_TYPES), st.sampled_from(REDUCTIONS)),
    st.tuples(st.sampled_from(["complex64", "complex128"]), st.sampled_from(["add", "mul"])),
)
index_shapes = st.lists(st.sampled_from([0, 1, 2, 3, 5, 11]), max_size=2).map(tuple)


def call(rng, scatter, data, *rest, **attributes):
    """Return the result of a scatter. Assert that a call in place and restrided operands give the same."""
    if rng.integers(0, 2):
        data, rest = restrided(rng, data), [restrided(rng, operand) for operand in rest]
    before = data.copy()
    result = scatter(data, *rest, **attributes)
    assert data.tobytes() == before.tobytes()
    assert scatter(data, *rest, **attributes, out=data) is data
    assert data.tobytes() == result.tobytes()
    return result


def check(rng, scatter, types, shape, updates_shape, indices, index, **attributes):
    """Compare assignments with random bit patterns, and reductions with random numbers."""
    dtype, reduction = types
    values, compare = (random_bits, assert_same) if reduction == "none" else (random_numbers, assert_same_numbers)
    data, updates = values(rng, shape, dtype), values(rng, updates_shape, dtype)
    wanted = scattered(data, index, updates, reduction)
    compare(call(rng, scatter, data, indices, updates, reduction=reduction, **attributes), wanted)


@given(seeds, shapes, calls, st.sampled_from(INDEX_TYPES), st.data())
def test_scatter_elements_assigns_the_last_and_reduces_as_ufunc_at(seed, shape, types, index_type, draw):
    rng = np.random.default_rng(seed)
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    index_shape = [draw.draw(st.integers(0, n)) for n in shape]
    index_shape[axis] = draw.draw(st.integers(0, 9)) if shape[axis] else 0
    indices = random_indices(rng, index_shape, shape[axis], index_type)
    index = elements_index(indices.astype(np.int64), axis)
    check(rng, strew.scatter_elements, types, shape, indices.shape, indices, index, axis=axis)


@given(seeds, shapes, index_shapes, calls, st.sampled_from(INDEX_TYPES), st.data())
def test_scatter_nd_assigns_the_last_and_reduces_as_ufunc_at(seed, shape, outer, types, index_type, draw):
    rng = np.random.default_rng(seed)
    length = draw.draw(st.integers(1, len(shape)))
    if 0 in shape[:length]:
        outer = (*outer, 0)
    indices = np.stack([random_indices(rng, outer, size, index_type) for size in shape[:length]], axis=-1)
    index = tuples_index(indices.astype(np.int64))
    check(rng, strew.scatter_nd, types, shape, outer + shape[length:], indices, index)


@given(seeds, st.integers(1, 3), st.integers(1, 7), st.sampled_from(NUMPY_TYPES), st.data())
def test_tensor_scatter_writes_slices(seed, batch, length, dtype, draw):
    rng = np.random.default_rng(seed)
    rank = draw.draw(st.integers(2, 4))
    axis = draw.draw(st.integers(1, rank - 1))
    shape = [batch, *draw.draw(st.lists(st.integers(0, 3), min_size=rank - 1, max_size=rank - 1))]
    shape[axis] = length
    count = draw.draw(st.integers(0, length))
    mode = draw.draw(st.sampled_from(["linear", "circular"]))
    starts = rng.integers(0, length - count + 1 if mode == "linear" else 50, batch)
    data = random_bits(rng, shape, dtype)
    shape[axis] = count
    update = random_bits(rng, shape, dtype)
    wanted = data.copy()
    for b in range(batch):
        rows = (starts[b] + np.arange(count)) % length
        np.moveaxis(wanted[b], axis - 1, 0)[rows] = np.moveaxis(update[b], axis - 1, 0)
    given_axis = draw.draw(st.sampled_from([axis, axis - rank]))
    assert_same(call(rng, strew.tensor_scatter, data, update, starts, axis=given_axis, mode=mode), wanted)


def test_tensor_scatter_without_positions_begins_at_0():
    cache, update = np.zeros((2, 4, 3)), np.ones((2, 2, 3))
    wanted = cache.copy()
    wanted[:, :2] = 1
    assert_same(strew.tensor_scatter(cache, update), wanted)
    assert_same(strew.tensor_scatter(cache, update, None), wanted)
    assert_same(
        strew.tensor_scatter(cache, np.ones((2, 4, 1)), axis=-1), np.dstack([np.ones((2, 4, 1)), cache[..., 1:]])
    )


@pytest.mark.parametrize("reduction", ["none", *REDUCTIONS])
@pytest.mark.parametrize("dtype", ["float32", "int64", "float16"])
def test_large_scatters_are_those_of_numpy(dtype, reduction):
    rng = np.random.default_rng(11)
    data = random_numbers(rng, (997, 31), dtype)
    indices = rng.integers(-997, 997, (5003, 1))
    updates = random_numbers(rng, (5003, 31), dtype)
    result = strew.scatter_nd(data, indices, updates, reduction)
    assert_same_numbers(result, scattered(data, (indices[:, 0],), updates, reduction))
    wide = np.broadcast_to(indices, updates.shape)
    assert_same(strew.scatter_elements(data, wide, updates, 0, reduction), result)


def test_updates_of_a_sequence_or_scalar_take_the_type_of_the_data():
    data = np.zeros((2, 3), np.float32)
    assert_same(strew.scatter_nd(data, [[1]], [[1, 2, 3]]), np.array([[0, 0, 0], [1, 2, 3]], np.float32))
    assert_same(strew.scatter_nd(data, [[1]], 4), np.array([[0, 0, 0], [4, 4, 4]], np.float32))
    assert_same(strew.scatter_nd(data, [[0], [0]], 1.5, "add"), np.array([[3, 3, 3], [0, 0, 0]], np.float32))
    assert_same(strew.scatter_elements(data[0], [0, 2], np.float64(2)), np.array([2, 0, 2], np.float32))
    assert_same(strew.scatter_elements(data[0] > 0, [0, 2], True), np.array([True, False, True]))
    assert_same(strew.scatter_elements([1, 2], [0], [5]), np.array([5, 2]))


def test_floats_that_round_to_a_finite_value_or_have_none_are_kept():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = [np.inf, -np.inf, np.nan, 65519, -65519]
        result = strew.scatter_nd(np.zeros(5, np.float16), [[i] for i in range(5)], given)
        assert_same(result, np.array([np.inf, -np.inf, np.nan, 65504, -65504], np.float16))
        assert_same(strew.scatter_nd(np.zeros(1, np.float32), [[0]], np.inf), np.array([np.inf], np.float32))


def test_sequences_of_large_integers_are_what_they_are_and_not_what_numpy_makes_of_them():
    data = np.zeros(2, np.uint64)
    assert strew.scatter_nd(data, [[0], [1]], [2**63 + 1, 1]).tolist() == [2**63 + 1, 1]
    assert strew.scatter_nd(np.zeros(1), [[0]], 2**64).tolist() == [2.0**64]
    with pytest.raises(OverflowError):
        strew.scatter_nd(data, [[0]], 2**64)
    with pytest.raises(OverflowError):
        strew.scatter_nd(np.zeros(2, np.int64), [[0], [1]], [2**63, 1])

"""Compares gathers with NumPy bit by bit: random shapes, axes, index types and strides."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from support import INDEX_TYPES, NUMPY_TYPES, assert_same, elements_index, random_bits, random_indices, restrided, seeds
from support import shapes

import strew

index_shapes = st.lists(st.sampled_from([0, 1, 2, 3, 5]), max_size=3).map(tuple)


def operands(rng, data, indices):
    return (restrided(rng, data), restrided(rng, indices)) if rng.integers(0, 2) else (data, indices)


@given(seeds, shapes, index_shapes, st.sampled_from(NUMPY_TYPES), st.sampled_from(INDEX_TYPES), st.data())
def test_gather_is_take(seed, shape, index_shape, dtype, index_type, draw):
    rng = np.random.default_rng(seed)
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    if shape[axis] == 0:
        index_shape = (*index_shape, 0)
    data = random_bits(rng, shape, dtype)
    indices = random_indices(rng, index_shape, shape[axis], index_type)
    wanted = np.take(data, indices.astype(np.int64), axis)
    assert_same(strew.gather(*operands(rng, data, indices), axis), wanted)


@given(seeds, shapes, st.sampled_from(NUMPY_TYPES), st.sampled_from(INDEX_TYPES), st.data())
def test_gather_elements_is_take_along_axis(seed, shape, dtype, index_type, draw):
    rng = np.random.default_rng(seed)
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    index_shape = [draw.draw(st.integers(0, n)) for n in shape]
    index_shape[axis] = draw.draw(st.integers(0, 6)) if shape[axis] else 0
    data = random_bits(rng, shape, dtype)
    indices = random_indices(rng, index_shape, shape[axis], index_type)
    part = [slice(n) for n in index_shape]
    part[axis] = slice(None)
    wanted = np.take_along_axis(data[tuple(part)], indices.astype(np.int64), axis)
    assert_same(strew.gather_elements(*operands(rng, data, indices), axis), wanted)


@given(seeds, shapes, index_shapes, st.sampled_from(NUMPY_TYPES), st.sampled_from(INDEX_TYPES), st.data())
def test_gather_nd_is_indexing_by_tuples(seed, shape, outer, dtype, index_type, draw):
    rng = np.random.default_rng(seed)
    batch_dims = draw.draw(st.integers(0, min(2, len(shape) - 1)))
    length = draw.draw(st.integers(1, len(shape) - batch_dims))
    addressed = shape[batch_dims : batch_dims + length]
    outer = shape[:batch_dims] + outer + ((0,) if 0 in addressed else ())
    data = random_bits(rng, shape, dtype)
    indices = np.stack([random_indices(rng, outer, size, index_type) for size in addressed], axis=-1)
    places = np.ogrid[tuple(slice(n) for n in outer[:batch_dims])] if batch_dims else []
    places = [place.reshape(place.shape + (1,) * (len(outer) - batch_dims)) for place in places]
    wanted = data[(*places, *np.moveaxis(indices.astype(np.int64), -1, 0))]
    assert_same(strew.gather_nd(*operands(rng, data, indices), batch_dims), wanted)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_many_rows_are_gathered_as_by_take(axis):
    rng = np.random.default_rng(7)
    data = rng.standard_normal((61, 67, 71)).astype(np.float32)
    indices = rng.integers(-61, 61, (503,))
    assert_same(strew.gather(data, indices, axis), np.take(data, indices, axis))
    more = rng.integers(-61, 61, (61, 67, 71))
    assert_same(strew.gather_elements(data, more, axis), data[elements_index(more, axis)])


def test_sequences_and_scalars_are_taken_as_numpy_takes_them():
    assert_same(strew.gather([1.5, 2.5], [1]), np.array([2.5]))
    assert_same(strew.gather(((1, 2), (3, 4)), 0, axis=1), np.array([1, 3]))
    assert_same(strew.gather(range(5), range(3)), np.arange(3))
    assert_same(strew.gather_nd([True, False], [[0], [0]]), np.array([True, True]))
    assert_same(strew.gather(np.arange(3.0), []), np.empty(0))
    assert_same(strew.gather(np.arange(3.0), [[], []]), np.empty((2, 0)))


def test_axis_may_be_any_integer_and_a_keyword():
    data = np.arange(6).reshape(2, 3)
    for axis in (1, -1, np.int8(1), np.uint64(1), np.array(1)):
        assert_same(strew.gather(data=data, indices=[0], axis=axis), data[:, :1])


def test_the_highest_rank_is_that_of_numpy():
    data = np.arange(2).reshape((1,) * 63 + (2,))
    assert_same(strew.gather(data, [1], axis=-1), data[..., 1:])
    assert_same(strew.gather(data, 1, axis=-1), data[..., 1])
    assert_same(strew.gather_elements(data, np.ones((1,) * 64, np.int64), axis=-1), data[..., 1:])
    assert_same(strew.gather_nd(data, np.zeros((1, 64), np.int64)), np.zeros(1, np.int64))

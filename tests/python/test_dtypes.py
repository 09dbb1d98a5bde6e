"""Every element type is copied bit by bit, and reduced with a rounding at each step or rejected with a reason."""

import numpy as np
import pytest
from support import INDEX_TYPES, ML_TYPES, NUMPY_TYPES, assert_same, assert_same_numbers, dtype_of, random_bits
from support import random_numbers, refuses, restrided, says, scattered

import strew

SWAPPED = [np.dtype(name).newbyteorder() for name in NUMPY_TYPES if np.dtype(name).itemsize > 1]


@pytest.mark.parametrize("name", [*NUMPY_TYPES, *ML_TYPES])
@pytest.mark.parametrize("strided", [False, True])
def test_every_type_is_moved_bit_by_bit(name, strided):
    rng = np.random.default_rng(3)
    data = random_bits(rng, (5, 7), dtype_of(name))
    rows = random_bits(rng, (3, 7), dtype_of(name))
    if strided:
        data, rows = restrided(rng, data), restrided(rng, rows)
    index = np.array([4, 0, -1])
    wanted = np.array(data)
    for i, row in zip(index, rows):
        wanted[i] = row
    assert_same(strew.gather(data, index), data[index])
    assert_same(strew.gather(data, index, axis=1), data[:, index])
    assert_same(strew.gather_nd(data, [[1, 2], [-1, -1]]), data[[1, -1], [2, -1]])
    assert_same(strew.gather_elements(data, [[1], [0]], axis=1), np.array([data[0, 1:2], data[1, :1]]))
    assert_same(strew.scatter_nd(data, index[:, None], rows), wanted)
    assert_same(strew.scatter_elements(data, np.broadcast_to(index[:, None], (3, 7)), rows), wanted)
    wide = strew.tensor_scatter(data[None], rows[None], [2], axis=1)
    assert_same(wide[0], np.concatenate([data[:2], rows]))
    out = np.zeros((3, 7), data.dtype)
    assert strew.gather(data, index, out=out) is out
    assert_same(out, data[index])


@pytest.mark.parametrize("dtype", SWAPPED, ids=str)
def test_data_of_another_byte_order_is_read_right(dtype):
    data = random_numbers(np.random.default_rng(5), (6, 3), dtype.newbyteorder()).astype(dtype)
    native = data.astype(dtype.newbyteorder("="))
    moved = strew.gather(data, [1, -1])
    assert moved.dtype == dtype
    assert moved.tobytes() == data[[1, -1]].tobytes()
    out = np.zeros((2, 3), native.dtype)
    assert strew.gather(data, [1, -1], out=out) is out
    assert_same(out, native[[1, -1]])
    swapped_out = np.zeros((2, 3), dtype)
    assert strew.gather(data, [1, -1], out=swapped_out) is swapped_out
    assert swapped_out.tobytes() == data[[1, -1]].tobytes()
    scattered_into = strew.scatter_nd(data, [[0]], data[1:2])
    assert scattered_into.dtype == dtype
    assert_same(scattered_into.astype(native.dtype), strew.scatter_nd(native, [[0]], native[1:2]))
    assert_same_numbers(
        strew.scatter_nd(native, [[0]], data[1:2], "add"), scattered(native, (np.array([0]),), native[1:2], "add")
    )


@pytest.mark.parametrize("index_type", INDEX_TYPES)
@pytest.mark.parametrize("order", "<>")
def test_indices_of_every_type_and_byte_order(index_type, order):
    data = np.arange(100.0)
    for index in (np.array([3, 99, 0]), np.array([-1, -100, 7])):
        if index.min() >= 0 or index_type.startswith("i"):
            given = index.astype(index_type).astype(np.dtype(index_type).newbyteorder(order))
            assert_same(strew.gather(data, given), data[index])
            assert_same(
                strew.scatter_nd(data, given[:, None], np.ones(3)), scattered(data, (index,), np.ones(3), "none")
            )


@pytest.mark.parametrize("name", [*ML_TYPES[1:], "complex64", "complex128"])
def test_reductions_without_a_meaning_are_refused(name):
    data = random_bits(np.random.default_rng(1), (3,), dtype_of(name))
    for reduction in ["max", "min"] if name.startswith("complex") else ["add", "mul", "max", "min"]:
        words = f"^scatter_nd: reduction '{reduction}' is not supported for (float|complex|u?int)"
        refuses(TypeError, words, strew.scatter_nd, data, [[0]], data[:1], reduction)


REFUSED = {
    "record of objects": (
        np.zeros(3, [("a", "O")]),
        "data has the NumPy type [('a', 'O')], which cannot be moved; use one of its fields, such as data['name']",
    ),
    "nothing": (np.zeros(3, "V0"), "data has the NumPy type |V0, which cannot be moved"),
    "masked": (np.ma.zeros(3), "data is a masked array, whose mask would be lost; use .data or .filled()"),
    "objects": (
        np.array(["a", 1.5, "b"], object),
        "data[1] is of type float; an object array is read as strings and must hold str or bytes; use .astype for numbers, .to_numpy('M8[ns]') for dates, and only columns of one type from a DataFrame",
    ),
    "nan": (np.array(["a", np.nan], object), "data[1] is a missing value of type float; fill missing values or leave them out"),
    "none": (np.array([[None, "a"]], object), "data[0, 0] is a missing value of type NoneType; fill missing values or leave them out"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_elements_that_are_more_than_bytes_are_refused_with_a_reason(name):
    data, reason = REFUSED[name]
    for op, rest in {
        "gather": ([0],),
        "gather_elements": ([0],),
        "gather_nd": ([[0]],),
        "scatter_elements": ([0], data[:1]),
        "scatter_nd": ([[0]], data[:1]),
    }.items():
        says(TypeError, f"{op}: {reason}", getattr(strew, op), data, *rest)


@pytest.mark.parametrize(
    "indices", [[0.0], [True], ["a"], [None], [1j], np.zeros(1, object), np.zeros(1, "M8[s]")], ids=str
)
def test_indices_that_are_no_integers_are_refused(indices):
    with pytest.raises(TypeError, match=r"^gather: indices are (of type )?[][<a-z0-9A-Z]+; they must be integers"):
        strew.gather(np.zeros(3), indices)


@pytest.mark.parametrize("name", ["uint8", "int8", "int4", "uint4", "int2", "uint64"])
def test_integers_that_do_not_fit_are_not_cut(name):
    data = np.zeros(3, dtype_of(name))
    sign = -1 if name == "uint64" else 1
    for update in ([sign * 300], sign * 300, [np.int64(-300)], range(-300, -299)):
        with pytest.raises(OverflowError):
            strew.scatter_nd(data, [[0]], update)


def test_platform_types_of_one_width_are_one_type():
    data = np.arange(4, dtype=np.longlong)
    out = np.zeros(1, np.int64)
    assert strew.gather(data, [2], out=out) is out
    assert out.tolist() == [2]
    assert strew.scatter_nd(np.arange(4), np.array([[1]], np.longlong), data[:1]).tolist() == [0, 0, 2, 3]

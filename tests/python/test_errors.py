"""Tests exceptions and messages: every error of each argument, for each operator, and errors not caused by operands."""

import copy
import os
import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import strew
import strew.numpy
from support import refuses, says

D = np.arange(12.0).reshape(3, 4)
I1, I2 = np.zeros(2, np.int64), np.zeros((2, 4), np.int64)
CACHE = np.zeros((2, 5, 3))

g, ge, gn = strew.gather, strew.gather_elements, strew.gather_nd
se, sn, ts = strew.scatter_elements, strew.scatter_nd, strew.tensor_scatter

TABLE = [
    # Index values.
    (IndexError, lambda: g(D, [0, 3]), "gather: indices[1] = 3 is outside [-3, 2] for axis 0 of data with shape [3, 4]"),
    (IndexError, lambda: g(D, -5, axis=1), "gather: indices = -5 is outside [-4, 3] for axis 1 of data with shape [3, 4]"),
    (IndexError, lambda: g(D, np.array([[0], [2**63]], np.uint64)), "gather: indices[1, 0] = 9223372036854775808 is outside [-3, 2] for axis 0 of data with shape [3, 4]"),
    (IndexError, lambda: g(D, np.array([0, 255], "u1")), "gather: indices[1] = 255 is outside [-3, 2] for axis 0 of data with shape [3, 4]"),
    (IndexError, lambda: g(np.empty((0, 4)), [0]), "gather: indices[0] = 0, but there is no position to choose for axis 0 of data with shape [0, 4]"),
    (IndexError, lambda: g(np.empty((4, 0)), [4]), "gather: indices[0] = 4 is outside [-4, 3] for axis 0 of data with shape [4, 0]"),
    (IndexError, lambda: ge(D, [[0, 1], [0, 9]], 1), "gather_elements: indices[1, 1] = 9 is outside [-4, 3] for axis 1 of data with shape [3, 4]"),
    (IndexError, lambda: gn(D, [[0, 0], [0, -5]]), "gather_nd: indices[1, 1] = -5 is outside [-4, 3] for axis 1 of data with shape [3, 4]"),
    (IndexError, lambda: gn(D, [[4], [0], [0]], 1), "gather_nd: indices[0, 0] = 4 is outside [-4, 3] for axis 1 of data with shape [3, 4]"),
    (IndexError, lambda: se(D, [[3]], [[1]]), "scatter_elements: indices[0, 0] = 3 is outside [-3, 2] for axis 0 of data with shape [3, 4]"),
    (IndexError, lambda: sn(D, [[-4]], 1), "scatter_nd: indices[0, 0] = -4 is outside [-3, 2] for axis 0 of data with shape [3, 4]"),
    (IndexError, lambda: ts(CACHE, CACHE[:, :1], [0, -1]), "tensor_scatter: write_indices[1] = -1 is negative; positions start at 0"),
    (IndexError, lambda: ts(CACHE, CACHE[:, :2], [3, 4]), "tensor_scatter: write_indices[1] = 4 leaves no room for an update of length 2 on axis 1 of past_cache with shape [2, 5, 3]; the highest valid value is 3"),
    # Ranks and shapes.
    (ValueError, lambda: g(5, 0), "gather: data has shape [] of rank 0; the rank must be 1 or more"),
    (ValueError, lambda: ge(D, I1), "gather_elements: indices have shape [2] of rank 1 but data has shape [3, 4] of rank 2; the ranks must be equal"),
    (ValueError, lambda: ge(D, np.zeros((1, 5), int)), "gather_elements: indices have shape [1, 5]: dimension 1 is 5, more than the 4 of data with shape [3, 4]; only axis 0 may be longer"),
    (ValueError, lambda: gn(D, 0), "gather_nd: indices have shape [] of rank 0; the rank must be 1 or more"),
    (ValueError, lambda: gn(D, [[0, 0, 0]]), "gather_nd: indices have shape [1, 3]: tuples of length 3; 1 to 2 are possible for data of shape [3, 4]"),
    (ValueError, lambda: gn(D, np.zeros((2, 0), int)), "gather_nd: indices have shape [2, 0]: tuples of length 0; 1 to 2 are possible for data of shape [3, 4]"),
    (ValueError, lambda: gn(D, [[0], [0]], 1), "gather_nd: batch dimension 0 is 3 in data of shape [3, 4] but 2 in indices of shape [2, 1]; they must be equal"),
    (ValueError, lambda: se(D, I2, np.zeros((2, 3))), "scatter_elements: updates have shape [2, 3]; they must have [2, 4] (the shape of indices) for data of shape [3, 4] and indices of shape [2, 4]"),
    (ValueError, lambda: sn(D, [[0]], np.zeros(4)), "scatter_nd: updates have shape [4]; they must have [1, 4] (indices.shape[:-1] ++ data.shape[indices.shape[-1]:]) for data of shape [3, 4] and indices of shape [1, 1]"),
    (ValueError, lambda: ts(CACHE, CACHE[0]), "tensor_scatter: update has shape [5, 3] of rank 2 but past_cache has shape [2, 5, 3] of rank 3; the ranks must be equal"),
    (ValueError, lambda: ts(CACHE, 1.0), "tensor_scatter: update has shape [] of rank 0 but past_cache has shape [2, 5, 3] of rank 3; the ranks must be equal"),
    (ValueError, lambda: ts(CACHE, CACHE[..., :2]), "tensor_scatter: update has shape [2, 5, 2]: dimension 2 is 2 but past_cache of shape [2, 5, 3] has 3; only axis 1 may differ"),
    (ValueError, lambda: ts(CACHE, np.zeros((2, 6, 3))), "tensor_scatter: update of shape [2, 6, 3] is 6 long on axis 1, more than the 5 of past_cache with shape [2, 5, 3]"),
    (ValueError, lambda: ts(CACHE, CACHE, [0]), "tensor_scatter: write_indices have shape [1]; they must have [2], one for each batch entry of past_cache with shape [2, 5, 3]"),
    (NotImplementedError, lambda: g(np.zeros((1,) * 64), [[[0]]]), "gather: output has rank 66; the highest is 64"),
    (ValueError, lambda: g(np.broadcast_to(1.0, (2, 2**40)), np.broadcast_to(0, (2**22,))), "gather: output has shape [4194304, 1099511627776], which is more than 2^63 - 1 bytes of float64"),
    # Attributes.
    (ValueError, lambda: g(D, I1, 2), "gather: axis 2 is outside [-2, 1] for data of shape [3, 4]"),
    (ValueError, lambda: ge(D, I2, -3), "gather_elements: axis -3 is outside [-2, 1] for data of shape [3, 4]"),
    (ValueError, lambda: se(D, I2, D[:2], 2**62), "scatter_elements: axis 4611686018427387904 is outside [-2, 1] for data of shape [3, 4]"),
    (ValueError, lambda: gn(D, I2, 2), "gather_nd: batch_dims 2 is outside [0, 1] for data of shape [3, 4] and indices of shape [2, 4]"),
    (ValueError, lambda: gn(D, I2, -1), "gather_nd: batch_dims -1 is outside [0, 1] for data of shape [3, 4] and indices of shape [2, 4]"),
    (ValueError, lambda: ts(CACHE, CACHE, axis=0), "tensor_scatter: axis 0 is the batch axis of past_cache with shape [2, 5, 3]; it must be 1 to 2 (or -2 to -1)"),
    (ValueError, lambda: ts(CACHE, CACHE, axis=3), "tensor_scatter: axis 3 is outside [-3, 2] for past_cache of shape [2, 5, 3]"),
    (ValueError, lambda: se(D, I2, D[:2], 0, "average"), "scatter_elements: reduction 'average' is not one of 'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'"),
    (ValueError, lambda: sn(D, I2, D[:2], ""), "scatter_nd: reduction '' is not one of 'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'"),
    (ValueError, lambda: sn(D, I2, D[:2], "add\0"), "scatter_nd: reduction 'add ' is not one of 'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'; did you mean 'add'?"),
    (ValueError, lambda: ts(CACHE, CACHE, mode="Linear"), "tensor_scatter: mode 'Linear' is not one of 'linear', 'circular'; did you mean 'linear'?"),
    (ValueError, lambda: sn(D, [0, 1], D[:2, :2]), "scatter_nd: indices are one tuple of 2 numbers; for 2 tuples of one number, use shape [2, 1]; updates have shape [2, 2]; they must have [] (indices.shape[:-1] ++ data.shape[indices.shape[-1]:]) for data of shape [3, 4] and indices of shape [2]"),
    # Types.
    (TypeError, lambda: g(D, slice(0, 2)), "gather: indices are a slice; pass integers, such as np.arange(start, stop, step)"),
    (TypeError, lambda: g(D, [0.0]), "gather: indices are float64; they must be integers"),
    (IndexError, lambda: g(D, [0, 2**70]), f"gather: indices hold {2**70}; an index must be from -2**63 to 2**63 - 1, or up to 2**64 - 1 in an array of uint64"),
    (IndexError, lambda: sn(D, [[-(2**64)]], 0), f"scatter_nd: indices hold {-(2**64)}; an index must be from -2**63 to 2**63 - 1, or up to 2**64 - 1 in an array of uint64"),
    (IndexError, lambda: g(D, [1, 2**63]), f"gather: indices hold {2**63}; an index must be from -2**63 to 2**63 - 1, or up to 2**64 - 1 in an array of uint64"),
    (TypeError, lambda: g(D, [1, 2**63, 0.5]), "gather: indices are float64; they must be integers"),
    (TypeError, lambda: g(D, [True, 1]), "gather: indices hold a bool among integers, True; write 0 or 1"),
    (TypeError, lambda: gn(D, ([0, 1], (False, 1))), "gather_nd: indices hold a bool among integers, False; write 0 or 1"),
    (ValueError, lambda: g(D, [[1, 0], [2]]), "gather: indices hold lists of different lengths; an array needs lists of equal length"),
    (ValueError, lambda: g([[1, 0], [2]], 0), "gather: data holds lists of different lengths; an array needs lists of equal length"),
    (ValueError, lambda: sn(D, [[0], [1]], [[1] * 4, [2] * 3]), "scatter_nd: updates hold lists of different lengths; an array needs lists of equal length"),
    (TypeError, lambda: g(D, [None, 2**70]), "gather: indices are of type object; they must be integers"),
    (TypeError, lambda: g(D, [True, False]), "gather: indices are bool; they must be integers; convert a mask to indices with np.flatnonzero(mask)"),
    (TypeError, lambda: se(D, D > 1, D), "scatter_elements: indices are bool; they must be integers; convert a mask with np.argwhere(mask) to indices for scatter_nd"),
    (TypeError, lambda: gn(D, D > 1), "gather_nd: indices are bool; they must be integers; convert a mask with np.argwhere(mask) to indices for gather_nd"),
    (TypeError, lambda: g(D, "a"), "gather: indices are a str; an array or a sequence is needed"),
    (TypeError, lambda: g(D, np.zeros(0)), "gather: indices are float64; they must be integers"),
    (TypeError, lambda: ts(CACHE, CACHE, [0.0, 0.0]), "tensor_scatter: write_indices are float64; they must be integers"),
    (TypeError, lambda: ts(CACHE, CACHE.astype("f4")), "tensor_scatter: update is float32 but past_cache is float64; both must have the same type; use .astype('float64') or casting='same_kind'"),
    (TypeError, lambda: sn(D, [[0]], np.zeros((1, 4), "f4")), "scatter_nd: updates are float32 but data is float64; both must have the same type; use .astype('float64') or casting='same_kind'"),
    (TypeError, lambda: sn(D.astype("i8"), [[0]], np.zeros((1, 4))), "scatter_nd: updates are float64 but data is int64; both must have the same type; convert the latter with .astype('float64')"),
    (TypeError, lambda: sn(D, [[0]], [["a"] * 4]), "scatter_nd: updates hold 'a', of type <U1, but data is float64; pass values of type float64, or data of type <U1"),
    (TypeError, lambda: sn(D, [[0]], [[None] * 4]), "scatter_nd: updates hold None, of type object, but data is float64; pass values of type float64"),
    (TypeError, lambda: sn(D, [[0]], [[1, 2.5, None, 3]]), "scatter_nd: updates hold None, of type object, but data is float64; pass values of type float64"),
    (TypeError, lambda: sn(np.zeros((1, 2), int), [[0]], [[1, 2.5]]), "scatter_nd: updates hold 2.5, of type float64, but data is int64; pass values of type int64, or data of type float64"),
    (TypeError, lambda: ts(CACHE, 1j), "tensor_scatter: update is 1j, of type complex128, but past_cache is float64; pass values of type float64, or past_cache of type complex128"),
    (TypeError, lambda: sn(D, [[0]], 1j), "scatter_nd: updates hold 1j, of type complex128, but data is float64; pass values of type float64, or data of type complex128"),
    (TypeError, lambda: sn(D > 0, [[0]], 1), "scatter_nd: updates hold 1, of type int64, but data is bool; pass values of type bool, or data of type int64"),
    (TypeError, lambda: sn(np.zeros(4, int), [[0]], 1.0, "add"), "scatter_nd: updates hold 1.0, of type float64, but data is int64; pass values of type int64, or data of type float64"),
    (TypeError, lambda: g({1: 2}, [0]), "gather: data is a dict; an array or a sequence is needed"),
    (TypeError, lambda: g("abc", [0]), "gather: data is a str; an array or a sequence is needed"),
    (TypeError, lambda: g(D, {0, 1}), "gather: indices are a set; an array or a sequence is needed, such as list(indices)"),
    (TypeError, lambda: sn(D, (i for i in [0]), 1), "scatter_nd: indices are a generator; an array or a sequence is needed, such as list(indices)"),
    (ValueError, lambda: gn(D, ([0, 1, 2], [1, 2, 3])), "gather_nd: indices have shape [2, 3]: tuples of length 3; 1 to 2 are possible for data of shape [3, 4]; for a tuple of index arrays, one for each axis, write np.stack(indices, -1)"),
    (ValueError, lambda: sn(D, (I1, I1 + 1), np.zeros(3)), "scatter_nd: updates have shape [3]; they must have [2] (indices.shape[:-1] ++ data.shape[indices.shape[-1]:]) for data of shape [3, 4] and indices of shape [2, 2]; for a tuple of index arrays, one for each axis, write np.stack(indices, -1)"),
    (ValueError, lambda: g(D, [0, 1], out=D[:2]), "gather: out overlaps data in memory; it must have memory of its own"),
    (ValueError, lambda: ts(CACHE, CACHE[:, :1], out=CACHE[:, ::-1]), "tensor_scatter: out overlaps past_cache in memory; to work in place both must be the same tensor"),
    (ValueError, lambda: g(D[0], [0, 1], out=np.zeros(2, "i4, f8")["f1"]), "gather: out has strides of [12] bytes, which are not multiples of its element size 8; pass a copy, or a field of an aligned structured type"),
    (OverflowError, lambda: sn(np.zeros(2, np.uint64), [[0]], np.int64(-1)), "scatter_nd: updates hold -1, which uint64 cannot hold; its range is 0 to 18446744073709551615"),
    (OverflowError, lambda: sn(np.zeros(2, np.int8), [[0], [1], [1]], [1, 200, 300]), "scatter_nd: updates hold 200, which int8 cannot hold; its range is -128 to 127"),
    (OverflowError, lambda: sn(np.zeros(2, "f2"), [[0], [1]], [65519, 65520]), "scatter_nd: updates hold 65520, which float16 cannot hold; its largest value is 65504.0"),
    (OverflowError, lambda: sn(np.zeros(2, "f2"), [[0]], -1e6), "scatter_nd: updates hold -1000000.0, which float16 cannot hold; its largest value is 65504.0"),
    (OverflowError, lambda: sn(np.zeros(2, "f4"), [[0]], [np.nan, np.inf, 1e39]), "scatter_nd: updates hold 1e+39, which float32 cannot hold; its largest value is 3.4028234663852886e+38"),
    (OverflowError, lambda: sn(np.zeros(2, "f4"), [[0]], 1.0, "add", alpha=1e39), "scatter_nd: alpha holds 1e+39, which float32 cannot hold; its largest value is 3.4028234663852886e+38"),
    (OverflowError, lambda: strew.gather(np.zeros(2, "c8"), 9, out_of_bounds="fill", fill_value=1 + 1e39j), "gather: fill_value holds (1+1e+39j), which complex64 cannot hold; its largest value is 3.4028234663852886e+38"),
    (OverflowError, lambda: sn(np.zeros(2, ml_dtypes.float8_e4m3fn), [[0]], 1e3), "scatter_nd: updates hold 1000.0, which float8_e4m3fn cannot hold; its largest value is 448.0"),
    (OverflowError, lambda: sn(np.zeros(2, int), [[0]], 1, "add", alpha=2**64), "scatter_nd: alpha holds 18446744073709551616, which int64 cannot hold; its range is -9223372036854775808 to 9223372036854775807"),
    # Arguments.
    (TypeError, lambda: g(D), "gather: indices are missing"),
    (TypeError, lambda: g(D, 0, dim=0), "gather: there is no parameter 'dim'; the parameters are data, indices, axis, out, out_of_bounds, fill_value, negative_indices; did you mean 'axis'?"),
    (TypeError, lambda: g(D, 0, 0, None, 1), "gather: 5 arguments were given without a name; at most 4 are allowed: data, indices, axis, out"),
    (TypeError, lambda: g(D, 0, data=D), "gather: data was given twice"),
    (TypeError, lambda: g(None, 0), "gather: data is None; an array or a sequence is needed"),
    (TypeError, lambda: g(D, 0, axis=0.0), "gather: axis is a float; it must be an int"),
    (TypeError, lambda: g(D, 0, axis=True), "gather: axis is a bool; it must be an int"),
    (TypeError, lambda: g(D, 0, axis=None), "gather: axis is None; it must be an int"),
    (TypeError, lambda: se(D, 0, 0, "add"), "scatter_elements: axis is a str; it must be an int; did you mean reduction='add'?"),
    (TypeError, lambda: sn(D, 0, 0, 3), "scatter_nd: reduction is an int; it must be a str"),
    (TypeError, lambda: sn(D, 0, 0, None), "scatter_nd: reduction is None; it must be a str"),
    # Several errors in one call: operands are checked before attributes, and attributes before index values.
    (ValueError, lambda: sn(D, [[99]], np.zeros((1, 4), "f4"), "sum"), "scatter_nd: reduction 'sum' is not one of 'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'; did you mean 'add'?"),
    (ValueError, lambda: se(D, I2, D[:2], 0, "amin"), "scatter_elements: reduction 'amin' is not one of 'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'; did you mean 'min'?"),
    (TypeError, lambda: sn(D, [[99]], np.zeros((1, 4), "f4")), "scatter_nd: updates are float32 but data is float64; both must have the same type; use .astype('float64') or casting='same_kind'"),
]  # fmt: skip


@pytest.mark.parametrize("error, call, message", TABLE, ids=[row[2][:70] for row in TABLE])
def test_a_refusal_says_what_where_and_what_would_be_right(error, call, message):
    assert type(says(error, message, call)) is error


def test_the_first_bad_index_is_named_for_any_number_of_threads():
    data, indices = np.zeros(10), np.zeros(1_000_000, np.int64)
    indices[[300_001, 300_002, 999_999]] = [-11, 10, 77]
    for threads in (1, 2, 3, 7):
        with strew.num_threads(threads):
            refuses(IndexError, r"^gather: indices\[300001\] = -11 is outside", strew.gather, data, indices)


@pytest.mark.parametrize("axis", [2**63, -(2**70)])
def test_an_axis_beyond_64_bits_is_shown_as_it_was_given(axis):
    refuses(ValueError, f"^gather: axis {axis} is not a 64-bit int$", g, D, 0, axis=axis)


class Raises:
    """An object whose `__array__` raises an error."""

    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


@pytest.mark.parametrize(
    "error",
    [ValueError("no"), RuntimeError("no"), KeyboardInterrupt("no"), MemoryError("no"), ZeroDivisionError("no")],
    ids=lambda odd: type(odd).__name__,
)
def test_an_exception_of_an_operand_comes_through(error):
    for call in (lambda o: g(o, 0), lambda o: g(D, o), lambda o: sn(D, [[0]], o), lambda o: ts(CACHE, CACHE, o)):
        refuses(type(error), "^no$", call, Raises(error))


def within(depth, innermost):
    for _ in range(depth):
        innermost = [innermost]
    return innermost


ITSELF: list = [0.5]
ITSELF[0] = ITSELF
ENDLESS = {"itself": ITSELF, "tuple": ([ITSELF],), "65 deep": within(65, 0), "200,000 deep": within(200_000, 0)}
NESTED = {
    "gather: indices": [
        lambda o: g(D, o),
        lambda o: strew.check_indices(g, D, o),
        lambda o: strew.explain(g, D, o),
        lambda o: strew.picture(g, D, o),
    ],
    "gather: data": [lambda o: g(o, 0)],
    "gather: fill_value": [lambda o: g(D, [9], out_of_bounds="fill", fill_value=o)],
    "scatter_elements: updates": [lambda o: se(D, I2, o)],
    "scatter_elements: alpha": [lambda o: se(D, I2, D, reduction="add", alpha=o)],
    "tensor_scatter: write_indices": [lambda o: ts(CACHE, CACHE, o)],
}


@pytest.mark.parametrize("endless", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_list_that_holds_itself_or_is_nested_too_deeply_is_refused_as_numpy_does(endless):
    with pytest.raises(ValueError):
        np.asarray(endless)
    for what, calls in NESTED.items():
        verb = "hold" if what.endswith(("indices", "updates")) else "holds"
        words = f"{what} {verb} lists nested more than 64 deep, or a list that contains itself"
        for call in calls:
            says(ValueError, words, call, endless)


def test_a_list_that_holds_itself_twice_is_looked_at_once():
    twice: list = [0.5]
    twice += [twice, twice]
    for call in (lambda: g(twice, 0), lambda: g(D, twice)):
        refuses(ValueError, "^gather: (data holds|indices hold) lists of different lengths;", call)


class Nothing:
    """An object whose every attribute is None, except that special attributes raise an error."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise RuntimeError(name)
        return None


@pytest.mark.parametrize(
    "odd",
    [Nothing(), Nothing, object(), {}, {1}, (i for i in [1]), lambda: 1, np.ndarray, ..., NotImplemented, type],
    ids=lambda odd: type(odd).__name__,
)
def test_odd_objects_are_refused(odd):
    for call in (lambda: g(odd, 0), lambda: g(D, odd), lambda: sn(D, [[0]], odd), lambda: g(D, 0, out=odd)):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            call()


class Collection:
    """A collection like Dask's and xarray's: `__dask_graph__` returns a graph, or None if nothing is deferred."""

    def __init__(self, graph):
        self.graph = graph

    def __dask_graph__(self):
        return self.graph

    def __array__(self, dtype=None, copy=None):
        assert self.graph is None, "was computed"
        return np.arange(3)


def test_arrays_of_dask_are_refused_before_they_are_computed():
    lazy, here = Collection({}), Collection(None)
    calls = {
        "data": lambda: strew.gather(lazy, [0]),
        "indices": lambda: strew.gather_nd(np.zeros(3), lazy),
        "updates": lambda: strew.scatter_nd(np.zeros(3), [[0]], lazy),
        "past_cache": lambda: strew.tensor_scatter(lazy, np.zeros((1, 1, 1))),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f": a Dask array for {name} would be read whole into memory; use strew.dask, or the array's .compute"):
            call()
    assert strew.gather(here, [2]).tolist() == [2]
    assert strew.scatter_elements(np.zeros(3, int), [2, 1, 0], here).tolist() == [2, 1, 0]


def test_a_string_that_is_none_of_unicode_is_named():
    broken = np.array([0x110000], np.uint32).view("U1")
    with pytest.raises(ValueError, match="scatter_nd: data holds a character that is not valid Unicode"):
        strew.scatter_nd(broken, [[0]], broken)


def test_thread_numbers_out_of_range_are_refused():
    for number in (0, -1, 1025, 2**70):
        for name, use in {
            "set_num_threads": strew.set_num_threads,
            "num_threads": lambda n: strew.num_threads(n).__enter__(),
        }.items():
            says(ValueError, f"{name}: {number} threads; 1 to 1024 are possible", use, number)
    for number in (1.0, "2"):
        with pytest.raises(TypeError, match=f"^set_num_threads: n is {number!r}; it must be an integer from 1 to 1024$"):
            strew.set_num_threads(number)


class Described:
    def __init__(self, **changes):
        described = {"shape": (2,), "typestr": "<i8", "data": (np.zeros(2).ctypes.data, False), "version": 3}
        self.__array_interface__ = {**described, **changes}


@pytest.mark.parametrize("changes", [{"shape": (-1,)}, {"shape": 5}, {"typestr": "what"}, {"data": None, "offset": -8}])
def test_an_array_interface_that_cannot_be_read_is_named(changes):
    for call, what in [(lambda o: g(D, o), "gather: indices"), (lambda o: sn(o, [[0]], [1]), "scatter_nd: data")]:
        with pytest.raises((TypeError, ValueError)) as refusal:
            call(Described(**changes))
        assert str(refusal.value).startswith(f"{what}: the array interface of a {Described.__module__}.Described cannot be read: ")
        assert refusal.value.__cause__ is not None


LACKED = [
    ("strew", "scater", "; did you mean 'scatter_elements' or 'scatter_nd'?"),
    ("strew", "Gather", "; did you mean 'gather'?"),
    ("strew", "load_modl", "; did you mean 'load_model'?"),
    ("strew", "install", "; see strew.torch.install"),
    ("strew", "take", "; see strew.numpy.take"),
    ("strew", "add", "; see strew.numpy.add"),
    ("strew", "nonsense", ""),
    ("strew.numpy", "tkae", "; did you mean 'take'?"),
    ("strew.dask", "scater", "; did you mean 'scatter_elements' or 'scatter_nd'?"),
    ("strew.dask", "take", "; did you mean 'gather'?"),
]
IMPORTS = ["conformance", "cuda", "dask", "numpy", "torch"]
LACKED += [("strew", name, f"; it must be imported: import strew.{name}") for name in IMPORTS]


@pytest.mark.parametrize(("module", "name", "hint"), LACKED)
def test_a_name_that_a_module_lacks_is_guessed_or_named_with_its_import(module, name, hint):
    lacking = pytest.importorskip(module).__getattr__
    says(AttributeError, f"module {module!r} has no attribute {name!r}{hint}", lacking, name)


FIELDS = [
    (lambda: strew.gather(D, [0, 9]), {"operator": "gather", "operand": "indices", "axis": 0, "position": (1,), "value": 9}),
    (lambda: sn(D, [[0], [-8]], 0), {"operator": "scatter_nd", "operand": "indices", "axis": 0, "position": (1, 0), "value": -8}),
    (lambda: strew.gather(D, np.array(2**64 - 1, np.uint64)), {"operator": "gather", "operand": "indices", "axis": 0, "position": (), "value": 2**64 - 1}),
    (lambda: strew.gather(D, [0], 7), {"operator": "gather", "operand": "axis", "value": 7}),
    (lambda: sn(D, [[0]], 0, "sum"), {"operator": "scatter_nd", "operand": "reduction", "value": "sum"}),
    (lambda: strew.gather(D, [0.5]), {"operator": "gather", "operand": "indices"}),
    (lambda: se(D, [[0] * 9] * 2, 0, 0), {"operator": "scatter_elements", "operand": "indices", "axis": 1}),
    (lambda: strew.gather(D, [[0], [0, 1]]), {"operator": "gather", "operand": "indices"}),
    (lambda: sn(np.zeros(2, np.int8), [[0]], [200]), {"operator": "scatter_nd", "operand": "updates"}),
    (lambda: strew.gather(D), {"operator": "gather", "operand": "indices"}),
    (lambda: strew.gather(D, [0], out=1), {"operator": "gather", "operand": "out"}),
    (lambda: strew.load_model("/none.onnx"), {"where": "/none.onnx"}),
    (lambda: strew.broadcast_full((2, -1), 0), {"operator": "broadcast_full", "operand": "shape"}),
    (lambda: strew.check_indices(len), {"operator": "check_indices", "operand": "function"}),
    (lambda: strew.edge_dot(D, D, 1), {"operator": "edge_dot", "operand": "edges"}),
    (lambda: strew.set_num_threads(0), {"operator": "set_num_threads", "operand": "n", "value": 0}),
    (lambda: strew.numpy.add.at(np.zeros(3), [0, 7], 1), {"operator": "add.at", "operand": "indices", "axis": 0, "position": (1,), "value": 7}),
]  # fmt: skip


CODES = {IndexError: "index out of range", TypeError: "invalid type", ValueError: "invalid argument"}


@pytest.mark.parametrize("call, fields", FIELDS, ids=[str(number) for number in range(len(FIELDS))])
def test_an_exception_carries_its_code_and_what_its_message_says_and_keeps_them_when_pickled(call, fields):
    with pytest.raises(Exception) as refusal:
        call()
    error = refusal.value
    assert isinstance(error, strew.Refusal)
    assert error.code == CODES.get(type(error), error.code)
    front = error.where or error.operator
    assert str(error) == (f"{front}: {error.text}" if front else error.text)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    others = vars(error).items() - {("code", error.code), ("text", error.text)}
    assert {name: value for name, value in others if value is not None} == fields


def test_the_attributes_of_an_error_with_a_cause_are_there_too():
    with pytest.raises(ValueError) as refusal:
        strew.gather([[1], [1, 2]], [0])
    assert isinstance(refusal.value.__cause__, ValueError) and refusal.value.operand == "data"


@pytest.mark.parametrize("setter", [strew.set_memory_cache_limit, strew.set_scratch_limit])
def test_a_limit_of_memory_names_its_function_and_value(setter):
    for value in ("1G", 1.5, [1]):
        words = f"{setter.__name__}: n_bytes is {value!r}; it must be an integer, such as 2**30 for 1 GiB"
        says(TypeError, words, setter, value)
    for value in (-1, 2**63):
        refuses(ValueError, f"^{setter.__name__}: {value} bytes; 0 to ", setter, value)


def test_none_is_the_limit_at_first():
    memory, scratch = strew.get_memory_cache_limit(), strew.get_scratch_limit()
    strew.set_memory_cache_limit(1)
    strew.set_scratch_limit(1)
    strew.set_memory_cache_limit(None)
    strew.set_scratch_limit(None)
    assert (strew.get_memory_cache_limit(), strew.get_scratch_limit()) == (memory, scratch)


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_checked_indices_say_why_they_are_not_copied(act):
    with pytest.raises(TypeError, match="^CheckedIndices can be neither copied nor pickled: .* strew.check_indices there$"):
        act(strew.check_indices(strew.gather, D, [0]))


def test_a_number_of_threads_in_the_environment_that_is_none_is_said_once():
    code = "import strew; strew.get_num_threads(); strew.gather([1.0], [0]); print(strew.get_num_threads() >= 1)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "STREW_NUM_THREADS": "many"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "True\n")
    assert done.stderr == "strew: STREW_NUM_THREADS is 'many', not a number from 1 to 1024; all processors are used\n"

"""Calls that strew.dask rejects at once: shapes, attributes, types, unknown parameters."""

import inspect

import dask.array as da
import numpy as np
import pytest
import strew
import strew.dask
from support import refuses

REFUSED = [
    ("gather", [(3,), (2,)], {"axis": 1}),
    ("gather_nd", [(3, 2), (2, 3)], {}),
    ("gather_nd", [(3, 2), (2, 1)], {"batch_dims": 1}),
    ("gather_elements", [(3, 2), (2, 3)], {}),
    ("scatter_nd", [(3, 2), (4, 1), (4, 3)], {}),
    ("scatter_elements", [(3, 2), (4, 1), (4, 2)], {}),
    ("scatter_nd", [(3, 2), (4, 1), (4, 2)], {"reduction": "sum"}),
    ("tensor_scatter", [(3, 2, 4), (3, 5, 4)], {"axis": 1}),
    ("tensor_scatter", [(3, 2, 4), (3, 1, 4)], {"axis": 0}),
]


@pytest.mark.parametrize(("op", "shapes", "attributes"), REFUSED)
def test_shapes_and_attributes_are_refused_when_called_in_the_words_of_one_call(op, shapes, attributes):
    operands = [np.zeros(shape, np.int64 if n == 1 else np.float32) for n, shape in enumerate(shapes)]
    if op == "tensor_scatter":
        operands = [operand.astype(np.float32) for operand in operands]
    with pytest.raises((ValueError, TypeError)) as one:
        getattr(strew, op)(*operands, **attributes)
    with pytest.raises(one.type) as lazy:
        getattr(strew.dask, op)(*(da.from_array(operand, chunks=1) for operand in operands), **attributes)
    assert str(lazy.value) == str(one.value)


def test_types_are_refused_when_called():
    data, indices = da.zeros((4, 2), chunks=2), da.zeros((3, 1), dtype=int, chunks=2)
    with pytest.raises(TypeError, match="scatter_nd: updates are float32 but data is float64"):
        strew.dask.scatter_nd(data, indices, da.zeros((3, 2), dtype=np.float32))
    with pytest.raises(TypeError, match="gather: data has type <U3; strings are not for strew.dask"):
        strew.dask.gather(da.from_array(np.array(["abc", "d"])), [0])
    for words in (np.array(["abc", "d"], object), np.array(["abc"], np.dtypes.StringDType())):
        refuses(TypeError, r"gather: data has type .*; strings are not for strew.dask", strew.dask.gather, words, [0])
        with pytest.raises(TypeError, match=r"scatter_nd: updates has type .*; strings are not for strew.dask"):
            strew.dask.scatter_nd(data, [[1]], words)
    with pytest.raises(TypeError, match="gather: the chunks of data are of type MaskedArray; they must be ndarrays"):
        strew.dask.gather(da.ma.masked_equal(da.zeros(3), 0), [0])
    with pytest.raises(ValueError, match="gather: shuffle_method 'mail' is none of 'auto', 'direct', 'disk', 'tasks', 'p2p'"):
        strew.dask.gather(data, indices, shuffle_method="mail")
    unknown = da.from_array(np.arange(5), chunks=2)
    with pytest.raises(ValueError, match="gather: indices has chunks of unknown sizes; call its compute_chunk_sizes"):
        strew.dask.gather(data, unknown[unknown > 3])


NOT_OF_THE_DATA = [[1.5], 1.5, [2**70], [300], [1j], ["a"], [None], [[1], [2, 3]], [True, 2.0]]


@pytest.mark.parametrize("given", NOT_OF_THE_DATA, ids=str)
@pytest.mark.parametrize("dtype", ["u1", "?", "i8", "f4"])
def test_updates_that_are_no_array_are_cast_or_refused_as_by_one_call(given, dtype):
    data = np.zeros((2, 3), dtype)
    calls = {
        "scatter_nd": lambda m, data: m.scatter_nd(data, [[0, 0]], given),
        "scatter_elements": lambda m, data: m.scatter_elements(data, [[0]], [given] if isinstance(given, list) else given),
        "tensor_scatter": lambda m, data: m.tensor_scatter(data, [given, given], axis=1),
    }
    for name, call in calls.items():
        try:
            wanted = call(strew, data)
        except (OverflowError, TypeError, ValueError) as error:
            with pytest.raises(type(error)) as lazy:
                call(strew.dask, da.from_array(data, chunks=1))
            assert str(lazy.value) == str(error), name
        else:
            assert np.array_equal(call(strew.dask, da.from_array(data, chunks=1)).compute(), wanted), name


@pytest.mark.parametrize("given", [[True, 2], [2**70], [[0], [1, 2]], None, "a", [None], [1.0], slice(2), [9], []], ids=str)
def test_indices_that_are_no_array_are_taken_or_refused_as_by_one_call(given):
    data, cache = np.zeros((3, 4)), np.zeros((2, 3))
    for call in (
        lambda m, d, c: m.gather(d, given),
        lambda m, d, c: m.gather_nd(d, given),
        lambda m, d, c: m.gather_elements(d, given),
        lambda m, d, c: m.scatter_nd(d, given, 1.0),
        lambda m, d, c: m.scatter_elements(d, given, 1.0),
        lambda m, d, c: m.tensor_scatter(c, np.ones((2, 1)), given, axis=1),
    ):
        try:
            wanted = call(strew, data, cache)
        except (IndexError, TypeError, ValueError) as error:
            with pytest.raises(type(error)) as lazy:
                call(strew.dask, da.from_array(data, chunks=2), da.from_array(cache, chunks=2)).compute()
            assert str(lazy.value) == str(error)
        else:
            assert np.array_equal(call(strew.dask, data, cache).compute(), wanted)


def test_an_update_of_another_type_is_cast_where_that_is_asked_for():
    cache, update = da.zeros((2, 4), chunks=1), da.ones((2, 2), dtype=np.float32)
    with pytest.raises(TypeError, match="update is float32 but past_cache is float64; .* or casting='same_kind'$"):
        strew.dask.tensor_scatter(cache, update, axis=1)
    found = strew.dask.tensor_scatter(cache, update, [1, 0], axis=1, casting="same_kind")
    assert found.dtype == np.float64
    assert found.compute().tolist() == [[0, 1, 1, 0], [1, 1, 0, 0]]
    with pytest.raises(TypeError, match="update is float64 but past_cache is int64; both must have one type"):
        strew.dask.tensor_scatter(cache.astype(int), cache, axis=1, casting="same_kind")


def test_out_and_unknown_parameters_are_refused_when_called():
    data, buffer = da.zeros(4, chunks=2), np.zeros(1)
    for call in (
        lambda: strew.dask.gather(data, [1], out=buffer),
        lambda: strew.dask.gather_nd(data, [[1]], out=None),
        lambda: strew.dask.gather_elements(data, [1], out=buffer),
        lambda: strew.dask.scatter_nd(data, [[1]], 1.0, out=data),
        lambda: strew.dask.scatter_elements(data, [1], 1.0, out=data),
    ):
        refuses(TypeError, "there is no parameter 'out' for Dask arrays; write the result with dask.array.store", call)
    with pytest.raises(TypeError, match="there is no parameter 'reject_duplicates' for Dask arrays; chunks are computed apart") as caught:
        strew.dask.scatter_nd(data, [[1]], 1.0, reject_duplicates=True)
    assert caught.value.operand == "reject_duplicates"
    with pytest.raises(TypeError, match="there is no parameter 'bogus'; there are data, indices, axis, out_of_bounds") as caught:
        strew.dask.gather(data, [1], bogus=1)
    assert str(caught.value).endswith("negative_indices, shuffle_method")
    with pytest.raises(TypeError, match=r"gather: there is no parameter 'shuffle'; .*; did you mean 'shuffle_method'\?"):
        strew.dask.gather(data, [0], shuffle="disk")
    with pytest.raises(TypeError, match="gather: there is no parameter 'dim'; there are .*; did you mean 'axis'?"):
        strew.dask.gather(data, [1], dim=0)


def test_p2p_without_a_cluster_is_refused_when_called():
    with pytest.raises(ValueError, match="gather: shuffle_method 'p2p' is for a cluster: make a distributed.Client first"):
        strew.dask.gather(da.zeros(4, chunks=2), da.zeros(4, dtype=int, chunks=2), shuffle_method="p2p")


@pytest.mark.parametrize("op", strew.dask.__all__)
def test_a_function_has_the_parameters_and_defaults_of_its_like_in_strew(op):
    others = {"out", "reject_duplicates", "shuffle_method"}
    ours, whole = (
        {p.name: p.default for p in inspect.signature(getattr(module, op)).parameters.values() if p.name not in others}
        for module in (strew.dask, strew)
    )
    assert ours == whole


def test_a_bad_index_has_the_attributes_of_one_call():
    x, indices, update = np.zeros((3, 4)), np.array([[0], [9]]), np.zeros((3, 2))
    starts = np.array([0, 1, 3])
    for one, lazy in (
        (lambda: strew.gather_nd(x, indices), lambda: strew.dask.gather_nd(da.from_array(x, 2), indices).compute()),
        (lambda: strew.gather_nd(x, indices), lambda: strew.dask.gather_nd(da.from_array(x, 2), da.from_array(indices, 1)).compute()),
        (lambda: strew.tensor_scatter(x, update, starts, axis=1), lambda: strew.dask.tensor_scatter(da.from_array(x, 2), update, starts, axis=1).compute()),
    ):  # fmt: skip
        with pytest.raises(IndexError) as wanted:
            one()
        with pytest.raises(IndexError) as got:
            lazy()
        assert (str(got.value), vars(got.value)) == (str(wanted.value), vars(wanted.value))


def test_chunks_of_another_kind_are_named_with_a_way_out():
    data = da.zeros((4, 2), chunks=2)
    masked = da.ma.masked_array(da.from_array(np.array([0, 1]), chunks=1), mask=[False, True])
    with pytest.raises(TypeError) as refusal:
        strew.dask.gather(data, masked)
    assert str(refusal.value) == (
        "gather: the chunks of indices are of type MaskedArray; they must be ndarrays; fill it, as dask.array.ma.filled does"
    )


def test_a_series_of_dask_is_told_how_to_become_an_array():
    class Series:
        dtype, shape = np.dtype(int), (float("nan"),)

        def __getitem__(self, key):
            raise AssertionError("it is not read")

        def to_dask_array(self, lengths=None):
            raise AssertionError("it is not asked")

    with pytest.raises(TypeError) as refusal:
        strew.dask.gather(da.zeros((4, 2), chunks=2), Series())
    assert str(refusal.value) == "gather: indices is a Series of Dask; give what its to_dask_array makes with known lengths"


def test_explain_says_that_dask_computes_later():
    with pytest.raises(TypeError, match=r"^explain: what strew\.dask\.gather does is done chunk by chunk when it is computed"):
        strew.explain(strew.dask.gather, da.zeros(4), [0])

"""Calls that strew.dask rejects at once: shapes, attributes, types, unknown parameters."""

import inspect

import dask.array as da
import numpy as np
import pytest
import strew
import strew.dask as sd
from support import outcome, refuses, says

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
    error, message = outcome(lambda: getattr(strew, op)(*operands, **attributes))
    assert error in (ValueError, TypeError)
    says(error, message, getattr(sd, op), *(da.from_array(operand, chunks=1) for operand in operands), **attributes)


class Series:
    dtype, shape = np.dtype(int), (float("nan"),)

    def __getitem__(self, key):
        raise AssertionError("it is not read")

    def to_dask_array(self, lengths=None):
        raise AssertionError("it is not asked")


TABLE, LINE, CACHE = da.zeros((4, 2), chunks=2), da.zeros(4, chunks=2), da.zeros((2, 4), chunks=1)
ROWS, COLUMN = da.arange(5, chunks=2), da.zeros((3, 1), dtype=int, chunks=2)
WORDS = np.array(["abc", "d"], object), np.array(["abc"], np.dtypes.StringDType())
MASKED = da.ma.masked_array(da.from_array(np.array([0, 1]), chunks=1), mask=[False, True])
NO_OUT = "there is no parameter 'out' for Dask arrays; write the result with dask.array.store"
REFUSED_WHEN_CALLED = [
    (TypeError, lambda: sd.scatter_nd(TABLE, COLUMN, da.zeros((3, 2), dtype="f4")), "scatter_nd: updates are float32 but data is float64"),
    (TypeError, lambda: sd.tensor_scatter(CACHE.astype(int), CACHE, axis=1, casting="same_kind"), "update is float64 but past_cache is int64; both must have the same type"),
    (TypeError, lambda: sd.gather(da.from_array(np.array(["abc", "d"])), [0]), "gather: data has type <U3; strew.dask does not support strings"),
    *((TypeError, lambda words=words: sd.gather(words, [0]), "gather: data has type .*; strew.dask does not support strings") for words in WORDS),
    *((TypeError, lambda words=words: sd.scatter_nd(TABLE, [[1]], words), "scatter_nd: updates has type .*; strew.dask does not support strings") for words in WORDS),
    (TypeError, lambda: sd.gather(da.ma.masked_equal(da.zeros(3), 0), [0]), "gather: the chunks of data are of type MaskedArray; they must be ndarrays"),
    (TypeError, lambda: sd.gather(TABLE, np.ma.masked_array([1, 2], [0, 1])), "^gather: the chunks of indices are of type MaskedArray"),
    (TypeError, lambda: sd.gather(TABLE, MASKED), "^gather: the chunks of indices are of type MaskedArray; they must be ndarrays; dask.array.ma.filled converts them$"),
    (TypeError, lambda: sd.gather(TABLE, Series()), r"^gather: indices is a Dask Series; convert it with to_dask_array\(lengths=True\)$"),
    (ValueError, lambda: sd.gather(TABLE, COLUMN, shuffle_method="mail"), "gather: shuffle_method 'mail' is not one of 'auto', 'direct', 'disk', 'tasks', 'p2p'"),
    (ValueError, lambda: sd.gather(LINE, LINE.astype(int), shuffle_method="p2p"), "gather: shuffle_method 'p2p' is for a cluster: create a distributed.Client first"),
    (ValueError, lambda: sd.gather(TABLE, ROWS[ROWS > 3]), "gather: indices has chunks of unknown sizes; call its compute_chunk_sizes"),
    (TypeError, lambda: sd.gather(LINE, [1], out=np.zeros(1)), NO_OUT),
    (TypeError, lambda: sd.gather_nd(LINE, [[1]], out=None), NO_OUT),
    (TypeError, lambda: sd.gather_elements(LINE, [1], out=np.zeros(1)), NO_OUT),
    (TypeError, lambda: sd.scatter_nd(LINE, [[1]], 1.0, out=LINE), NO_OUT),
    (TypeError, lambda: sd.scatter_elements(LINE, [1], 1.0, out=LINE), NO_OUT),
    (TypeError, lambda: sd.gather(LINE, [1], bogus=1), "there is no parameter 'bogus'; the parameters are data, indices, axis, out_of_bounds.*negative_indices, shuffle_method$"),
    (TypeError, lambda: sd.gather(LINE, [0], shuffle="disk"), r"gather: there is no parameter 'shuffle'; .*; did you mean 'shuffle_method'\?"),
    (TypeError, lambda: sd.gather(LINE, [1], dim=0), "gather: there is no parameter 'dim'; the parameters are .*; did you mean 'axis'?"),
    (TypeError, lambda: strew.explain(sd.gather, LINE, [0]), r"^explain: strew\.dask\.gather runs chunk by chunk when its result is computed"),
    (TypeError, lambda: strew.picture(sd.gather, LINE, [0]), r"^picture: strew\.dask\.gather runs chunk by chunk when its result is computed"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call", "message"), REFUSED_WHEN_CALLED)
def test_types_chunks_and_parameters_are_refused_when_called(error, call, message):
    refuses(error, message, call)


def test_a_parameter_that_one_call_has_is_the_operand_of_the_refusal():
    words = "there is no parameter 'reject_duplicates' for Dask arrays; chunks are computed separately"
    refusal = refuses(TypeError, words, sd.scatter_nd, LINE, [[1]], 1.0, reject_duplicates=True)
    assert refusal.operand == "reject_duplicates"


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
            says(type(error), str(error), call, sd, da.from_array(data, chunks=1))
        else:
            assert np.array_equal(call(sd, da.from_array(data, chunks=1)).compute(), wanted), name


@pytest.mark.parametrize("given", [[True, 2], [2**70], [[0], [1, 2]], None, "a", [None], [1.0], slice(2), [9], []], ids=str)
def test_indices_that_are_no_array_are_taken_or_refused_as_by_one_call(given):
    one = strew, np.zeros((3, 4)), np.zeros((2, 3))
    lazy = sd, *(da.from_array(array, chunks=2) for array in one[1:])
    for call in (
        lambda m, d, c: m.gather(d, given),
        lambda m, d, c: m.gather_nd(d, given),
        lambda m, d, c: m.gather_elements(d, given),
        lambda m, d, c: m.scatter_nd(d, given, 1.0),
        lambda m, d, c: m.scatter_elements(d, given, 1.0),
        lambda m, d, c: m.tensor_scatter(c, np.ones((2, 1)), given, axis=1),
    ):
        assert outcome(lambda call=call: call(*lazy).compute()) == outcome(lambda call=call: call(*one))


def test_an_update_of_another_type_is_cast_where_that_is_asked_for():
    update = da.ones((2, 2), dtype=np.float32)
    words = "update is float32 but past_cache is float64; .* or casting='same_kind'$"
    refuses(TypeError, words, sd.tensor_scatter, CACHE, update, axis=1)
    found = sd.tensor_scatter(CACHE, update, [1, 0], axis=1, casting="same_kind")
    assert found.dtype == np.float64
    assert found.compute().tolist() == [[0, 1, 1, 0], [1, 1, 0, 0]]


def test_the_module_shows_its_operators_alone():
    assert sorted(dir(sd)) == sorted(sd.__all__)


@pytest.mark.parametrize("op", sd.__all__)
def test_a_function_has_the_parameters_and_defaults_of_its_like_in_strew(op):
    others = {"out", "reject_duplicates", "shuffle_method"}
    ours, whole = (
        {p.name: p.default for p in inspect.signature(getattr(module, op)).parameters.values() if p.name not in others}
        for module in (sd, strew)
    )
    assert ours == whole


def test_a_bad_index_has_the_attributes_of_one_call():
    x, indices, update = np.zeros((3, 4)), np.array([[0], [9]]), np.zeros((3, 2))
    starts = np.array([0, 1, 3])
    for one, lazy in (
        (lambda: strew.gather_nd(x, indices), lambda: sd.gather_nd(da.from_array(x, 2), indices).compute()),
        (lambda: strew.gather_nd(x, indices), lambda: sd.gather_nd(da.from_array(x, 2), da.from_array(indices, 1)).compute()),
        (lambda: strew.tensor_scatter(x, update, starts, axis=1), lambda: sd.tensor_scatter(da.from_array(x, 2), update, starts, axis=1).compute()),
    ):  # fmt: skip
        with pytest.raises(IndexError) as wanted:
            one()
        with pytest.raises(IndexError) as got:
            lazy()
        assert (str(got.value), vars(got.value)) == (str(wanted.value), vars(wanted.value))

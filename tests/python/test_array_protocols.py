"""Operands with each array protocol give the types, byte order and messages of an ndarray with the same elements."""

import array

import numpy as np
import pytest
from device_support import Lender
from support import outcome, refuses, says

import strew


class Converted:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class Described:
    def __init__(self, values):
        self.values, self.__array_interface__ = values, values.__array_interface__


def plain_buffer(values):
    return array.array(values.dtype.char, values.tolist())


DATA, INDICES = np.arange(4, dtype="f4"), np.array([1, 2])
ANY_ORDER = [Converted, Described, memoryview]
KINDS = [*ANY_ORDER, Lender, plain_buffer]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("updates", [np.array([1.5, 2.5]), np.array([1, 2]), np.array([1, 2], "f4"), np.ones(1)])
def test_updates_are_cast_and_rejected_as_those_of_an_ndarray(kind, updates):
    calls = (
        lambda u: strew.scatter_elements(DATA, INDICES, u),
        lambda u: strew.gather(DATA, [9], out_of_bounds="fill", fill_value=u),
    )
    for call in calls:
        assert outcome(lambda call=call: call(kind(updates))) == outcome(lambda call=call: call(updates))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("indices", [np.array([3, -1], "i4"), np.array([9, 1]), np.array([1.0, 2.0]), np.array([1, 2], "u1")])
def test_indices_are_read_and_rejected_as_those_of_an_ndarray(kind, indices):
    assert outcome(lambda: strew.gather(DATA, kind(indices))) == outcome(lambda: strew.gather(DATA, indices))


@pytest.mark.parametrize("kind", [np.asarray, *ANY_ORDER])
@pytest.mark.parametrize("order", ["<", ">"])
def test_gather_and_scatter_keep_the_byte_order_of_data(kind, order):
    data, indices, updates = (a.astype(a.dtype.newbyteorder(order)) for a in (DATA, INDICES, DATA[:2] + 7))
    lent = kind(data), kind(indices), kind(updates)
    assert outcome(lambda: strew.gather(lent[0], lent[1])) == (data.dtype.str, [1, 2])
    assert outcome(lambda: strew.scatter_elements(*lent)) == (data.dtype.str, [0, 7, 8, 3])
    assert outcome(lambda: strew.scatter_elements(DATA, *lent[1:])) == (DATA.dtype.str, [0, 7, 8, 3])


@pytest.mark.parametrize("kind", [np.asarray, Converted, Described, list])
def test_str_and_bytes_do_not_mix(kind):
    strings, raw = np.array(["a", "b"]), np.array([b"x", b"y"])
    assert strew.gather(kind(strings), [1]).tolist() == ["b"]
    for data, updates in ((strings, raw), (raw, strings)):
        with pytest.raises(TypeError, match=r"^scatter_elements: updates (of type|hold) .*(cannot go into data of|but data is)"):
            strew.scatter_elements(data, [0, 1], kind(updates))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("updates", [np.arange(4, dtype="f4")[1::2], np.broadcast_to(np.int8(3), 2), np.array([1, 2], "i8")])
def test_updates_of_any_kind_are_cast_on_request(kind, updates):
    data, indices = np.zeros(4), np.array([2, 0])
    got = strew.scatter_elements(data, indices, kind(updates), casting="same_kind")
    assert got.tobytes() == strew.scatter_elements(data, indices, updates.astype("f8")).tobytes()
    with pytest.raises(TypeError, match=f"^scatter_elements: updates are {updates.dtype} but data is bool"):
        strew.scatter_elements(data.astype(bool), indices, kind(updates), casting="same_kind")


def test_lent_updates_are_cast_to_types_of_ml_dtypes():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    got = strew.scatter_elements(np.zeros(4, bfloat16), [2, 0], Lender(np.array([1.1, 3e38])), casting="same_kind")
    assert got.dtype == bfloat16
    assert got.tolist() == np.array([3e38, 0, 1.1, 0]).astype(bfloat16).tolist()


def test_an_array_that_no_numpy_array_stands_for_is_named():
    jax = pytest.importorskip("jax")
    keys = jax.random.split(jax.random.key(0), 3)
    for name, call in {
        "data": lambda: strew.gather(keys, [0]),
        "indices": lambda: strew.gather(DATA, keys),
        "updates": lambda: strew.scatter_elements(DATA, [0, 1, 2], keys),
    }.items():
        found = refuses(TypeError, rf": {name}: the __array__ of a .*PRNGKeyArray cannot be read: JAX .*key_data", call)
        assert found.operand == name


class NAType:
    def __repr__(self):
        return "<NA>"


@pytest.mark.parametrize("missing", [np.nan, None, NAType()], ids=["nan", "None", "NA"])
def test_missing_values_are_no_indices(missing):
    given = Converted(np.asarray([0, missing]))  # converted to an ndarray, like an array of pandas
    text = f"{missing}, a missing value, which is not an index; fill missing values or leave them out"
    says(TypeError, f"gather: indices hold {text}", strew.gather, np.zeros(3), given)
    says(TypeError, f"Edges: gather_index holds {text}", strew.Edges, given, [0, 0], 1, 1)

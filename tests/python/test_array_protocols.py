"""Each way to be an array: the types, the byte order and the messages of the ndarray with the same elements."""

import array

import numpy as np
import pytest

import strew


class Converted:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class Described:
    def __init__(self, values):
        self.values, self.__array_interface__ = values, values.__array_interface__


class Exported:
    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **how):
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def plain_buffer(values):
    return array.array(values.dtype.char, values.tolist())


DATA, INDICES = np.arange(4, dtype="f4"), np.array([1, 2])
ANY_ORDER = [Converted, Described, memoryview]
KINDS = [*ANY_ORDER, Exported, plain_buffer]


def outcome(call):
    """The type and elements of the result, or the error and its message."""
    try:
        result = call()
    except Exception as error:
        return type(error), str(error)
    return result.dtype.str, result.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("updates", [np.array([1.5, 2.5]), np.array([1, 2]), np.array([1, 2], "f4"), np.zeros(3, "f4")])
def test_updates_are_cast_and_rejected_as_those_of_an_ndarray(kind, updates):
    calls = (lambda u=u: strew.scatter_elements(DATA, INDICES, u) for u in (kind(updates), updates))
    got, wanted = map(outcome, calls)
    assert got == wanted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("indices", [np.array([3, -1], "i4"), np.array([9, 1]), np.array([1.0, 2.0]), np.array([1, 2], "u1")])
def test_indices_are_read_and_rejected_as_those_of_an_ndarray(kind, indices):
    got, wanted = (outcome(lambda i=i: strew.gather(DATA, i)) for i in (kind(indices), indices))
    assert got == wanted


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
    for data, updates in ((strings, raw), (raw, strings)):
        with pytest.raises(TypeError, match=r"^scatter_elements: updates (of type|hold) .*(cannot go into data of|but data is)"):
            strew.scatter_elements(data, [0, 1], kind(updates))

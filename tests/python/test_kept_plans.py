"""The last plan of each operator is kept: another call must never use it."""

import numpy as np
import pytest
import strew

TABLE = np.arange(12.0).reshape(3, 4)
FIRST = np.array([2, 0])


def expected_calls():
    """Calls that differ from their neighbours in one thing each, with what NumPy makes of them."""
    wide = np.arange(20.0).reshape(5, 4)
    yield (TABLE, FIRST), {}, TABLE[FIRST]
    yield (TABLE, FIRST), {"axis": 1}, TABLE[:, FIRST]
    yield (TABLE.astype(np.float32), FIRST), {}, TABLE[FIRST].astype(np.float32)
    yield (wide, FIRST), {}, wide[FIRST]
    yield (TABLE, FIRST.astype(np.int32)), {}, TABLE[FIRST]
    yield (TABLE, np.array([[2], [0]])), {}, TABLE[[[2], [0]]]
    yield (TABLE, FIRST + 2), {"out_of_bounds": "clip"}, TABLE[[2, 2]]
    yield (TABLE, FIRST + 2), {"out_of_bounds": "wrap"}, TABLE[[1, 2]]
    yield (TABLE, FIRST + 2), {"out_of_bounds": "fill", "fill_value": 7.0}, np.stack([np.full(4, 7.0), TABLE[2]])
    yield (TABLE, FIRST + 2), {"out_of_bounds": "fill", "fill_value": 8.0}, np.stack([np.full(4, 8.0), TABLE[2]])
    yield (TABLE[::-1], FIRST), {}, TABLE[::-1][FIRST]
    yield (TABLE.astype(">f8"), FIRST), {}, TABLE[FIRST].astype(">f8")


def test_calls_that_differ_in_one_thing_get_plans_of_their_own():
    for first in expected_calls():
        for second in expected_calls():
            for arguments, attributes, expected in (first, second, first, first):
                np.testing.assert_array_equal(strew.gather(*arguments, **attributes), expected)


def test_scatters_differ_in_reduction_and_updates():
    data, indices, updates = np.zeros(3), np.array([[1], [1]]), np.array([2.0, 3.0])
    for _ in range(2):
        assert strew.scatter_nd(data, indices, updates, "add")[1] == 5
        assert strew.scatter_nd(data, indices, updates, "max")[1] == 3
        assert strew.scatter_nd(data, indices, updates, "add", alpha=2.0)[1] == 10
        assert strew.scatter_nd(data, indices, 4.0, "add")[1] == 8
        with pytest.raises(ValueError, match="updates have shape"):
            strew.scatter_nd(data, indices, np.ones(3), "add")


def test_a_call_is_checked_however_often_it_was_made():
    for _ in range(3):
        strew.gather(TABLE, FIRST)
        with pytest.raises(IndexError, match="3"):
            strew.gather(TABLE, FIRST + 1)


class Calling:
    """An array that calls the operator when its memory is requested."""

    def __init__(self, array):
        self.array = array
        self.inner = None

    def __dlpack__(self, **given):
        self.inner = [strew.gather(np.arange(100.0), np.arange(n)) for n in (40, 41)]
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_a_call_keeps_its_plan_while_another_is_made_within_it():
    for _ in range(2):
        out = Calling(np.zeros((2, 4)))
        strew.gather(TABLE, FIRST, out=out)
        np.testing.assert_array_equal(out.array, TABLE[FIRST])
        assert [len(made) for made in out.inner] == [40, 41]

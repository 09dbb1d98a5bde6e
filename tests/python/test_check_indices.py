"""Tests indices that are checked once and used by many calls."""

import gc
import weakref

import numpy as np
import pytest

import strew
import strew.numpy as snp
from support import refuses


def test_later_calls_give_what_they_give_with_the_indices_themselves():
    rng = np.random.default_rng(20261122)
    data, updates = rng.standard_normal((50, 3)), rng.standard_normal((4000, 3))
    indices = rng.integers(-50, 50, (4000, 1))
    kept = strew.check_indices(strew.scatter_nd, data, indices, updates, "add")
    assert (kept.shape, kept.device_bytes) == ((4000, 1), 0)
    for reduction in ("none", "add", "max"):
        wanted = strew.scatter_nd(data, indices, updates, reduction)
        assert strew.scatter_nd(data, kept, updates, reduction).tobytes() == wanted.tobytes()
    assert strew.gather_nd(data, kept).tobytes() == strew.gather_nd(data, indices).tobytes()
    names = np.array(["a", "bc"] * 25)
    assert strew.gather_nd(names, kept).tolist() == strew.gather_nd(names, indices).tolist()


def test_values_are_not_checked_again():
    indices = np.array([0, 2])
    kept = strew.check_indices(strew.gather, np.arange(3.0), indices)
    indices[0] = 99  # forbidden to users; here it shows whether calls read the indices
    strew.gather(np.arange(3.0), kept)
    refuses(IndexError, r"^gather: indices\[0\] = 99 is outside", strew.gather, np.arange(4.0), kept)  # a longer axis


def test_other_data_and_rules_are_checked_as_ever():
    kept = strew.check_indices(strew.gather, np.arange(3.0), [0, 2])
    with pytest.raises(IndexError, match=r"^gather: indices\[1\] = 2 is outside \[-2, 1\] for axis 0"):
        strew.gather(np.arange(2.0), kept)
    assert strew.gather(np.arange(2.0), kept, out_of_bounds="clip").tolist() == [0, 1]
    filled = strew.check_indices(strew.gather, np.arange(2.0), [0, 2], out_of_bounds="fill")
    assert strew.gather(np.arange(2.0), filled, out_of_bounds="fill", fill_value=7).tolist() == [0, 7]
    with pytest.raises(IndexError):
        strew.gather(np.arange(2.0), filled)


def test_what_a_call_would_refuse_is_refused():
    with pytest.raises(IndexError, match=r"^gather: indices\[0\] = 3 is outside \[-3, 2\] for axis 0 of data with shape"):
        strew.check_indices(strew.gather, np.zeros(3), [3])
    refuses(TypeError, "^gather: indices", strew.check_indices, strew.gather, np.zeros(3), [0.5])
    refuses(ValueError, "^scatter_nd: updates", strew.check_indices, strew.scatter_nd, np.zeros(3), [[1]], np.zeros(5))
    for function in (strew.tensor_scatter, strew.explain, len, np.zeros(3)):
        with pytest.raises(TypeError, match="^check_indices: .* is not an operator whose indices can be checked in advance;"):
            strew.check_indices(function, np.zeros(3), [0])


def test_they_say_what_they_are():
    indices = np.array([[1, 0], [-1, 2]], np.int32)
    kept = strew.check_indices(strew.gather_nd, np.zeros((2, 3, 4)), indices)
    assert (kept.shape, kept.dtype, kept.device, kept.axis_sizes) == ((2, 2), np.int32, "cpu", (2, 3))
    assert len(kept) == 2
    assert repr(kept) == "CheckedIndices(shape=(2, 2), dtype=int32, device='cpu', axis_sizes=(2, 3))"
    along = strew.check_indices(strew.gather_elements, np.zeros((2, 3)), [[1]], 1)
    assert along.axis_sizes == (3,)
    one = strew.check_indices(strew.gather, np.zeros(3), np.uint8(1))
    assert (one.shape, one.dtype) == ((), np.uint8)
    refuses(TypeError, r"^len\(\) of CheckedIndices of shape \(\)$", len, one)
    assert one and strew.check_indices(strew.gather, np.zeros(3), [])  # always true, even without elements


IS_NO_ARRAY = "^CheckedIndices are not an array: they serve only as the indices of operators such as strew.gather; pass the array"


def test_they_are_indices_and_nothing_else():
    kept = strew.check_indices(strew.gather, np.zeros(3), [1])
    alone = "a CheckedIndices, which serves only as indices; pass an array$"
    refuses(TypeError, f"^gather: data is {alone}", strew.gather, kept, [0])
    refuses(TypeError, f"^scatter_elements: updates are {alone}", strew.scatter_elements, np.zeros(3), [1], kept)
    with pytest.raises(TypeError, match=r"^gather: out is a strew\..*CheckedIndices; only an array can be written$"):
        strew.gather(np.zeros(3), [1], out=kept)
    with pytest.raises(TypeError):
        strew.CheckedIndices()


def test_nothing_else_makes_them():
    class Loop(strew.CheckedIndices):
        pass

    for of in (strew.CheckedIndices, Loop):
        for make in (of, lambda of=of: of.__new__(of)):
            refuses(TypeError, "^CheckedIndices: only strew.check_indices makes CheckedIndices$", make)


def test_they_are_refused_by_name_where_arrays_are_asked_for():
    kept = strew.check_indices(strew.gather, np.zeros(3), [1])
    together = "hold CheckedIndices, which stand for all indices of a call; join the arrays that they were made from, "
    together += "and check the result$"
    for several in ([kept, kept], (kept,), [[0], kept]):
        refuses(TypeError, f"^gather: indices {together}", strew.gather, np.zeros(3), several)
    for call in (lambda: snp.take(np.zeros(3), kept), lambda: snp.add.at(np.zeros(3), kept, 1), lambda: np.asarray(kept)):
        refuses(TypeError, IS_NO_ARRAY, call)


def test_dask_refuses_them():
    pytest.importorskip("dask")
    import strew.dask

    kept = strew.check_indices(strew.gather, np.zeros(3), [1])
    for operands in [(np.zeros(3), kept), (kept, [1])]:
        refuses(TypeError, IS_NO_ARRAY, strew.dask.gather, *operands)


def test_indices_live_as_long_as_they_are_kept():
    class Array(np.ndarray):
        pass

    indices = np.array([1, 0]).view(Array)
    gone = weakref.ref(indices)
    kept = strew.check_indices(strew.gather, np.arange(2.0), indices)
    again = strew.check_indices(strew.gather, np.arange(2.0), kept)
    del indices, kept
    gc.collect()
    assert gone() is not None
    assert strew.gather(np.arange(2.0), again).tolist() == [1, 0]
    del again
    gc.collect()
    assert gone() is None


def test_explain_and_picture_take_them():
    kept = strew.check_indices(strew.gather, np.arange(3.0), [2, 0])
    assert strew.explain(strew.gather, np.arange(3.0), kept)["indices"]["highest"] == 2
    assert "<svg" in strew.picture(strew.gather, np.arange(3.0), kept).svg


def test_an_array_may_hold_what_was_made_of_it_and_dies_with_it():
    class Edges(np.ndarray):
        pass

    edges = np.zeros(3, np.int64).view(Edges)
    edges.kept = strew.check_indices(strew.gather, np.zeros(3), edges)
    gone = weakref.ref(edges), weakref.ref(edges.kept)
    del edges
    gc.collect()
    assert [each() for each in gone] == [None, None]

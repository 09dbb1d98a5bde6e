"""Tests out=: calls in place, other outputs, and errors, which must leave the output unchanged."""

import warnings

import numpy as np
import pytest
from support import Meddler, assert_same, refuses, says

import strew

DATA = np.arange(12.0).reshape(3, 4)
CALLS = {
    "gather": lambda data, out: strew.gather(data, [2, 0], out=out),
    "gather_elements": lambda data, out: strew.gather_elements(data, [[2, 0, 1, 1]], out=out),
    "gather_nd": lambda data, out: strew.gather_nd(data, [[2, 0], [1, 1]], out=out),
    "scatter_elements": lambda data, out: strew.scatter_elements(data, [[2, 0]], [[7, 8]], out=out),
    "scatter_nd": lambda data, out: strew.scatter_nd(data, [[2]], 9, "add", out=out),
    "tensor_scatter": lambda data, out: strew.tensor_scatter(data, data[:, :2].copy(), [1, 2, 0], axis=1, out=out),
}
SCATTERS = ["scatter_elements", "scatter_nd", "tensor_scatter"]


@pytest.mark.parametrize("op", CALLS)
def test_out_is_written_and_returned(op):
    wanted = CALLS[op](DATA, None)
    for out in (
        np.full(wanted.shape, -1.0),
        np.full(wanted.shape[::-1], -1.0).T,
        np.full(wanted.shape, -1.0).view(np.memmap),
    ):
        assert CALLS[op](DATA, out) is out
        assert_same(np.array(out, subok=False, order="C"), wanted)


@pytest.mark.parametrize("op", SCATTERS)
def test_out_may_be_the_data(op):
    wanted = CALLS[op](DATA, None)
    for data in (DATA.copy(), np.asfortranarray(DATA), np.repeat(DATA, 2, 1)[::, ::2]):
        assert CALLS[op](data, data) is data
        assert_same(np.ascontiguousarray(data), wanted)
    data = DATA.copy()
    same = data[:]
    assert CALLS[op](data, same) is same
    assert_same(data, wanted)


def refusals(wanted):
    good = np.full(wanted.shape, -1.0)
    shapes = f"out has shape {[1, *wanted.shape]}; the result has shape {list(wanted.shape)}"
    mask_is_lost = "out is a masked array, whose mask would be lost; use .data or .filled()"
    frozen = good.copy()
    frozen.flags.writeable = False
    return {
        "list": (good.tolist(), TypeError, "out is a list; only an array can be written"),
        "scalar": (5.0, TypeError, "out is a float; only an array can be written"),
        "buffer": (memoryview(good.copy()), TypeError, "out is a memoryview; only an array can be written"),
        "type": (good.astype("f4"), TypeError, "out has type float32; the result has type float64"),
        "strings": (good.astype("U"), TypeError, "out has type <U32; the result has type float64"),
        "objects": (good.astype(object), TypeError, "out has type object; the result has type float64"),
        "time": (good.astype("M8[s]"), TypeError, "out has type datetime64[s]; the result has type float64"),
        "order": (good.astype(">f8"), ValueError, "out has a byte order that differs from this machine's"),
        "shape": (good[None].copy(), ValueError, shapes),
        "frozen": (frozen, ValueError, "out is read-only"),
        "masked": (np.ma.array(good), TypeError, mask_is_lost),
    }


@pytest.mark.parametrize("op", CALLS)
@pytest.mark.parametrize("name", refusals(DATA))
def test_an_out_that_does_not_fit_is_refused_unwritten(op, name):
    wanted = CALLS[op](DATA, None)
    out, error, reason = refusals(wanted)[name]
    before = np.array(out).tobytes()
    says(error, f"{op}: {reason}", CALLS[op], DATA, out)
    assert np.array(out).tobytes() == before


def test_an_out_whose_elements_share_memory_is_refused():
    out = np.lib.stride_tricks.as_strided(np.zeros(2), (2,), (0,))
    with pytest.raises(ValueError, match="^gather: out has shape .2. and strides .0.: elements may share memory"):
        strew.gather(DATA[0], [0, 1], out=out)


@pytest.mark.parametrize("op", CALLS)
def test_an_out_that_overlaps_an_operand_is_refused_unwritten(op):
    memory = np.arange(100.0)
    data = memory[:12].reshape(3, 4)
    shape = CALLS[op](data, None).shape
    out = memory[3 : 3 + int(np.prod(shape))].reshape(shape)
    before = memory.tobytes()
    refuses(ValueError, f"^{op}: out overlaps (data|past_cache) in memory", CALLS[op], data, out)
    assert memory.tobytes() == before


def test_an_out_that_overlaps_indices_or_updates_is_refused_unwritten():
    memory = np.zeros(10, np.int64)
    data = np.arange(4)
    for call, name in [
        (lambda: strew.gather(data, memory[:3], out=memory[2:5]), "indices"),
        (lambda: strew.scatter_nd(data, memory[:3, None], [1, 2, 3], out=memory[2:6]), "indices"),
        (lambda: strew.scatter_nd(data, [[0], [1]], memory[:2], out=memory[1:5]), "updates"),
    ]:
        refuses(ValueError, f"overlaps {name} in memory; it must have memory of its own$", call)
        assert not memory.any()


def test_a_gather_is_never_in_place():
    data, words = np.arange(4), "gather: out overlaps data in memory; it must have memory of its own"
    says(ValueError, words, strew.gather, data, [3, 2, 1, 0], out=data)
    assert data.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("op", SCATTERS)
@pytest.mark.parametrize("large", [False, True])
def test_nothing_is_written_in_place_where_an_index_is_wrong(op, large):
    count = 100_000 if large else 5
    data = np.arange(count * 2.0).reshape(count, 2)
    indices = np.arange(count)
    indices[-1] = count
    before = data.tobytes()
    with pytest.raises(IndexError, match=f"^{op}: "):
        if op == "scatter_nd":
            strew.scatter_nd(data, indices[:, None], data + 1, "add", out=data)
        elif op == "scatter_elements":
            strew.scatter_elements(data, np.stack([indices, indices], 1), data + 1, out=data)
        else:
            strew.tensor_scatter(data, data[:, :1] + 1, indices - count + 2, axis=1, out=data)
    assert data.tobytes() == before
    with pytest.raises(TypeError):
        strew.scatter_nd(data, [[0]], np.ones((1, 2), "f4"), out=data)
    with pytest.raises(ValueError):
        strew.scatter_nd(data, [[0]], np.ones((1, 3)), out=data)
    assert data.tobytes() == before


def test_an_out_whose_elements_are_not_apart_is_refused_for_swapped_data_too():
    swapped = np.array([5.0, 6.0], ">f8")
    for out in (np.ma.array([1.0, 2.0], mask=[0, 1]), np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (0,))):
        before = np.array(out).tolist()
        refuses((TypeError, ValueError), "^gather: out is a", strew.gather, swapped, [0, 1], out=out)
        assert np.array(out).tolist() == before


def test_the_data_of_another_byte_order_can_be_the_output():
    for dtype in (">i4", ">f8", ">c16"):
        for data in (np.arange(6).reshape(2, 3).astype(dtype), np.arange(12).reshape(3, 4).astype(dtype)[::2, ::2]):
            wanted = strew.scatter_nd(data, [[-1]], 7, "add")
            assert strew.scatter_nd(data, [[-1]], 7, "add", out=data) is data
            assert data.dtype == dtype and data.tolist() == wanted.tolist()
            gathered = np.zeros_like(data)
            assert strew.gather(data, range(len(data)), out=gathered).tolist() == wanted.tolist()
    data = np.arange(3).astype(">i4")
    with pytest.raises(IndexError):
        strew.scatter_nd(data, [[3]], [9], out=data)
    with pytest.raises(TypeError, match="^scatter_nd: out has type >i8; the result has type int32$"):
        strew.scatter_nd(data, [[0]], [9], out=data.astype(">i8"))
    assert data.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", [">f8", "<f8", "S3", "U3", object])
def test_an_empty_out_is_taken(dtype):
    data = np.full((2, 3), "a" if dtype in ("S3", "U3", object) else 0).astype(dtype)
    for out in (np.zeros((0, 3), dtype), np.zeros((0, 6), dtype)[:, ::2]):
        assert strew.gather(data, np.zeros(0, int), out=out) is out


def shrink(array):
    array.resize(0, refcheck=False)


def reshape(array):
    array.shape = (1, *array.shape)


def retype(array):
    with warnings.catch_warnings(action="ignore"):
        array.dtype = np.uint8


@pytest.mark.parametrize("change", [shrink, reshape, retype])
def test_an_operand_that_reading_another_one_changes_is_refused(change):
    def refused(name, operand, call):
        was = "were" if name.endswith("indices") else "was"
        with pytest.raises(ValueError, match=f"{name} {was} changed while another operand was read"):
            call(operand, lambda value: Meddler(value, lambda: change(operand)))

    big, cache = np.zeros(1_000_000), np.zeros((1000, 1000))
    refused("gather: data", big.copy(), lambda d, m: strew.gather(d, m([[0]])))
    refused("gather_nd: data", cache.copy(), lambda d, m: strew.gather_nd(d, m([[0, 0]])))
    refused("scatter_nd: data", big.copy(), lambda d, m: strew.scatter_nd(d, m([[0]]), np.ones(1)))
    refused("scatter_nd: data", big.copy(), lambda d, m: strew.scatter_nd(d, [[0]], m([1.0])))
    refused("scatter_nd: indices", np.zeros((9999, 1), int), lambda i, m: strew.scatter_nd(big, i, m(np.ones(9999))))
    refused("tensor_scatter: update", cache.copy(), lambda u, m: strew.tensor_scatter(cache, u, m([0] * 1000), 1))
    refused("tensor_scatter: past_cache", cache.copy(), lambda d, m: strew.tensor_scatter(d, m(cache), None, 1))
    refused("gather: data", np.full(9999, "word"), lambda d, m: strew.gather(d, m([[0]])))
    assert not big.any() and not cache.any()


def test_a_class_that_only_bears_the_name_of_a_tensor_is_not_trusted():
    data = np.zeros(1000)

    class Tensor(Meddler):
        pass

    tensor = Tensor([999], lambda: data.resize(1, refcheck=False))
    refuses(ValueError, "data was changed while another operand was read", strew.gather, data, tensor)

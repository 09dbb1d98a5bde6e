"""Operands with any strides, broadcast axes, fields of records, and misaligned, read-only or memory-mapped operands."""

import tempfile

import numpy as np
import pytest
from support import assert_same, refuses, run_python, says

import strew

TERA = 2**40


def views():
    base = np.arange(60, dtype=np.float32)
    record = np.zeros((3, 4), [("pad", "u1"), ("x", "f4"), ("more", "u2")])
    record["x"] = base[:12].reshape(3, 4)
    unaligned = np.frombuffer(b"\0" + base.tobytes(), np.uint8)[1:].view(np.float32)
    frozen = base[:12].reshape(3, 4).copy()
    frozen.flags.writeable = False
    return {
        "dense": base[:12].reshape(3, 4),
        "reversed": base.reshape(3, 20)[::-1, 3::-1],
        "transposed": base[:12].reshape(4, 3).T,
        "fortran": np.asfortranarray(base[:12].reshape(3, 4)),
        "gaps": base.reshape(6, 10)[::2, 1:9:2],
        "broadcast rows": np.broadcast_to(base[:4], (3, 4)),
        "broadcast columns": np.broadcast_to(base[:3, None], (3, 4)),
        "broadcast scalar": np.broadcast_to(base[7], (3, 4)),
        "field": record["x"],
        "field reversed": record["x"][::-1, ::-1],
        "broadcast field": np.broadcast_to(record["x"][:, 1:2], (3, 4)),
        "unaligned": unaligned[:12].reshape(3, 4),
        "unaligned reversed": unaligned[:12].reshape(3, 4)[::-1],
        "read-only": frozen,
        "subclass": base[:12].reshape(3, 4).view(np.matrix),
        "swapped": base[:12].reshape(3, 4).astype(">f4"),
        "windows": np.lib.stride_tricks.sliding_window_view(base[:6], 4),
    }


@pytest.mark.parametrize("name", views())
def test_data_and_updates_are_read_where_they_lie(name):
    view = views()[name]
    dense = np.array(view.astype("f4"), order="C", subok=False)
    index = np.array([2, 0, -1])
    moved = strew.gather(view, index)
    assert_same(moved.astype("f4"), dense[index])
    assert_same(strew.gather(view, index, -1).astype("f4"), dense[:, index])
    assert_same(strew.gather_elements(view, [[3, -1]], 1).astype("f4"), dense[:1, [3, -1]])
    assert_same(strew.gather_elements(view, [[2, 1, 0]], -2).astype("f4"), dense[[2, 1, 0], [0, 1, 2]][None])
    assert_same(strew.gather_nd(view, [[1, 2], [-1, -1]]).astype("f4"), dense[[1, -1], [2, -1]])
    assert_same(strew.gather_nd(view, [[1], [0], [3]], 1).astype("f4"), dense[[0, 1, 2], [1, 0, 3]])
    target = np.full((3, 4), 0.5, "f4")
    for reduction in ("none", "add"):
        wanted = strew.scatter_nd(target, [[2], [0], [2]], dense, reduction)
        assert_same(strew.scatter_nd(target, [[2], [0], [2]], view, reduction), wanted)
        assert_same(
            strew.scatter_nd(view, [[2], [0]], target[:2], reduction).astype("f4"),
            strew.scatter_nd(dense, [[2], [0]], target[:2], reduction),
        )
        wanted = strew.scatter_elements(dense, [[1, 1]], target[:1, :2], 1, reduction)
        assert_same(strew.scatter_elements(view, [[1, 1]], target[:1, :2], 1, reduction).astype("f4"), wanted)
    assert_same(
        strew.tensor_scatter(view[None], view[None, :1], [1], axis=1).astype("f4"),
        strew.tensor_scatter(dense[None], dense[None, :1], [1], axis=1),
    )
    for out in (np.zeros((3, 4), "f4"), np.zeros((4, 3), "f4").T[::-1], np.zeros((6, 8), "f4")[::2, ::-2]):
        assert strew.gather(view, index, out=out) is out
        assert_same(np.ascontiguousarray(out), dense[index])


@pytest.mark.parametrize("name", [n for n in views() if n != "subclass"])
def test_indices_are_read_where_they_lie(name):
    view = views()[name]
    indices = np.zeros(view.shape, view.dtype)
    indices[...] = view
    whole = np.zeros((2, *view.shape), np.int64)
    odd = {
        "field": np.zeros(view.shape, [("pad", "u1"), ("i", "i8")])["i"],
        "swapped": np.zeros(view.shape, ">i4"),
        "transposed": whole[0].T.copy().T,
        "reversed": whole[1][::-1, ::-1],
    }.get(name, whole[0])
    odd[...] = view.astype(np.int64)
    data = np.arange(100)
    assert_same(strew.gather(data, odd), data[view.astype(np.int64)])
    assert_same(
        strew.gather(data, np.broadcast_to(odd[:1], (5, 4))),
        data[np.broadcast_to(view[:1].astype(np.int64), (5, 4))],
    )


def test_errors_of_odd_data_speak_of_the_operands_as_given():
    field = views()["field"]
    words = np.array([["a", "bc"], ["d", "e"]])
    for data, shape in ((field, "[3, 4]"), (words, "[2, 2]")):
        limit = len(data)
        for call, place in [
            (lambda data: strew.gather(data, [[0, 9]], axis=0), "gather: indices[0, 1] = 9"),
            (lambda data: strew.gather_elements(data, [[0, 9]], axis=0), "gather_elements: indices[0, 1] = 9"),
            (lambda data: strew.gather_nd(data, [[0], [9]]), "gather_nd: indices[1, 0] = 9"),
        ]:
            words = f"{place} is outside [-{limit}, {limit - 1}] for axis 0 of data with shape {shape}"
            says(IndexError, words, call, data)
        refuses(ValueError, r"^gather: axis 2 is outside \[-2, 1\] for data of shape", strew.gather, data, [0], axis=2)


def test_terabytes_of_broadcast_data_are_gathered_from():
    data = np.broadcast_to(np.arange(4, dtype=np.float32), (TERA // 4, 4))
    assert_same(strew.gather(data, [TERA // 4 - 1, 0]), data[:2])
    assert_same(strew.gather_nd(data, [[TERA // 8, 3]]), data[0, 3:])
    assert_same(strew.gather_elements(data, [[TERA // 5]]), data[:1, :1])
    field = np.broadcast_to(np.ones(1, [("pad", "u1"), ("x", "f8")])["x"], (TERA, 3))
    assert_same(strew.gather(field, [7]), np.ones((1, 3)))
    words = np.broadcast_to(np.array(["a", "b"]), (TERA, 2))
    assert_same(strew.gather(words, [-1]), words[:1])
    swapped = np.broadcast_to(np.arange(2, dtype=">i4"), (TERA, 2))
    assert strew.gather(swapped, [-1]).tolist() == [[0, 1]]


def test_terabytes_of_broadcast_updates_are_not_expanded():
    code = """
import resource, numpy as np, strew
limit = 3 * 2**30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
data = np.zeros(4)
# All axes except the first are dense; all updates are one number.
with strew.num_threads(1):
    indices = np.zeros((0, 1), np.int64)
    assert strew.scatter_nd(data, indices, np.ones(0), "add").tolist() == [0, 0, 0, 0]
    # 2^22 updates of 2^7 elements would take 4 GiB if they were expanded.
    rows = np.broadcast_to(np.int64(3), (2**22, 2**7))
    places = np.broadcast_to(np.array([1]), (2**22, 1))
    result = strew.scatter_nd(np.zeros((2, 2**7), np.int64), places, rows, "max")
    assert result.tolist() == [[0] * 2**7, [3] * 2**7]
    odd = np.broadcast_to(np.array(3, ">i8"), (2**22, 2**7))
    assert np.array_equal(strew.scatter_nd(np.zeros((2, 2**7), np.int64), places, odd, "max"), result)
"""
    run_python(code)


@pytest.mark.parametrize("kind", ["f8", ">f8", "S8", "U2", "field"])
def test_a_gather_of_few_rows_reads_few_rows_of_a_mapped_file(kind):
    code = """
import os, sys, numpy as np, strew
path, kind = sys.argv[1:]
def resident():
    return int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
with open(path, 'r+b') as file:
    file.truncate(4 * 2**30 + 8)
dtype = np.dtype([('pad', 'u1'), ('x', 'i8'), ('more', 'V7')]) if kind == 'field' else np.dtype(kind)
mapped = np.memmap(path, dtype, 'r', shape=(4 * 2**30 // dtype.itemsize // 2, 2))
data = mapped['x'] if kind == 'field' else mapped
strew.gather(data[:8], [0])
before = resident()
rows = strew.gather(data, [5, len(data) - 1, -7])
assert rows.shape == (3, 2) and rows.tobytes() == bytes(6 * data.dtype.itemsize)
assert strew.gather_nd(data, [[9, 1], [-1, 0]]).tobytes() == bytes(2 * data.dtype.itemsize)
assert strew.gather_elements(data, [[9, 1], [-1, 0]]).tobytes() == bytes(4 * data.dtype.itemsize)
assert resident() - before < 32 * 2**20, resident() - before
"""
    with tempfile.NamedTemporaryFile() as file:
        run_python(code, file.name, kind)

"""strew.dask with indices in memory: chunks that no index addresses are not read, or are passed through unchanged."""

import itertools
import pathlib

import dask
import dask.array as da
from dask.optimization import cull
from dask_cases import assert_same_bits, chunked, random_call, rule_call
import numpy as np
import pytest
import strew
import strew.dask
from strew.dask import _shuffle

SHUFFLE_METHODS = ["direct", "disk", "tasks"]


class Chunks:
    """An array in chunks. `read` has the chunks that were read."""

    def __init__(self, array, chunks):
        self.read, self.array = {}, array

        def read(block_info=None):
            place = block_info[None]
            chunk = np.ascontiguousarray(array[tuple(slice(*bounds) for bounds in place["array-location"])])
            self.read[place["chunk-location"]] = chunk
            return chunk

        self.lazy = da.map_blocks(read, chunks=chunks, dtype=array.dtype, meta=np.empty((0,) * array.ndim, array.dtype))

    def numbers(self):
        """Return an array with the number of the block of each element."""
        whole = np.empty(self.array.shape, np.int64)
        for number, (_, part) in enumerate(self.parts()):
            whole[part] = number
        return whole

    def parts(self):
        cuts = [np.cumsum([0, *sizes]).tolist() for sizes in self.lazy.chunks]
        for block in itertools.product(*(range(len(sizes)) for sizes in self.lazy.chunks)):
            yield block, tuple(slice(cut[n], cut[n + 1]) for n, cut in zip(block, cuts, strict=True))


def in_memory(rng, call, shuffle_method):
    op, operands, attributes = call
    data = Chunks(operands[0], chunked(rng, operands[0], 7).chunks)
    at = 2 if op == "tensor_scatter" else 1
    rest = [operand if n == at else chunked(rng, operand) for n, operand in enumerate(operands[1:], 1)]
    further = {} if op == "tensor_scatter" else {"shuffle_method": shuffle_method}
    return data, getattr(strew.dask, op)(data.lazy, *rest, **attributes, **further)


def random_calls(seed, count):
    rng = np.random.default_rng(seed)
    for n in range(count):
        yield rng, rule_call(rng) if n % 3 == 0 else random_call(rng)


def addressed(data, call):
    """Return the blocks with an element that the call reads or writes."""
    op, operands, attributes = call
    rules = {name: value for name, value in attributes.items() if name in ("axis", "batch_dims", "out_of_bounds", "negative_indices", "mode")}
    if op.startswith("gather"):
        fill = {"fill_value": -1} if rules.get("out_of_bounds") == "fill" else {}
        seen = set(np.unique(np.asarray(getattr(strew, op)(data.numbers(), operands[1], **rules, **fill))).tolist())
        return {block for number, (block, _) in enumerate(data.parts()) if number in seen}
    updates = [True, operands[1]] if op == "tensor_scatter" else [operands[1], True]
    if op == "tensor_scatter":
        updates = [np.ones(operands[1].shape, bool), operands[2]]
    marks = np.asarray(getattr(strew, op)(np.zeros(operands[0].shape, bool), *updates, **rules))
    return {block for block, part in data.parts() if marks[part].any()}


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
def test_only_addressed_chunks_are_read_or_written_and_the_bytes_are_those_of_one_call(monkeypatch, shuffle_method):
    left_out = 0
    for n, (rng, call) in enumerate(random_calls(SHUFFLE_METHODS.index(shuffle_method), 45)):
        monkeypatch.setattr(_shuffle, "MOST_PARTS", int(rng.choice([3, 1 << 18])))
        data, lazy = in_memory(rng, call, shuffle_method)
        wanted = addressed(data, call)
        chunks = dict(zip(np.ndindex(lazy.numblocks), dask.compute(*lazy.to_delayed().reshape(-1).tolist(), scheduler="sync"), strict=True))
        if call[0].startswith("gather"):
            assert {block for block, chunk in data.read.items() if chunk.size} == wanted, (n, call)
        else:  # chunks without elements may be passed through or new
            same = {block for block, chunk in chunks.items() if chunk is data.read.get(block)}
            assert {block for block, _ in data.parts() if chunks[block].size} - same == wanted, (n, call)
        left_out += lazy.npartitions - len(wanted)
        del chunks
        assert_same_bits(np.asarray(lazy.compute(scheduler="sync")), call, n)
    assert left_out > 50


def test_the_chunks_of_the_result_are_those_with_lazy_indices():
    for rng, call in random_calls(10, 60):
        op, operands, attributes = call
        if op == "tensor_scatter":
            continue
        data, *rest = (chunked(rng, operand) for operand in operands)
        rest[0] = da.from_array(operands[1], chunks=-1)
        lazy = getattr(strew.dask, op)(data, *rest, **attributes)
        known = getattr(strew.dask, op)(data, operands[1], *rest[1:], **attributes)
        assert (known.chunks, known.dtype) == (lazy.chunks, lazy.dtype)
        assert known.name != lazy.name  # other tasks with the same result


INDICES = {
    "array": np.array([5, 5, 8]),
    "list": [5, 5, 8],
    "tuple of scalars": (np.int16(5), np.int16(8)),
    "scalar": np.uint8(5),
    "unsigned": np.array([5, 8], ">u4"),
    "0-d": np.array(-4),
}


class Tensor:
    """An array of another library, in memory."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __getitem__(self, key):
        return self.array[key]

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("indices", [*INDICES.values(), Tensor(np.array([5, 8]))], ids=[*INDICES, "tensor"])
def test_one_of_ten_chunks_is_read_for_indices_in_it(indices):
    data = Chunks(np.arange(100.0).reshape(20, 5), ((5,) * 4, (5,)))
    got = strew.dask.gather(data.lazy, indices)
    assert data.read == {} and got.npartitions == 1
    assert_same_bits(got.compute(), ("gather", [data.array, np.asarray(indices)], {})) if np.min(np.asarray(indices)) > 0 else got.compute()
    assert len(data.read) == 1
    with pytest.raises(IndexError, match="is outside"):
        strew.dask.gather(data.lazy, np.asarray(indices) * 0 + 20)


def test_a_scalar_of_numpy_is_checked_when_called():
    with pytest.raises(IndexError, match=r"^gather: indices = 9 is outside \[-4, 3\] for axis 0 of data with shape \[4\]$"):
        strew.dask.gather(da.zeros(4, chunks=2), np.int64(9))


def test_indices_that_change_after_the_call_change_nothing():
    data, indices = da.arange(12, chunks=3), np.array([1, 10])
    taken, put = strew.dask.gather(data, indices), strew.dask.scatter_elements(data, indices, [70, 80])
    indices[:] = 5
    assert taken.compute().tolist() == [1, 10]
    assert put.compute()[[1, 10]].tolist() == [70, 80]


def test_the_number_of_tasks_follows_what_is_addressed():
    def tasks(call):
        return len(cull(call.dask.to_dict(), list(dask.core.flatten(call.__dask_keys__())))[0])

    data = da.zeros((10_000, 40), chunks=(100, 2))  # 100 x 20
    rows = strew.dask.gather(data, np.array([3, 5000, 5001]))
    # indices, route, ask, all asks; for each of 20 columns: 2 chunks of data, 2 fetches, all replies, assemble
    assert tasks(rows) == 4 + 20 * (2 * 2 + 2)
    points = strew.dask.gather_nd(data, np.array([[3, 5], [5000, 39], [3, 4]]))
    assert tasks(points) == 4 + 2 * 2 + 2
    bins = strew.dask.scatter_nd(data[:, 0], np.array([[7], [9999]]), 1.0, "add")
    dropped = strew.dask.scatter_nd(data[:, 0], np.array([[10_000]]), 1.0, "add", out_of_bounds="drop")
    source = tasks(data[:, 0])
    assert tasks(dropped) == source + 100
    # indices, updates, route, pack, all packs; of 100 chunks 2 are updated, and 98 are passed through
    assert tasks(bins) == source + 100 + 5


def test_indices_that_address_nothing_read_nothing():
    data = Chunks(np.arange(40.0).reshape(20, 2), ((5,) * 4, (1, 1)))
    assert strew.dask.gather(data.lazy, []).compute().shape == (0, 2)
    filled = strew.dask.gather(data.lazy, [20, -21], out_of_bounds="fill", fill_value=7)
    assert filled.compute().tolist() == [[7, 7], [7, 7]] and filled.chunks == ((2,), (1, 1))
    whole = Chunks(np.arange(4.0), ((4,),))
    assert strew.dask.gather_elements(whole.lazy, [9], out_of_bounds="fill").compute().tolist() == [0]
    assert data.read == whole.read == {}


@pytest.mark.parametrize(("starts", "mode"), [(np.array([1, 250], "u1"), "circular"), (np.array([2**63 + 5, 3], "u8"), "circular"), (None, "linear")])
def test_caches_are_written_to_from_starts_of_any_type(starts, mode):
    cache, update = Chunks(np.zeros((2, 300)), ((1, 1), (100,) * 3)), np.ones((2, 60))
    got = strew.dask.tensor_scatter(cache.lazy, update, starts, 1, mode)
    wanted = strew.tensor_scatter(cache.array, update, starts, 1, mode)
    chunks = dask.compute(*got.to_delayed().reshape(-1).tolist(), scheduler="sync")
    passed = {block for block, chunk in zip(np.ndindex(got.numblocks), chunks, strict=True) if chunk is cache.read[block]}
    assert passed == {block for block, part in cache.parts() if not wanted[part].any()}
    assert np.array_equal(got.compute(), wanted)


def test_a_graph_over_a_hundred_thousand_chunks_has_tasks_for_those_that_are_addressed_alone():
    data = da.zeros(200_000, chunks=2)
    for call, further in (
        (strew.dask.gather(data, [7, 199_999]), 8),
        (strew.dask.gather_elements(data, [7, 199_999]), 8),
        (strew.dask.scatter_nd(data, [[7], [199_999]], 1.0, "add"), 100_000 + 5),
    ):
        assert len(call.dask) == 100_000 + further


def test_the_documented_histogram_counts_as_dasks():
    row = next(line for line in (pathlib.Path(__file__).parents[2] / "docs/dask.md").read_text().splitlines() if "da.histogram" in line)
    v, edges = da.from_array(np.random.default_rng(81).random(1000) * 5, chunks=130), np.array([0, 1, 1.5, 2, 5])
    names = {"da": da, "strew": strew, "scatter_nd": strew.dask.scatter_nd, "v": v, "edges": edges}
    (wanted, _), counts = (eval(code, names) for code in row.split("`")[1::2])
    assert counts.compute().tolist() == wanted.compute().tolist()

"""Tests that a shuffle through files holds only a small part of the shuffled bytes in memory."""

import dask
import dask.array as da
from dask_cases import assert_same_bits
import numpy as np
import pytest
import strew.dask
from strew.dask import _tables, _tasks


@pytest.fixture(autouse=True)
def folder(tmp_path):
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        yield


def test_a_temporary_directory_that_is_missing_is_made(tmp_path):
    with dask.config.set({"temporary-directory": str(tmp_path / "new" / "deep")}):
        got = strew.dask.gather(da.arange(6, chunks=2), da.from_array([5, 0], chunks=1), shuffle_method="disk")
        assert got.compute(scheduler="threads").tolist() == [5, 0]


def test_answers_of_a_crowded_chunk_are_never_all_in_memory(monkeypatch):
    monkeypatch.setattr(_tables, "BATCH_BYTES", 4096)
    written = []
    write = _tables._write
    monkeypatch.setattr(_tables, "_write", lambda file, array: (written.append(array.nbytes), write(file, array)))
    rng = np.random.default_rng(5)
    data = da.from_array(rng.integers(0, 9, (400, 16)), chunks=(100, 16))
    where = rng.integers(0, 100, 9000)
    got = strew.dask.gather(data, da.from_array(where, chunks=1000), shuffle_method="disk").compute(scheduler="threads")
    assert np.array_equal(got, data.compute()[where])
    assert sum(written) == 9000 * (4 + 128)  # bytes of an offset and a row for each index
    assert max(written) == 4096


def test_updates_of_a_crowded_chunk_are_never_all_in_memory(monkeypatch):
    monkeypatch.setattr(_tables, "BATCH_BYTES", 4096)
    monkeypatch.setattr(_tasks, "BATCH_BYTES", 4096)
    written, at_once = [], []
    write, batches = _tables._write, _tasks._batches
    monkeypatch.setattr(_tables, "_write", lambda file, array: (written.append(array.nbytes), write(file, array)))

    def counted(parts):
        for some in batches(parts):
            at_once.append(sum(values.nbytes for _, values in some))
            yield some

    monkeypatch.setattr(_tasks, "_batches", counted)
    rng = np.random.default_rng(6)
    operands = [np.zeros((400, 16), np.float32), rng.integers(0, 100, (9000, 1)), rng.random((9000, 16), np.float32)]
    lazy = [da.from_array(operand, chunks=(100, 16)) for operand in operands]
    got = strew.dask.scatter_nd(*lazy, "add", shuffle_method="disk").compute(scheduler="threads")
    assert_same_bits(got, ("scatter_nd", operands, {"reduction": "add"}))
    assert sum(written) == 9000 * (4 + 64) and max(written) <= 4096  # 90 chunks with 6,400 bytes of updates each
    assert sum(at_once) == 9000 * 64 and max(at_once) == 6400

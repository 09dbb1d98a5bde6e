"""strew.dask on two worker processes gives the same bytes for every shuffle method, also after a worker was killed."""

import os
import signal
import time

import dask
import dask.array as da
from dask_cases import assert_same_bits, lazy_call, random_call
import distributed
import numpy as np
import pytest
import strew
import strew.dask
from strew.dask import _shuffle
from support import refuses

SHUFFLE_METHODS = ["tasks", "disk", "p2p"]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def own_folder(tmp_path_factory):
    """Put Dask's temporary files into a test folder, because a killed worker does not remove its files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path_factory.mktemp("dask")))
        yield


@pytest.fixture(scope="module")
def client(own_folder):
    quiet = {"silence_logs": 50, "dashboard_address": None, "threads_per_worker": 1}
    with distributed.LocalCluster(n_workers=2, memory_limit="600MiB", **quiet) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.parametrize("shuffle_method", [*SHUFFLE_METHODS, "auto"])
def test_random_calls_give_the_bytes_of_one_call(client, shuffle_method):
    rng = np.random.default_rng(len(shuffle_method))
    for n in range(10):
        call = random_call(rng)
        lazy = lazy_call(rng, call, knows_indices=n % 2, shuffle_method=shuffle_method)
        assert_same_bits(np.asarray(lazy.compute()), call, n)


def test_many_parts_travel_by_p2p(client):
    graph = _shuffle.Graph("scatter_nd", "auto")
    graph.choose(1, 64, 64, 0)
    assert graph.method == "tasks"
    graph.choose(1, 65, 64, 0)
    assert graph.method == "p2p"


def test_updates_that_crowd_on_a_chunk_are_refused_by_p2p(client):
    def set_limit(limit):
        from strew.dask import _tasks

        _tasks._worker_limit = lambda distributed: limit

    data, rows, updates = np.zeros((8, 4), np.float32), np.full((300, 1), 5), np.ones((300, 4), np.float32)
    rows[:100] = 1
    call = "scatter_nd", [data, rows, updates], {"reduction": "add"}
    lazy = [da.from_array(operand, chunks=chunk) for operand, chunk in zip(call[1], ((2, 4), 100, 90), strict=True)]
    told = r"^scatter_nd: with shuffle_method 'p2p', one chunk of data receives 3200 bytes .* more than half of the 6399 .*; shuffle_method='disk' reads"
    client.run(set_limit, 6399)
    refuses(MemoryError, told, strew.dask.scatter_nd(*lazy, "add", shuffle_method="p2p").compute)
    client.run(set_limit, 6400)
    assert_same_bits(strew.dask.scatter_nd(*lazy, "add", shuffle_method="p2p").compute(), call)
    client.run(set_limit, 600 << 20)


class File:
    """A file into which every worker can write with da.store."""

    def __init__(self, path, shape):
        self.path, self.shape, self.ndim, self.dtype = path, shape, len(shape), np.dtype(float)
        np.save(path, np.full(shape, 42.0))

    def __setitem__(self, where, values):
        np.load(self.path, mmap_mode="r+")[where] = values

    def values(self):
        return np.load(self.path)


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
def test_bad_indices_store_nothing(client, shuffle_method, tmp_path):
    indices = np.array([[0], [3], [9], [-12]])
    told = r"^scatter_nd: indices\[2, 0\] = 9 is outside \[-8, 7\] for axis 0 of data with shape \[8\]$"
    for bad in (True, False):
        store = File(tmp_path / "out.npy", (8,))
        lazy = da.from_array(indices if bad else indices % 8, chunks=(1, 1))
        result = strew.dask.scatter_nd(da.zeros(8, chunks=2), lazy, da.ones(4, chunks=3), shuffle_method=shuffle_method)
        if bad:
            refuses(IndexError, told, da.store, result, store, lock=False)
            assert (store.values() == 42).all()
        else:
            da.store(result, store, lock=False)
            assert store.values().tolist() == [1, 1, 0, 1, 1, 0, 0, 0]


def test_workers_keep_little_memory_and_use_one_thread(client):
    strew.dask.gather(da.arange(1000, chunks=100), da.arange(1000, chunks=100)).compute()
    assert all(limit <= 600 << 16 for limit in client.run(strew.get_memory_cache_limit).values())


class Waiting:
    """Returns blocks unchanged, and the last block only after the event is set. Meanwhile, the only thread of its worker
    runs other tasks, such as a task that sends the first updates."""

    def __init__(self, event):
        self.event = event

    def __call__(self, block, block_info=None):
        place = block_info[0]
        if place["chunk-location"][0] == place["num-chunks"][0] - 1:
            event = distributed.Event(self.event)
            distributed.secede()
            assert event.wait(timeout=60)
        return block


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
def test_a_killed_worker_changes_no_byte(client, shuffle_method):
    """Kill a worker after it has packed updates and before the last updates exist, so that the shuffle is unfinished."""
    client.wait_for_workers(2, timeout=60)
    rng = np.random.default_rng(70)
    data, updates = rng.standard_normal(300).astype(np.float16), rng.standard_normal(8000).astype(np.float16)
    indices = np.where(rng.random((8000, 1)) < 0.3, 17, rng.integers(-300, 300, (8000, 1)))
    event = distributed.Event(f"go-{shuffle_method}", client=client)
    late = da.from_array(updates, chunks=500).map_blocks(Waiting(event.name), dtype=updates.dtype, meta=updates[:0])
    result = strew.dask.scatter_nd(
        da.from_array(data, chunks=40), da.from_array(indices, chunks=(500, 1)), late, "add", shuffle_method=shuffle_method
    )
    future = client.compute(result)
    deadline = time.monotonic() + 60
    sent = {"tasks": "-part-", "disk": "-write-", "p2p": "-transfer-"}[shuffle_method]
    while not (holders := [where for key, where in client.who_has().items() if sent in str(key) and where]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    victim = holders[0][0]
    pids = client.run(os.getpid, workers=[victim])
    os.kill(pids[victim], signal.SIGKILL)
    assert not future.done()
    event.set()
    assert_same_bits(future.result(timeout=60), ("scatter_nd", [data, indices, updates], {"reduction": "add"}))


def test_folders_of_files_are_gone_when_the_run_is(client, tmp_path):
    def set_folder():
        dask.config.set({"temporary-directory": str(tmp_path)})

    client.wait_for_workers(2, timeout=60)
    client.run(set_folder)
    rows = da.from_array(np.arange(60)[::-1].reshape(60, 1), chunks=(7, 1))
    updates = da.from_array(np.arange(60.0), chunks=7)
    result = strew.dask.scatter_nd(da.zeros(60, chunks=11), rows, updates, shuffle_method="disk").persist()
    assert (result.compute() == np.arange(60)[::-1]).all()
    deadline = time.monotonic() + 20
    while list(tmp_path.glob("strew-dask-*")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not list(tmp_path.glob("strew-dask-*"))

"""Times strew.dask out of core: a scatter-add and a gather of 256-byte rows from files to zarr.

Usage: dask_scale.py [--workers 2] [--memory 500MiB] [--rounds 1] [--folder FOLDER] WHAT...
       dask_scale.py --chosen  prints the tasks and bytes read for a few indices in memory, also for Dask's indexing

Prints a line of JSON for each WHAT, which is HOW:ROWS:CHUNKS. HOW is a shuffle method ("direct" and "disk" in threads; "cluster-tasks",
"cluster-disk", "cluster-p2p" on worker processes of one thread), with the prefix "gather-" for a gather. "copy" and "cluster-copy" time
how Dask copies the same bytes; "once" is one call with everything in memory. A scatter has a third as many updates as rows.
--folder holds the files until the end and needs room for four times the data.
Every result that fits in memory is compared with one call. With --rounds N, all WHAT run N times in turn, each after the previous output
is on the disk; a line has the times and their medians. Traffic counts each byte of data, updates, indices and the result once. Peak is
the anonymous memory of this process or of all workers together, sampled ten times a second, without file pages.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import tempfile
import threading
import time

from machine import stamp

ROW = 64  # float32 elements


def anonymous_bytes(pids):
    total = 0
    for pid in pids:
        try:
            text = pathlib.Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("RssAnon"))
    return total


class Peak(threading.Thread):
    """A thread that records the peak anonymous memory of processes."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.pids, self.bytes, self.over = pids, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.1):
            self.bytes = max(self.bytes, anonymous_bytes(self.pids))


def make_files(folder, rows):
    import numpy as np

    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    count = rows // 3
    for name, shape in (("data", (rows, ROW)), ("updates", (count, ROW))):
        file = np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.float32, shape)
        for begin in range(0, shape[0], 1 << 18):
            file[begin : begin + (1 << 18)] = rng.standard_normal((min(1 << 18, shape[0] - begin), ROW), np.float32)
        file.flush()
    np.save(folder / "indices.npy", rng.integers(-rows, rows, (count, 1)))


def from_file(path, chunk):
    import dask.array as da
    import numpy as np

    whole = np.load(path, mmap_mode="r")

    def read(block_info=None):
        place = block_info[None]["array-location"]
        return np.array(np.load(path, mmap_mode="r")[tuple(slice(*bounds) for bounds in place)])

    chunks = da.core.normalize_chunks((chunk, -1), whole.shape)
    return da.map_blocks(read, chunks=chunks, dtype=whole.dtype, meta=np.empty((0, 0), whole.dtype))


def only_read(block):
    import numpy as np

    return np.array([[block.size]])


def timed(work):
    """Run a function after all earlier writes are on the disk. Return its wall and CPU seconds."""
    os.sync()
    begin, spent = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begin, time.process_time() - spent


def measure(folder, inputs, how, rows, chunks):
    """Return traffic, the result of `timed`, and a function that compares the output with one call's result."""
    import dask
    import dask.array as da
    import numpy as np
    import strew
    import strew.dask
    import zarr

    data, indices, updates = (inputs / f"{name}.npy" for name in ("data", "indices", "updates"))
    gathers = how.startswith("gather-")
    method = how.removeprefix("gather-").removeprefix("cluster-")
    traffic = data.stat().st_size * (1 if gathers else 2) + updates.stat().st_size + indices.stat().st_size
    if method == "once":

        def once():
            operands = [np.load(path) for path in (data, indices, updates)]
            np.save(folder / "out.npy", strew.scatter_nd(*operands, "add", out=operands[0]))

        return traffic, timed(once), lambda: None
    chunk = -(-rows // chunks)
    x = from_file(data, chunk)
    few = -(-(rows // 3) // max(1, chunks // 3))
    i, u = from_file(indices, few), from_file(updates, few)
    others = []
    if method == "copy":
        result, others = x, [array.map_blocks(only_read, dtype=np.int64, chunks=(1, 1)) for array in (i, u)]
    elif gathers:
        result = strew.dask.gather(x, i[:, 0], shuffle_method=method)
    else:
        result = strew.dask.scatter_nd(x, i, u, "add", shuffle_method=method)
    out = zarr.create_array(
        folder / "out.zarr", shape=result.shape, chunks=(result.chunks[0][0], ROW), dtype=np.float32, compressors=None, overwrite=True
    )
    times = timed(lambda: dask.compute(da.store(result, out, lock=False, compute=False), *others))

    def verify():
        if method == "copy" or data.stat().st_size >= 3 << 30:
            return
        one, them = np.load(data, mmap_mode="r"), np.load(indices)
        wanted = strew.gather(one, them[:, 0]) if gathers else strew.scatter_nd(one, them, np.load(updates), "add")
        if wanted.tobytes() != out[...].tobytes():
            raise SystemExit(f"{how}: the bytes differ from those of one call")

    return traffic, times, verify


def measure_once(given, folder, how, rows, chunks, verifies):
    """Return traffic, wall seconds, CPU seconds of this process, and the peak of this process or of all workers."""
    import strew
    from distributed import Client, LocalCluster

    inputs = folder / str(rows)
    if not inputs.exists():
        make_files(inputs, rows)
    strew.release_memory_cache()
    with contextlib.ExitStack() as stack:
        pids = ["self"]
        if "cluster" in how:
            quiet = {"silence_logs": 50, "dashboard_address": None, "threads_per_worker": 1}
            cluster = stack.enter_context(LocalCluster(n_workers=given.workers, memory_limit=given.memory, **quiet))
            stack.enter_context(Client(cluster))
            pids = [worker.pid for worker in cluster.workers.values()]
        peak = Peak(pids)
        peak.start()
        traffic, times, verify = measure(folder, inputs, how, rows, chunks)
        peak.over.set()
        if verifies:
            verify()
    return traffic, *times, peak.bytes


def run(given):
    import dask

    folder = pathlib.Path(tempfile.mkdtemp(prefix="strew-bench-", dir=given.folder))
    whats = [(how, int(rows), int(chunks)) for how, rows, chunks in (what.split(":") for what in given.what)]
    runs = {what: [] for what in whats}
    try:
        with dask.config.set({"temporary-directory": str(folder)}):
            for number in range(given.rounds):
                for what in whats:
                    runs[what].append(measure_once(given, folder, *what, verifies=number == 0))
    finally:
        shutil.rmtree(folder)
    for (how, rows, chunks), those in runs.items():
        traffic, seconds, spent, peak = ([run[i] for run in those] for i in range(4))
        median = statistics.median(seconds)
        line = {"how": how, "elements": rows * ROW, "chunks": chunks, "seconds": round(median, 3)}
        line |= {"gb_per_s": round(traffic[0] / median / 1e9, 3), "peak_gb": round(max(peak) / 1e9, 3)}
        line |= {"workers": given.workers} if "cluster" in how else {"processor_seconds": round(statistics.median(spent), 3)}
        print(json.dumps(line | {"runs": [round(each, 3) for each in seconds]} | stamp()), flush=True)


def chosen():
    """Return a row for each call: tasks of the culled graph, chunks and bytes read, and seconds, with strew.dask and with Dask."""
    import dask
    import dask.array as da
    import numpy as np
    import strew.dask
    from dask.optimization import cull

    rng, read = np.random.default_rng(2), []

    def data(shape, chunks):
        def chunk(block_info=None):
            read.append(8 * np.prod(block_info[None]["chunk-shape"]))
            return np.full(block_info[None]["chunk-shape"], 1.5)

        chunks = da.core.normalize_chunks(chunks, shape)
        return da.map_blocks(chunk, chunks=chunks, dtype=float, meta=np.empty((0,) * len(shape)))

    def put(x, rows):
        y = x.copy()
        y[rows] = 1.0
        return y

    wide, long = ((90_000, 2_000), (900, 100)), ((200_000,), (20,))
    few, many, points = rng.integers(0, 90_000, 3), rng.integers(0, 90_000, 1000), rng.integers(0, 2_000, (1000, 2))
    for name, (shape, chunks), ours, dasks in (
        ("3 rows of 100 x 20 chunks", wide, lambda x: strew.dask.gather(x, few), lambda x: x[few]),
        ("1,000 rows of them", wide, lambda x: strew.dask.gather(x, many), lambda x: da.take(x, many, axis=0)),
        ("1,000 points of them", wide, lambda x: strew.dask.gather_nd(x, points), lambda x: x.vindex[points[:, 0], points[:, 1]]),
        ("3 elements of 10,000 chunks", long, lambda x: strew.dask.gather(x, few), lambda x: x[few]),
        ("1 written to 3 rows of 100 x 20 chunks", wide, lambda x: strew.dask.scatter_nd(x, few[:, None], 1.0), lambda x: put(x, few)),
    ):
        cells = []
        for call in (ours, ours, dasks):  # once to warm up
            x = data(shape, chunks)
            begin = time.perf_counter()
            lazy = call(x)
            built = time.perf_counter() - begin
            tasks = len(cull(lazy.dask.to_dict(), list(dask.core.flatten(lazy.__dask_keys__())))[0])
            read.clear()
            reduced = lazy if lazy.size < 1 << 22 else lazy.map_blocks(only_read, dtype=np.int64, chunks=(1, 1))
            begin = time.perf_counter()
            reduced.compute(scheduler="threads")
            seconds = built + time.perf_counter() - begin
            cells.append(f"{tasks:,} | {len(read):,} | {sum(read) / 1e6:,.1f} MB | {seconds:.2f} s")
        print(f"| {name} | {' | '.join(cells[1:])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="HOW:ROWS:CHUNKS")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="500MiB", help="of each worker")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--chosen", action="store_true", help="counts what calls with a few indices in memory read")
    given = parser.parse_args()
    if given.chosen:
        chosen()
    else:
        run(given)


if __name__ == "__main__":
    main()

"""Graph construction, and shuffles. A shuffle sends each owner its part of every source's table.

Sources are blocks of indices, and owners are blocks of data; on the way back of a gather, the reverse.
"""

import math
import os
import sys
from functools import partial
from operator import attrgetter

import dask
import dask.array as da
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from .. import _strew
from ._tables import Arrived, Bucket, Folder, Gathered, StoredTable, Table, boxed, regroup, unboxed
from ._tasks import least_bad, refuse, weigh

SHUFFLE_METHODS = ("auto", "direct", "disk", "tasks", "p2p")

# A part has the rows of one source for one owner, and costs 10 ("direct") to 25 ("disk") microseconds. If a call would
# need more than MOST_PARTS, neighbouring owners share parts.
MOST_PARTS = 1 << 18
# Up to this number of parts, a task per part is cheaper than starting Dask's p2p shuffle.
MOST_TASK_PARTS = 4096
_FAN = 32  # fan-in of the tree that finds the first bad index


def scheduler_in_use():
    """Return "threads", "processes" or "distributed": the scheduler that Dask would choose at this moment."""
    name = dask.config.get("scheduler", None)
    if name in ("processes", "multiprocessing"):
        return "processes"
    if "distributed" in sys.modules and name in (None, "distributed", "dask.distributed"):
        from distributed import default_client

        try:
            default_client()
        except ValueError:
            return "threads"
        return "distributed"
    return "threads"


def memory_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class Graph:
    """Tasks of one call. The key of a task is the tuple (what-op-token, numbers...)."""

    def __init__(self, op, shuffle_method, *identity):
        self.op, self.asked = op, shuffle_method
        self.token = tokenize(op, shuffle_method, *identity)
        self.name = f"strew-{op}-{self.token}"
        self.tasks = {}
        self.method, self.share = None, 1
        self.folder = None  # tasks that read files depend on the folder, so that it outlives them
        self._shuffles = 0

    def add(self, what, at, function, *arguments):
        key = (f"{what}-{self.op}-{self.token}", *at)
        self.tasks[key] = (function, *arguments)
        return key

    def finish(self, chunks, dtype, dependencies):
        layer = HighLevelGraph.from_collections(self.name, self.tasks, dependencies=dependencies)
        return da.Array(layer, self.name, chunks, dtype=dtype)

    def add_check(self, routes):
        """Add a task that raises the error for the first bad index; return its key, on which every output depends."""
        keys = [self.add("bad", (i,), attrgetter("bad"), route) for i, route in enumerate(routes)]
        level = 0
        while len(keys) > _FAN:
            groups = [keys[i : i + _FAN] for i in range(0, len(keys), _FAN)]
            keys = [self.add("least", (level, n), least_bad, group) for n, group in enumerate(groups)]
            level += 1
        return self.add("check", (), refuse, keys)

    def add_weighing(self, what, routes, row_bytes):
        """For p2p, add a task that fails if one owner receives too many updates: a worker keeps them in memory."""
        if self.method != "p2p":
            return None
        bounds = [self.add(what + "-bounds", (i,), attrgetter("bounds"), route) for i, route in enumerate(routes)]
        return self.add(what, (), partial(weigh, op=self.op, share=self.share, row_bytes=row_bytes), bounds)

    def choose(self, shuffles, sources, owners, nbytes):
        """Choose how `shuffles` shuffles move `nbytes` bytes in total, from `sources` sources to `owners` owners."""
        self.share = min(owners, max(1, math.ceil(shuffles * sources * owners / MOST_PARTS)))
        parts = shuffles * sources * math.ceil(owners / self.share)
        self.method = self.asked
        if self.asked != "auto":
            return
        scheduler = scheduler_in_use()
        if scheduler == "threads":
            self.method = "direct" if nbytes <= memory_bytes() // 8 else "disk"
        elif parts <= MOST_TASK_PARTS:
            self.method = "tasks"
        else:
            self.method = "p2p" if scheduler == "distributed" else "disk"

    def join(self, what, tables):
        """Merge each group of `share` neighbouring tables, to limit the number of parts."""
        if self.share == 1:
            return tables
        groups = [tables[i : i + self.share] for i in range(0, len(tables), self.share)]
        return [self.add(what + "-join", (n,), regroup, group) for n, group in enumerate(groups)]

    def shuffle(self, what, tables, owners, share=1):
        """Add a shuffle, and return, for each owner, the key of the Arrived or Bucket with its parts.

        `tables` contains the key of each source's table or, if `writes_tables`, the task that makes the table.
        """
        self._shuffles += 1
        what = f"{what}{self._shuffles}"
        cuts = [*range(0, owners, share), owners]
        pairs = list(zip(cuts, cuts[1:], strict=False))
        if self.method in ("direct", "disk"):
            if self.method == "disk":
                folder = self.folder = self.folder or self.add("folder", (), Folder)
                name = f"{what}-%d".__mod__
                tables = [self.add(what + "-write", (i,), StoredTable, t, folder, name(i)) for i, t in enumerate(tables)]
            arrived = [self.add(what + "-all", (), Arrived, tables)] * len(pairs)
        elif self.method == "p2p" and len(tables) > 1:
            arrived = self._rechunk(what, tables, cuts)
        else:
            arrived = []
            for b, (first, last) in enumerate(pairs):
                cut = partial(Table.slice, first=first, last=last)
                slices = [self.add(what + "-part", (i, b), cut, table) for i, table in enumerate(tables)]
                arrived.append(self.add(what + "-in", (b,), Arrived, slices, first))
        if share > 1:
            arrived = [
                self.add(what + "-bucket", (b,), Bucket, arrived[b], first, last) for b, (first, last) in enumerate(pairs)
            ]
        return [arrived[j // share] for j in range(owners)]

    def _rechunk(self, what, tables, cuts):
        # Parts of tables become elements of an array of objects, which Dask can rechunk with p2p.
        count = len(cuts) - 1
        name = f"{what}-box-{self.op}-{self.token}"
        boxes = {(name, i, 0): (partial(boxed, cuts=cuts), table) for i, table in enumerate(tables)}
        graph = HighLevelGraph({name: boxes}, {name: set()})
        array = da.Array(graph, name, ((1,) * len(tables), (count,)), dtype=object)
        turned = array.rechunk(((len(tables),), (1,) * count), method="p2p")
        self.tasks.update(dict(turned.dask))
        return [self.add(what + "-in", (b,), unboxed, (turned.name, 0, b), cuts[b]) for b in range(count)]

    @property
    def writes_tables(self):
        """Return whether tasks write tables to files directly, so that a table need not fit in memory."""
        return self.method == "disk" and self.share == 1

    @property
    def column(self):
        """Return the function that gathers rows of a block, either at once or while the rows are written to a file."""
        return Gathered if self.writes_tables else _strew.gather

"""Graphs of scatters (route, check, shuffle, apply) and gathers (route, check, shuffle, fetch, shuffle, assemble)."""

import inspect
import math
from functools import partial
from typing import NamedTuple

import numpy as np

from .. import _strew
from .._errors import wrong_value
from . import _shuffle, _tasks
from ._chunks import as_dask, as_native, blocks, check_lists, output_shape, rechunked, starts, whole_indices
from ._shuffle import SHUFFLE_METHODS, Graph
from ._tasks import Block, bad_index

_RULES = ("out_of_bounds", "negative_indices")


class Group(NamedTuple):
    """Sources (blocks of indices) and owners (blocks of data along the indexed axes) that exchange rows."""

    sources: list  # coordinates of blocks of indices
    routes: list  # for each source, the key of its task `route`
    owners: list  # owners that indices may address, as arguments of the functions in `columns`
    columns: list  # pairs of functions: owner -> block of data, and source -> block of the updates or output
    is_aligned: bool  # the only owner spans all indexed axes, so nothing is shuffled


class Call:
    """One call: its checked operands and its graph."""

    def __init__(self, op, shuffle_method, data, indices, attributes, updates=None):
        if shuffle_method not in SHUFFLE_METHODS:
            text = f"shuffle_method {shuffle_method!r} is not one of {', '.join(map(repr, SHUFFLE_METHODS))}"
            raise wrong_value(op, "shuffle_method", text, shuffle_method)
        if shuffle_method == "p2p" and _shuffle.scheduler_in_use() != "distributed":
            text = "shuffle_method 'p2p' is for a cluster: create a distributed.Client first, or use 'auto'"
            raise wrong_value(op, "shuffle_method", text, shuffle_method)
        self.op, self.shuffle_method, self.attributes = op, shuffle_method, attributes
        self.rules = {name: attributes[name] for name in _RULES if attributes.get(name) is not None}
        self.data = as_dask(op, "data", data)
        check_lists(op, [self.data, indices] + ([] if updates is None else [updates]), attributes)
        self.whole = whole_indices(indices)  # indices in memory, else None
        self.indices = as_dask(op, "indices", indices if self.whole is None else self.whole)
        operands = [self.data, self.indices] + ([] if updates is None else [updates])
        self.shape = output_shape(op, operands, attributes)
        self.dtype = self.data.dtype
        self.data = as_native(self.data)
        self.groups = []

    def check_now(self, chosen, tuples):
        """Reject bad values of in-memory indices when the function is called."""
        if self.whole is None:
            return
        lead = self.whole.shape[: self.whole.ndim - tuples]
        axes = [np.array([0, self.data.shape[axis]]) for axis in chosen]
        block = Block(self.op, self.data.shape, chosen, axes, tuples, self.rules, (0,) * len(lead), lead)
        bad = block.bad(self.whole, _strew._find_bad_index(self.whole, axes, tuples, **self.rules))
        if bad is not None:
            raise bad_index(*bad[1])

    def cut_indices(self, chunks):
        """Split the indices into `chunks`. Splitting in-memory indices directly saves one task per chunk."""
        if self.whole is None or self.indices.size == 0:
            self.indices = rechunked(self.indices, chunks)
        elif self.indices.chunks != chunks:
            self.indices = as_dask(self.op, "indices", self.whole, chunks)

    def begin(self, *identity):
        names = self.data.name, self.indices.name, *identity
        self.graph = Graph(self.op, self.shuffle_method, self.whole is None, *names, sorted(self.attributes.items()))
        self.begins = [starts(sizes).tolist() for sizes in self.indices.chunks]

    def add_group(self, sources, chosen, axes, tuples, owners, columns):
        """Add a group with `owners`; if the indices are in memory, only with those owners that they address."""
        number, aligned, kept = len(self.groups), len(owners) == 1, None
        shape = self.indices.shape[: self.indices.ndim - tuples]
        if self.whole is not None:
            addressed = self._addressed(sources, axes, tuples, len(owners))
            owners = [owners[j] for j in addressed]
            kept = np.array([0, *(j + 1 for j in addressed)])
        task = _tasks.only_check if aligned else partial(_tasks.route, kept=kept)
        routes = []
        # Indices in memory were checked when the function was called.
        for i, block in enumerate(sources if self.whole is None or (owners and not aligned) else []):
            origin = tuple(begins[n] for n, begins in zip(block[: len(shape)], self.begins, strict=False))
            where = Block(self.op, self.data.shape, chosen, axes, tuples, self.rules, origin, shape)
            routes.append(self.graph.add("route", (number, i), partial(task, block=where), (self.indices.name, *block)))
        self.groups.append(Group(sources, routes, owners, columns, aligned))

    def _addressed(self, sources, axes, tuples, owners):
        """Return the positions, in the list of owners, of the owners that in-memory indices address."""
        slices = [[slice(b[n], b[n + 1]) for n, b in zip(source, self.begins, strict=True)] for source in sources]
        parts = [self.whole[(*where, ...)] for where in slices]
        if owners == 1 and self.rules.get("out_of_bounds") not in ("fill", "drop"):
            return [0] if any(math.prod(part.shape[: part.ndim - tuples]) for part in parts) else []
        counts = np.zeros(owners, np.int64)
        for part in parts:
            counts += np.diff(_strew._route(part, axes, tuples, **self.rules)[0])
        return np.flatnonzero(counts).tolist()

    def check(self, nbytes):
        """Add the check and choose the shuffle method, after all groups have been added."""
        self.ok = self.whole is not None or self.graph.add_check([route for group in self.groups for route in group.routes])
        shuffles = sum(len(group.columns) for group in self.groups)
        sources, owners = (max(map(len, those)) for those in ([g.sources for g in self.groups], [g.owners for g in self.groups]))
        self.graph.choose(shuffles, sources, max(owners, 1), nbytes)

    def gathered(self, chunks, lead, axis, one_call):
        """Return a gather's lazy result. A column maps owners to blocks of data, and sources to blocks of output."""
        graph, fill = self.graph, self.attributes.get("fill_value")
        fill = np.zeros((), self.data.dtype)[()] if fill is None else np.asarray(fill, self.data.dtype)[()]
        self.check(math.prod(self.shape) * self.data.dtype.itemsize)
        for g, (sources, routes, owners, columns, is_aligned) in enumerate(self.groups):
            if not owners:
                for key in (out_of(block) for _, out_of in columns for block in sources):
                    shape = tuple(sizes[number] for sizes, number in zip(chunks, key, strict=True))
                    graph.tasks[(graph.name, *key)] = (partial(np.full, shape, fill),)
                continue
            if is_aligned:
                task = partial(_tasks.call, function=one_call)
                for data_of, out_of in columns:
                    for block in sources:
                        key = (graph.name, *out_of(block))
                        graph.tasks[key] = (task, (self.data.name, *data_of(owners[0])), (self.indices.name, *block), self.ok)
                continue
            asks = [graph.add("ask", (g, i), _tasks.ask, route) for i, route in enumerate(routes)]
            arrived = graph.shuffle("ask", asks, len(owners), graph.share)
            for t, (data_of, out_of) in enumerate(columns):
                replies = []
                for j, owner in enumerate(owners):
                    key = (self.data.name, *data_of(owner))
                    task = partial(_tasks.fetch, owner=j, lead=lead, axis=axis, column=graph.column)
                    reply = (task, key, arrived[j], self.ok, graph.folder)
                    replies.append(reply if graph.writes_tables else graph.add("fetch", (g, t, j), *reply))
                back = graph.shuffle("reply", graph.join(f"reply{g}.{t}", replies), len(sources))
                for i, block in enumerate(sources):
                    task = partial(_tasks.assemble, source=i, axis=axis, fill=fill)
                    graph.tasks[(graph.name, *out_of(block))] = (task, routes[i], back[i], self.ok, graph.folder)
        return graph.finish(chunks, self.data.dtype, [self.data, self.indices]).astype(self.dtype)

    def scattered(self, updates, lead, one_call):
        """Return a scatter's lazy result. A column maps owners to blocks of data, and sources to blocks of updates."""
        graph, data, reduction = self.graph, self.data, self.attributes["reduction"]
        further = self.further()
        self.check(math.prod(updates.shape) * data.dtype.itemsize)
        for g, (sources, routes, owners, columns, is_aligned) in enumerate(self.groups):
            if not owners:
                continue
            if is_aligned:
                task = partial(_tasks.call, function=one_call)
                for t, (data_of, updates_of) in enumerate(columns):
                    block = data_of(owners[0])
                    state = (data.name, *block)
                    for i, source in enumerate(sources):
                        key = (graph.name, *block) if i == len(sources) - 1 else graph.add("fold", (g, t, i), None)
                        graph.tasks[key] = (
                            task, state, (self.indices.name, *source), (updates.name, *updates_of(source)), self.ok
                        )
                        state = key
                continue
            row = updates.chunks[updates.ndim - (data.ndim - lead) :]
            row_bytes = math.prod(max(sizes) for sizes in row) * data.dtype.itemsize
            weighed = graph.add_weighing(f"weigh{g}", routes, row_bytes)
            for t, (data_of, updates_of) in enumerate(columns):
                packs = []
                for i, source in enumerate(sources):
                    table = (partial(_tasks.pack, column=graph.column), routes[i], (updates.name, *updates_of(source)), weighed)
                    packs.append(table if graph.writes_tables else graph.add("pack", (g, t, i), *table))
                arrived = graph.shuffle("pack", packs, len(owners), graph.share)
                for j, owner in enumerate(owners):
                    block = data_of(owner)
                    task = partial(_tasks.apply, owner=j, lead=lead, reduction=reduction, attributes=further)
                    graph.tasks[(graph.name, *block)] = (task, (data.name, *block), arrived[j], self.ok, graph.folder)
        for block in blocks(data.chunks):  # blocks that no index addresses are passed through
            key = (data.name, *block)
            graph.tasks.setdefault((graph.name, *block), key if self.whole is not None else (_tasks.hold, key, self.ok))
        return graph.finish(data.chunks, data.dtype, [data, self.indices, updates]).astype(self.dtype)

    def merges(self, sources, owners, shuffles):
        """Return whether to merge sources. Merging limits the number of parts or copies of a scatter's only owner."""
        return sources > 1 and (sources * owners * shuffles > _shuffle.MOST_PARTS or (owners == 1 and self.op.startswith("scatter")))

    def further(self):
        """Return the attributes that differ from their defaults, except a scatter's axis, reduction and index rules."""
        default = {p.name: p.default for p in inspect.signature(getattr(_strew, self.op)).parameters.values()}
        further = {name: value for name, value in self.attributes.items() if name not in (*_RULES, "axis", "reduction")}
        return {name: value for name, value in further.items() if value is not None and (default[name] is None or value != default[name])}

    def folds(self):
        return _tasks.folds_in_parts(self.attributes["reduction"], self.further())

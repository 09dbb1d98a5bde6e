"""Functions that tasks run. They never write to their inputs, because Dask may run a task again."""

import functools
import math
import sys
import threading

import numpy as np

from .. import _limits, _strew
from .._errors import refusal
from ._tables import BATCH_BYTES, Table

_calm = threading.Lock()
_calmed = False


def calmly(task):
    """Wrap a task: on a Dask thread, Strew uses one thread, and its cache is limited to 1/16 of the worker's memory."""

    @functools.wraps(task)
    def run(*arguments, **named):
        if threading.current_thread() is threading.main_thread():
            return task(*arguments, **named)
        _bound_memory()
        with _limits.num_threads(1):
            return task(*arguments, **named)

    return run


def _bound_memory():
    global _calmed
    distributed = sys.modules.get("distributed")
    if _calmed or distributed is None:
        return
    try:
        limit = _worker_limit(distributed)
    except ValueError:  # the task runs under another scheduler, which has no worker
        return
    with _calm:
        if limit and not _calmed:
            _limits.set_memory_cache_limit(min(_limits.get_memory_cache_limit(), limit // 16))
        _calmed = True


def _worker_limit(distributed):
    return distributed.get_worker().memory_manager.memory_limit


def bad_index(text, op, operand, axis, position, value):
    return refusal(
        IndexError, "index out of range", text,
        operator=op, operand=operand, axis=axis, position=position, value=value,
    )


class Block:
    """A block's place among all indices, and the indexed axes. Errors for bad indices read as without Dask."""

    def __init__(self, op, data_shape, chosen, axes, tuples, rules, origin, shape):
        self.op, self.data_shape, self.chosen = op, data_shape, chosen  # chosen: axes of data, one per component
        self.axes, self.tuples, self.rules = axes, tuples, rules
        self.origin, self.shape = origin, shape  # this block's first position, and the shape of all positions

    def bad(self, indices, found):
        """Return None or a pair: the bad value's row-major position among all indices, and arguments of `bad_index`."""
        if found is None:
            return None
        position, component = found
        lead = indices.shape[: len(self.shape)]
        local = np.unravel_index(position, lead) if lead else ()
        at = [int(a) + b for a, b in zip(local, self.origin, strict=True)]
        flat = 0
        for extent, coordinate in zip(self.shape, at, strict=True):
            flat = flat * extent + coordinate
        value = indices[(*local, component) if self.tuples else local]
        where = [*at, component] if self.tuples else at
        return flat, self.words(where, int(value), self.chosen[component])

    def words(self, where, value, axis):
        extent = self.data_shape[axis]
        lowest = -extent if self.rules.get("negative_indices", "from_end") == "from_end" else 0
        wrong = f" is outside [{lowest}, {extent - 1}]" if extent else ", but there is no position to choose"
        text = f"indices{where or ''} = {value}{wrong} for axis {axis} of data with shape {list(self.data_shape)}"
        return text, self.op, "indices", axis, tuple(where), value


class Routed:
    """The lists that `strew::route` returns for one block of indices, sorted by owner."""

    def __init__(self, shape, bounds, offsets, positions, bad):
        self.shape, self.bounds, self.offsets, self.positions, self.bad = shape, bounds, offsets, positions, bad


@calmly
def route(indices, block, kept):
    """Return the lists of one block. `kept` selects the bounds of addressed owners; None selects all bounds."""
    shape = indices.shape[: len(block.shape)]
    bounds, offsets, positions, found = _strew._route(indices, block.axes, block.tuples, **block.rules)
    bad = block.bad(indices, found)
    if bad is not None:  # the lists are invalid
        bounds, offsets, positions = np.zeros_like(bounds), offsets[:0], positions[:0]
    bounds = bounds if kept is None else bounds[kept]
    return Routed(shape, bounds, offsets, positions, bad)


@calmly
def only_check(indices, block):
    return Routed(None, None, None, None, block.bad(indices, _strew._find_bad_index(indices, block.axes, block.tuples, **block.rules)))


def least_bad(bads):
    return min((bad for bad in bads if bad is not None), default=None)


def refuse(bads):
    bad = least_bad(bads)
    if bad is not None:
        raise bad_index(*bad[1])
    return True


def weigh(bounds, op, share, row_bytes):
    """Raise MemoryError if the updates of `share` neighbouring chunks of data exceed half of a worker's memory."""
    counts = np.diff(np.sum(bounds, axis=0))
    heaviest = int(np.add.reduceat(counts, range(0, len(counts), share)).max()) * row_bytes
    limit = _worker_limit(sys.modules["distributed"])
    if limit and heaviest > limit // 2:
        raise MemoryError(
            f"{op}: with shuffle_method 'p2p', one chunk of data receives {heaviest} bytes of updates at once,"
            f" more than half of the {limit} bytes that a worker may use; shuffle_method='disk' reads them part by part"
        )
    return True


@calmly
def pack(routed, updates, weighed, column):
    """Return the table of a block's updates, gathered by the function `column` in the order of the block's lists."""
    rest = updates.shape[len(routed.shape) :]
    positions = routed.positions[: routed.bounds[-1]]
    count = math.prod(routed.shape)
    values = column(np.reshape(updates, (count, *rest)), positions)
    return Table(routed.bounds, [routed.offsets[: routed.bounds[-1]], values])


@calmly
def apply(data, arrived, ok, folder, owner, lead, reduction, attributes):
    """Apply the parts of the updates, in order, to a block of data. The result has the same bits as one left fold."""
    rows, out = np.ascontiguousarray(data).reshape((math.prod(data.shape[:lead]), *data.shape[lead:])), None
    in_parts = folds_in_parts(reduction, attributes)
    for some in _batches(arrived.parts(owner) if in_parts else [arrived.collect(owner)[1]]):
        # The first part has its own call, which copies data to a new output; later parts update this output.
        alone = some if attributes or not in_parts else some[: out is None]
        for offsets, values in alone:
            out = _strew.scatter_nd(rows if out is None else out, offsets[:, None], values, reduction, out=out, **attributes)
        _strew._scatter_parts(out, some[len(alone) :], reduction)
    return (rows if out is None else out).reshape(data.shape)


def _batches(parts):
    """Read parts on demand and yield lists of them, so that about `BATCH_BYTES` are in memory at a time."""
    some, nbytes = [], 0
    for part in parts:
        if len(part[0]) == 0:
            continue
        some.append(tuple(part))
        nbytes += part[1].nbytes
        if nbytes > BATCH_BYTES:
            yield some
            some, nbytes = [], 0
    if some:
        yield some


def folds_in_parts(reduction, attributes):
    """Return whether the updates of one element can be split among several calls without changing the bits."""
    return reduction != "mean" and set(attributes) <= {"alpha"}


@calmly
def ask(routed):
    return Table(routed.bounds, [routed.offsets[: routed.bounds[-1]]])


@calmly
def fetch(data, arrived, ok, folder, owner, lead, axis, column):
    """Return the rows of a block that each source requested. A row is a position on `axis`, or on the first `lead` axes."""
    lengths, (offsets,) = arrived.collect(owner)
    rows = np.moveaxis(data, axis, 0) if axis else data.reshape((math.prod(data.shape[:lead]), *data.shape[lead:]))
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    return Table(bounds, [column(rows, offsets)])


@calmly
def assemble(routed, arrived, ok, folder, source, axis, fill):
    """Return a block of the output of a gather, assembled from the rows that the owners sent."""
    (rows,) = arrived.collect(source)[1]
    out = np.empty((len(routed.positions), *rows.shape[1:]), rows.dtype)
    positions = routed.positions
    if len(rows) < len(positions):
        out[positions[len(rows) :]] = fill
    _strew._scatter_parts(out, [(positions[: len(rows)], rows)])
    out = out.reshape((*routed.shape, *out.shape[1:]))
    if not axis:
        return out
    behind = range(len(routed.shape), len(routed.shape) + axis)
    return np.ascontiguousarray(np.moveaxis(out, behind, range(axis)))


def hold(data, ok):
    return data


@calmly
def call(*arguments, function):
    """Run one call of an operator on blocks; the last argument only makes the task depend on the check."""
    return function(*arguments[:-1])


@calmly
def write_along(cache, update, starts, ok, begin, capacity, axis):
    """Return the block of a cache that begins at position `begin` of `axis`, after TensorScatter has updated it."""
    out = np.array(cache, order="C")
    rows, new = np.moveaxis(out, axis, 1), np.moveaxis(update, axis, 1)
    for b, start in enumerate(starts.tolist()):
        start %= max(capacity, 1)
        for first in (start, start - capacity):  # an update that extends past the end continues at position 0
            low = max(first, 0, begin)
            high = min(first + new.shape[1], capacity, begin + rows.shape[1])
            if low < high:
                rows[b, low - begin : high - begin] = new[b, low - first : high - first]
    return out


def check_starts(starts, shape, length, axis, mode):
    """Return True, or raise the IndexError of a call without Dask for the first bad value of write_indices."""
    for b, start in enumerate(starts.tolist()):
        if start < 0:
            text = "is negative; positions start at 0"
        elif mode == "linear" and start > shape[axis] - length:
            text = (
                f"leaves no room for an update of length {length} on axis {axis} of past_cache with shape {list(shape)};"
                f" the highest valid value is {shape[axis] - length}"
            )
        else:
            continue
        raise bad_index(f"write_indices[{b}] = {start} {text}", "tensor_scatter", "write_indices", axis, (b,), start)
    return True

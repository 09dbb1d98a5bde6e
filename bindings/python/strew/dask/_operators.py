"""One function per operator, which splits the operands and builds the graph."""

import math
from functools import partial

import dask.array as da
import numpy as np

from .. import _strew
from . import _tasks
from ._chunks import (
    are_runs, as_dask, as_native, as_updates, block_count, blocks, check_lists, chunk_limit, clipped, output_shape,
    rechunked, run_chunks, starts,
)
from ._shuffle import Graph
from ._lower import Call


def _merged(call, lead, owners, shuffles, position_bytes, first=0):
    """Return the chunks of indices along the axes [first, lead), merged if there are too many."""
    chunks = call.indices.chunks[first:lead]
    if call.merges(block_count(chunks), owners, shuffles):
        merged = run_chunks(call.indices.shape[first:lead], max(position_bytes, 1), chunk_limit())
        chunks = min(chunks, merged, key=block_count)
    return chunks


def gather(data, indices, axis, shuffle_method, **rules):
    call = Call("gather", shuffle_method, data, indices, {"axis": axis, **rules})
    data, axis = call.data, axis % call.data.ndim
    call.check_now([axis], tuples=False)
    pre, post = data.chunks[:axis], data.chunks[axis + 1 :]
    owners = [(j,) for j in range(len(data.chunks[axis]))]
    row_bytes = data.nbytes // max(data.shape[axis], 1)
    chunks = _merged(call, call.indices.ndim, len(owners), block_count(pre) * block_count(post), row_bytes)
    call.cut_indices(chunks)
    call.begin()
    columns = [
        (lambda owner, c=c: (*c[:axis], *owner, *c[axis:]), lambda block, c=c: (*c[:axis], *block, *c[axis:]))
        for c in blocks(pre + post)
    ]
    call.add_group(blocks(call.indices.chunks), [axis], [starts(data.chunks[axis])], False, owners, columns)
    return call.gathered(pre + call.indices.chunks + post, 1, axis, partial(_strew.gather, axis=axis, **rules))


def gather_nd(data, indices, batch_dims, shuffle_method, **rules):
    call = Call("gather_nd", shuffle_method, data, indices, {"batch_dims": batch_dims, **rules})
    data, b, k = call.data, batch_dims, call.indices.shape[-1]
    lead, chosen = call.indices.ndim - 1, list(range(b, b + k))
    call.check_now(chosen, tuples=True)
    batches, rest = blocks(data.chunks[:b]), data.chunks[b + k :]
    owners = blocks(data.chunks[b : b + k])
    row_bytes = 8 * k + math.prod(data.shape[b + k :]) * data.dtype.itemsize
    chunks = _merged(call, lead, len(owners), len(batches) * block_count(rest), row_bytes, first=b)
    call.cut_indices((*data.chunks[:b], *chunks, (k,)))
    call.begin()
    positions = call.indices.chunks[:-1]
    for batch in batches:
        extents = [data.chunks[axis][number] for axis, number in enumerate(batch)]
        columns = [
            (lambda owner, c=c, batch=batch: (*batch, *owner, *c), lambda block, c=c: (*block[:-1], *c)) for c in blocks(rest)
        ]
        sources = [(*batch, *block, 0) for block in blocks(positions[b:])]
        axes = extents + [starts(data.chunks[axis]) for axis in chosen]
        call.add_group(sources, chosen, axes, True, owners, columns)
    return call.gathered(positions + rest, b + k, 0, partial(_strew.gather_nd, batch_dims=b, **rules))


def _along(op, data, indices, axis, shuffle_method, attributes, updates=None):
    """Return the Call of gather_elements or scatter_elements, and the axis. Along other axes, indices get the chunks of data."""
    call = Call(op, shuffle_method, data, indices, {"axis": axis, **attributes}, updates)
    data, axis = call.data, axis % call.data.ndim
    call.check_now([axis], tuples=False)
    chunks = [clipped(sizes, call.indices.shape[d]) for d, sizes in enumerate(data.chunks)]
    owners = len(data.chunks[axis])
    chunks[axis] = call.indices.chunks[axis]
    others = block_count(chunks[:axis] + chunks[axis + 1 :])
    if updates is not None and owners == 1 and not call.folds():
        chunks[axis] = (call.indices.shape[axis],)
    elif call.merges(len(chunks[axis]), owners, others):
        widest = math.prod(max(sizes) for d, sizes in enumerate(chunks) if d != axis)
        merged = run_chunks((call.indices.shape[axis],), max(widest * (8 + data.dtype.itemsize), 1), chunk_limit())[0]
        chunks[axis] = min(chunks[axis], merged, key=len)
    call.cut_indices(tuple(chunks))
    return call, axis


def _add_lines(call, axis, columns_of):
    """Add a group for each block of the axes other than `axis`."""
    data, chunks = call.data, call.indices.chunks
    cuts = starts(data.chunks[axis])
    for rest in blocks(chunks[:axis] + chunks[axis + 1 :]):
        def at(number, rest=rest):
            return (*rest[:axis], number, *rest[axis:])

        axes = [cuts if d == axis else data.chunks[d][number] for d, number in enumerate(at(0))]
        sources = [at(i) for i in range(len(chunks[axis]))]
        owners = [at(j) for j in range(len(data.chunks[axis]))]
        call.add_group(sources, [axis], axes, False, owners, columns_of)


def _itself(block):
    return block


def gather_elements(data, indices, axis, shuffle_method, **rules):
    call, axis = _along("gather_elements", data, indices, axis, shuffle_method, rules)
    call.begin()
    _add_lines(call, axis, [(_itself, _itself)])
    return call.gathered(call.indices.chunks, call.data.ndim, 0, partial(_strew.gather_elements, axis=axis, **rules))


def scatter_elements(data, indices, updates, axis, shuffle_method, **attributes):
    data = as_dask("scatter_elements", "data", data)
    check_lists("scatter_elements", [data, indices, updates], {"axis": axis, **attributes})
    updates = as_updates("scatter_elements", "updates", updates, data, np.shape(indices))
    call, axis = _along("scatter_elements", data, indices, axis, shuffle_method, attributes, updates)
    updates = rechunked(as_native(updates), call.indices.chunks)
    call.begin(updates.name)
    _add_lines(call, axis, [(_itself, _itself)])
    return call.scattered(updates, call.data.ndim, partial(_strew.scatter_elements, axis=axis, **attributes))


def scatter_nd(data, indices, updates, shuffle_method, **attributes):
    data = as_dask("scatter_nd", "data", data)
    check_lists("scatter_nd", [data, indices, updates], attributes)
    indices_shape = np.shape(indices)
    k = indices_shape[-1] if indices_shape else 0
    updates = as_updates("scatter_nd", "updates", updates, data, indices_shape[:-1] + data.shape[k:])
    call = Call("scatter_nd", shuffle_method, data, indices, attributes, updates)
    call.check_now(list(range(k)), tuples=True)
    lead, rest = call.indices.ndim - 1, data.chunks[k:]
    owners = blocks(data.chunks[:k])
    row_bytes = 8 * k + math.prod(data.shape[k:]) * data.dtype.itemsize
    chunks = _merged(call, lead, len(owners), block_count(rest), row_bytes)
    if len(owners) == 1 and not call.folds():
        chunks = tuple((extent,) for extent in call.indices.shape[:-1])
    elif not are_runs(chunks):
        chunks = run_chunks(call.indices.shape[:-1], max(row_bytes, 1), chunk_limit())
    call.cut_indices((*chunks, (k,)))
    updates = rechunked(as_native(updates), (*chunks, *rest))
    call.begin(updates.name)
    columns = [(lambda owner, c=c: (*owner, *c), lambda block, c=c: (*block[:-1], *c)) for c in blocks(rest)]
    sources = [(*block, 0) for block in blocks(chunks)]
    axes = [starts(sizes) for sizes in data.chunks[:k]]
    call.add_group(sources, list(range(k)), axes, True, owners, columns)
    return call.scattered(updates, k, partial(_strew.scatter_nd, **attributes))


def tensor_scatter(past_cache, update, write_indices, axis, mode, casting):
    op = "tensor_scatter"
    cache = as_dask(op, "past_cache", past_cache)
    attributes = {"axis": axis, "mode": mode, "casting": casting}
    check_lists(op, [cache, update] + ([] if write_indices is None else [write_indices]), attributes)
    update = as_updates(op, "update", update, cache, ())
    starts_given = None if write_indices is None else as_dask(op, "write_indices", write_indices)
    output_shape(op, [cache, update, starts_given], attributes)
    axis, dtype = axis % cache.ndim, cache.dtype
    cache = as_native(cache)
    update = update.astype(cache.dtype)
    if starts_given is None:
        starts_given = da.zeros(cache.shape[:1], dtype=np.int64)
    update = rechunked(update, tuple(sizes if d != axis else -1 for d, sizes in enumerate(cache.chunks)))
    known = None
    if not isinstance(write_indices, da.Array):
        known = np.zeros(cache.shape[:1], np.int64) if write_indices is None else np.asarray(write_indices)
    graph = Graph(op, "auto", known is None, cache.name, update.name, starts_given.name, axis, mode)
    about = {"shape": cache.shape, "length": update.shape[axis], "axis": axis, "mode": mode}
    parts, whole = rechunked(starts_given, (cache.chunks[0],)), rechunked(starts_given, -1)
    cuts, written = starts(cache.chunks[axis]), None
    begins = cuts.tolist()
    if known is None:
        ok = graph.add("check", (), partial(_tasks.check_starts, **about), (whole.name, 0))
    else:
        ok = _tasks.check_starts(known, **about)
        written = [_written(some, about["length"], cuts) for some in np.split(known, starts(cache.chunks[0])[1:-1])]
    for block in blocks(cache.chunks):
        if written and not written[block[0]][block[axis]]:
            graph.tasks[(graph.name, *block)] = (cache.name, *block)
            continue
        new = (update.name, *block[:axis], 0, *block[axis + 1 :])
        task = partial(_tasks.write_along, begin=begins[block[axis]], capacity=cache.shape[axis], axis=axis)
        graph.tasks[(graph.name, *block)] = (task, (cache.name, *block), new, (parts.name, block[0]), ok)
    return graph.finish(cache.chunks, cache.dtype, [cache, update, whole, parts]).astype(dtype)


def _written(begins, length, cuts):
    """Return, for each block between two `cuts`, whether an update that starts at one of `begins` writes to it."""
    count, capacity = len(cuts) - 1, int(cuts[-1])
    first = np.array([begin % max(capacity, 1) for begin in begins.tolist()], np.int64)
    changes = np.zeros(count + 1, np.int64)
    for begin in (first, first - capacity):  # an update that extends past the end continues at position 0
        low, high = np.maximum(begin, 0), np.minimum(begin + length, capacity)
        low, high = low[low < high], high[low < high]
        changes += np.bincount(np.searchsorted(cuts[1:], low, "right"), minlength=count + 1)
        changes -= np.bincount(np.searchsorted(cuts[:-1], high), minlength=count + 1)
    return np.cumsum(changes) > 0

"""Operators for `strew.torch_scatter`: maxima and minima with their positions, and reductions of segments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy
import torch

from .. import _edges, _graph, _strew as _module
from .._errors import refusal, wrong_value
from . import _operators
from ._arguments import are_integers
from ._pointers import check_bounds, check_pointers
from ._transforms import define

if TYPE_CHECKING:
    from collections.abc import Sequence

_strew: Any = _module
_HALVES = (torch.float16, torch.bfloat16)
_FOLDED = (*_HALVES, torch.float32, torch.float64)


def resized(shape: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


def _scatter_winners(src, index, axis, size, base, reduction):
    """Return the maximum or minimum for each index, and the first position along the axis that supplied it.

    The position is the length of the axis if no element supplied the result. `index` has the shape of `src`. Without
    `base`, the result is 0 for an index that has no elements, or only elements of -inf ("max") or inf ("min").
    """
    shape, count = resized(src.shape, axis, size), src.shape[axis]
    if src.numel() == 0 or math.prod(shape) == 0:
        _check_places(index, size)
        result = src.new_zeros(shape) if base is None else base.clone(memory_format=torch.contiguous_format)
        return result, torch.full(shape, count)
    fold = _fold_winners if src.dtype in _FOLDED else _compare_winners
    result, first = fold(src, index, axis, shape, base, reduction)
    if base is None:
        _leave_out_worst(result, first, reduction, count)
    return result, first


def _leave_out_worst(result, first, reduction, count):
    """Set results of -inf ("max") or inf ("min") to 0, and their positions to `count`, as if there were no elements."""
    if result.dtype not in _FOLDED or result.numel() == 0:
        return
    if float(result.min() if reduction == "max" else -result.max()) > -math.inf:  # false if a result is NaN
        return
    nothing = result == (-math.inf if reduction == "max" else math.inf)
    result.masked_fill_(nothing, 0)
    if first is not None:
        first.masked_fill_(nothing, count)


def _empty_winners(src, shape):
    return src.new_empty(shape), src.new_empty(shape, dtype=torch.int64)


def spread(values, like, axis):
    """Expand `values` to the shape of `like`, except that `axis` has the length of the last axis of `values`."""
    padded = values.view(*values.shape, *[1] * (like.dim() - axis - 1))
    return padded.expand(resized(like.shape, axis, values.shape[-1]))


def _check_places(index, size):
    if index.numel() > 0 and not 0 <= int(index.min()) <= int(index.max()) < size:
        text = f"index has a value outside [0, {size - 1}]"
        raise refusal(IndexError, "index out of range", text, operator="scatter_winners", operand="index")


def _fold_winners(src, index, axis, shape, base, reduction):
    """Scatter with `gather_scatter`. The elements of `src` that one index value moves form the row of an edge."""
    last = src.dim()
    while last > axis + 1 and (index.shape[last - 1] == 1 or index.stride(last - 1) == 0):
        last -= 1
    count, size = src.shape[axis], shape[axis]
    batches, inner = math.prod(src.shape[:axis]), math.prod(src.shape[axis + 1 : last])
    targets = index[(..., *[0] * (src.dim() - last))]
    if batches * inner > 1:
        _check_places(targets, size)
        targets = targets.reshape(batches, count, inner)
        targets = (targets + torch.arange(batches).view(-1, 1, 1) * size) * inner + torch.arange(inner)
    row = src.shape[last:]
    rows = src.reshape(-1, *row)
    sizes = rows.shape[0], batches * size * inner
    edges = _edges.Edges(torch.arange(sizes[0]), targets.reshape(-1), *sizes, negative_indices="out_of_bounds")
    start = None if base is None else base.reshape(-1, *row)
    result, first = _graph.gather_scatter(rows, edges, base=start, reduction=reduction, argmax=True)
    result, first = result.view(shape), first.view(shape)
    if batches * inner > 1:
        first = torch.where(first == sizes[0], count, first // inner % count)
    return result, first


def _compare_winners(src, index, axis, shape, base, reduction):
    """Return the results for integers, and for each result the position of the first element that equals it."""
    count, how = src.shape[axis], {"negative_indices": "out_of_bounds"}
    index = index.to(torch.int64)  # torch's gather rejects 8-bit and 16-bit indices, and misreads int32 indices that are views
    start = src.new_zeros(shape) if base is None else base
    result = _strew.scatter_elements(start, index, src, axis, reduction, include_self=base is not None, **how)
    won = src == result.gather(axis, index)
    if base is not None:
        won &= src != base.gather(axis, index)
    position = torch.arange(count).view([-1 if d == axis else 1 for d in range(src.dim())])
    first = torch.full(shape, count)
    return result, _strew.scatter_elements(first, index, torch.where(won, position, count), axis, "min", out=first)


def _rows_of(indptr, size):
    """Return the segment of each position of an axis, or the number of segments for a position outside all segments."""
    batches, length = math.prod(indptr.shape[:-1]), indptr.shape[-1]
    if length == 0:
        return torch.zeros((*indptr.shape[:-1], size), dtype=torch.int64)
    bounds = indptr.to(torch.int64).reshape(batches, length)
    lengths = torch.cat([bounds.new_zeros(batches, 1), bounds, bounds.new_full((batches, 1), size)], 1).diff(dim=1)
    if bool((lengths < 0).any()):
        check_bounds(indptr, size)
    segment = torch.arange(-1, length)
    segment[0] = length - 1
    rows = torch.repeat_interleave(segment.repeat(batches), lengths.reshape(-1))
    return rows.view(*indptr.shape[:-1], size)


def _flattened(src, indptr):
    """Merge the axes of `src` up to the segments' axis. Return the rows and the bounds of all segments in them.

    If there are several batches, each has an extra segment, which `_unbatched` drops.
    """
    axis, bounds = indptr.dim() - 1, indptr.numpy()
    if axis == 0:
        return src, bounds
    count, batches = src.shape[axis], math.prod(src.shape[:axis])
    bounds = numpy.broadcast_to(bounds, (*src.shape[:axis], indptr.shape[axis])).reshape(batches, -1)
    if batches > 1:
        check_bounds(indptr, count)
        bounds = bounds.astype(numpy.int64) + numpy.arange(batches)[:, None] * count
        bounds = numpy.append(bounds, bounds[-1, -1])
    return src.reshape(batches * count, *src.shape[axis + 1 :]), bounds.reshape(-1)


def fold_rows(rows, bounds, reduction, argmax=False):
    """Return the reduced segments (with `argmax`, also the row of each winner).

    Return None if there is no kernel for the operands, or if the segments do not cover all rows in order.
    """
    if bounds.ndim != 1 or rows.dtype not in _FOLDED:
        return None
    acc_dtype = "float32" if rows.dtype in _HALVES and reduction not in ("max", "min") else "data"
    result = _strew._fold_segments(rows, bounds, reduction, acc_dtype, argmax)
    return (result[0], torch.from_numpy(result[1])) if argmax and result is not None else result


def _fold(src, indptr, reduction, argmax=False):
    """Reduce segments, which may be in several batches and need not cover all rows; `argmax`: also return positions."""
    count = src.shape[indptr.dim() - 1]
    rows, bounds = _flattened(src, indptr)
    begin, end = int(bounds[0]), int(bounds[-1])
    rows = rows[max(begin, 0) : max(begin, end)]
    result = fold_rows(rows, bounds - begin, reduction, argmax)
    if begin < 0 or result is None:
        check_bounds(indptr, count)
        _strew._edges_of_segments(bounds - begin)
    if not argmax:
        return _unbatched(result, src, indptr)
    result, first = result
    first = torch.where(first == len(rows), count, (first + begin) % count)
    return _unbatched(result, src, indptr), _unbatched(first, src, indptr)


def _unbatched(values, src, indptr):
    axis = indptr.dim() - 1
    if axis == 0:
        return values
    batches, length = math.prod(src.shape[:axis]), indptr.shape[axis]
    if batches > 1:
        values = values.view(batches, length, *values.shape[1:])[:, :-1].contiguous()
    return values.view(*src.shape[:axis], length - 1, *src.shape[axis + 1 :])


def _shape(src, indptr):
    """Check the pointers and return the shape of the result."""
    check_pointers("segment_csr", src, indptr)
    axis = indptr.dim() - 1
    return resized(src.shape, axis, max(indptr.shape[axis] - 1, 0))


def _no_segments(src, indptr):
    axis = indptr.dim() - 1
    if src.numel() > 0 and indptr.shape[axis] > 1:
        return False
    check_bounds(indptr, src.shape[axis])
    return True


def reduce_segments(src, indptr, reduction):
    """Return the reduced segments of axis `indptr.dim() - 1`. 16-bit floats are added in float32."""
    if (result := fold_rows(src, indptr, reduction)) is not None:
        return result
    shape = _shape(src, indptr)
    if _no_segments(src, indptr):
        return src.new_zeros(shape)
    return (_fold if src.dtype in _FOLDED else _reduce_others)(src, indptr, reduction)


_UFUNCS = {"add": numpy.add, "max": numpy.maximum, "min": numpy.minimum}


def _reduce_elements(src, indptr, reduction):
    """Reduce segments whose rows are single integers. The result of an empty segment is 0."""
    rows, bounds = _flattened(src, indptr.to(torch.int64))
    values = rows.numpy()
    begins = bounds[:-1]
    lengths = bounds[1:] - begins
    shortest = lengths.min()
    if bounds[0] < 0 or bounds[-1] > len(values) or shortest < 0:
        check_bounds(indptr, src.shape[-1])
    inside = int(begins.searchsorted(bounds[-1]))  # a segment that begins at the end is empty, and reduceat rejects it
    results = numpy.zeros(len(begins), values.dtype)
    reduce = _UFUNCS[reduction].reduceat
    reduce(values[: bounds[-1]], begins[:inside], dtype=values.dtype, out=results[:inside])
    if shortest == 0:
        results[lengths == 0] = 0  # for an empty segment, reduceat stores the next element
    return _unbatched(torch.from_numpy(results), src, indptr)


def reduce_at_once(src, indptr, reduction):
    """Return the reduced segments if the rows are floats or single integers; None for other operands."""
    if (result := fold_rows(src, indptr, reduction)) is not None:
        return result
    single = src.dim() == indptr.dim() == 1 and reduction != "mean" and are_integers(src) and are_integers(indptr)
    return _reduce_elements(src, indptr, reduction) if single else None


def _reduce_others(src, indptr, reduction):
    """Reduce segments of a type without a fused kernel. An extra segment receives elements outside all segments."""
    axis, dtype = indptr.dim() - 1, src.dtype
    segments = indptr.shape[axis] - 1
    divides = src.is_floating_point() or src.is_complex()
    if reduction == "mean" and not divides:
        src = src.to(torch.int64)  # sums of narrow types could overflow
    combine = "add" if reduction == "mean" else reduction
    if src.dim() == axis + 1 and are_integers(src):
        total = _reduce_elements(src, indptr, combine)
    else:
        index = spread(_rows_of(indptr, src.shape[axis]), src, axis)
        total = src.new_zeros(resized(src.shape, axis, segments + 1))
        total = _strew.scatter_elements(total, index, src, axis, combine, include_self=combine == "add", out=total)
        total = total.narrow(axis, 0, segments)
    if reduction == "mean":
        count = spread(indptr.diff(dim=-1).clamp(min=1), total, axis)
        return total / count if divides else total.div(count, rounding_mode="trunc").to(dtype)
    return total.contiguous()


def _segment_csr_winners(src, indptr, reduction):
    """Return each segment's maximum or minimum and the first position of that value, as `_scatter_winners` does."""
    shape = _shape(src, indptr)
    axis = indptr.dim() - 1
    count = src.shape[axis]
    if _no_segments(src, indptr):
        return src.new_zeros(shape), torch.full(shape, count)
    if src.dtype not in _FOLDED:
        index = spread(_rows_of(indptr, count), src, axis)
        result, first = _scatter_winners(src, index, axis, shape[axis] + 1, None, reduction)
        return result.narrow(axis, 0, shape[axis]).contiguous(), first.narrow(axis, 0, shape[axis]).contiguous()
    result = fold_rows(src, indptr, reduction, argmax=True)
    return _fold(src, indptr, reduction, argmax=True) if result is None else result


def _gather_csr(src, indptr, size):
    """Return, for each of `size` positions, the value of its segment, or 0 if it is outside all segments."""
    check_pointers("gather_csr", src, indptr)
    axis = indptr.dim() - 1
    count, shape = src.shape[axis], resized(src.shape, axis, size)
    if max(indptr.shape[axis], 1) != count + 1:
        text = f"indptr has shape {list(indptr.shape)}; dim {axis} must have length {count + 1}"
        raise wrong_value("gather_csr", "indptr", text)
    if src.numel() == 0 or size == 0:
        check_bounds(indptr, size)
        return src.new_zeros(shape)
    index = spread(_rows_of(indptr, size), src, axis)
    nowhere = index == count if bool((indptr[..., 0] != 0).any() or (indptr[..., -1] != size).any()) else None
    result = _strew.gather_elements(src, index if nowhere is None else index.clamp(max=count - 1), axis)
    return result if nowhere is None else result.masked_fill_(nowhere, 0)


def _spread_like(src, indptr, size):
    check_pointers("gather_csr", src, indptr)
    return src.new_empty(resized(src.shape, indptr.dim() - 1, size))


def _save_segments(ctx, inputs, output):
    src, indptr, ctx.how = inputs
    ctx.count = src.shape[indptr.dim() - 1]
    ctx.save_for_backward(indptr)


def _segments_backward(ctx, grad):
    (indptr,) = ctx.saved_tensors
    if ctx.how == "mean":
        wide = torch.float32 if grad.dtype in _HALVES else grad.dtype
        grad = (grad / spread(indptr.diff(dim=-1).clamp(min=1), grad, indptr.dim() - 1).to(wide)).to(grad.dtype)
    return gather_csr(grad, indptr, ctx.count), None, None


def _spread_backward(ctx, grad):
    (indptr,) = ctx.saved_tensors
    return segment_csr(grad, indptr, "add"), None, None


def _save_winners(ctx, inputs, output):
    src, index = inputs[:2]
    ctx.axis, ctx.shape = inputs[2] if len(inputs) > 3 else index.dim() - 1, src.shape
    ctx.save_for_backward(output[1])


def _winners_backward(ctx, grad, _):
    """Scatter each gradient to the first element that supplied the result. A position past the end is dropped."""
    (first,) = ctx.saved_tensors
    start = grad.new_zeros(()).expand(ctx.shape)
    return _operators.scatter_elements(start, first, grad, ctx.axis, "add", out_of_bounds="drop"), None


scatter_winners = define(
    "scatter_winners",
    "(Tensor src, Tensor index, SymInt axis, SymInt size, Tensor? base, str reduction) -> (Tensor, Tensor)",
    _scatter_winners,
    lambda src, index, axis, size, base, reduction: _empty_winners(src, resized(src.shape, axis, size)),
)
segment_csr = define(
    "segment_csr",
    "(Tensor src, Tensor indptr, str reduction) -> Tensor",
    reduce_segments,
    lambda src, indptr, reduction: src.new_empty(_shape(src, indptr)),
)
segment_csr_winners = define(
    "segment_csr_winners",
    "(Tensor src, Tensor indptr, str reduction) -> (Tensor, Tensor)",
    _segment_csr_winners,
    lambda src, indptr, reduction: _empty_winners(src, _shape(src, indptr)),
)
gather_csr = define("gather_csr", "(Tensor src, Tensor indptr, SymInt size) -> Tensor", _gather_csr, _spread_like)
segment_csr.gradient(_segments_backward, _save_segments)
gather_csr.gradient(_spread_backward, _save_segments)
scatter_winners.gradient(_winners_backward, _save_winners)
segment_csr_winners.gradient(_winners_backward, _save_winners)

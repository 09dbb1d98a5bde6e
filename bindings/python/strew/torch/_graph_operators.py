"""The custom operators of edges: the fused gather-scatter, its winners, and dot products.

An operator receives edges as four operands, the fields of `Along`.
"""

import math
from typing import Any

import torch
from torch import Tensor

from .. import _edges as _whole, _graph, _strew
from ._edges import Along

# The schema of a custom operator has no type for a choice of words. Edges are one argument or three.
_fold: Any = _graph.gather_scatter
_gradients: Any = _strew._gather_scatter_gradients


def detached(tensor):
    return None if tensor is None else tensor.detach()


def _edges_of(along, source_size, target_size):
    """Return the prepared edges, or prepare new ones."""
    found = along.prepared(source_size, target_size)
    return _whole.Edges(along.gather_index, along.scatter_index, source_size, target_size) if found is None else found


def _folded(data, along, target_size, weight, addend, **how):
    found = along.prepared(data.shape[0], target_size)
    edges = (along.gather_index, along.scatter_index, target_size) if found is None else (found,)
    return _fold(data.detach(), *edges, weight=detached(weight), addend=detached(addend), **how)


# Parameters have no defaults: PyTorch drops trailing operands equal to their defaults, but a gradient needs them all.
@torch.library.custom_op("strew::gather_scatter", mutates_args=())
def gather_scatter(
    data: Tensor,
    gather_index: Tensor,
    scatter_index: Tensor,
    key: Tensor | None,
    is_reverse: bool,
    target_size: int,
    weight: Tensor | None,
    addend: Tensor | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
    ties: str,
) -> Tensor:
    along = Along(gather_index, scatter_index, key, is_reverse)
    return _folded(data, along, target_size, weight, addend, relu=relu, reduction=reduction, acc_dtype=acc_dtype)


@gather_scatter.register_fake
def _(data, gather_index, scatter_index, key, is_reverse, target_size, *how):
    return data.new_empty((target_size, *data.shape[1:]))


@torch.library.custom_op("strew::gather_scatter_argmax", mutates_args=())
def gather_scatter_argmax(
    data: Tensor,
    gather_index: Tensor,
    scatter_index: Tensor,
    key: Tensor | None,
    is_reverse: bool,
    target_size: int,
    weight: Tensor | None,
    addend: Tensor | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
) -> tuple[Tensor, Tensor]:
    along = Along(gather_index, scatter_index, key, is_reverse)
    how: Any = {"relu": relu, "reduction": reduction, "acc_dtype": acc_dtype, "argmax": True}
    return _folded(data, along, target_size, weight, addend, **how)


@gather_scatter_argmax.register_fake
def _(data, gather_index, scatter_index, key, is_reverse, target_size, *how):
    shape = (target_size, *data.shape[1:])
    return data.new_empty(shape), data.new_empty(shape, dtype=torch.int64)


@torch.library.custom_op("strew::edge_dot", mutates_args=())
def edge_dot(
    one: Tensor,
    other: Tensor,
    gather_index: Tensor,
    scatter_index: Tensor,
    key: Tensor | None,
    is_reverse: bool,
    heads: int,
) -> Tensor:
    edges = _edges_of(Along(gather_index, scatter_index, key, is_reverse), one.shape[0], other.shape[0])
    return _graph.edge_dot(one.detach(), other.detach(), edges, heads=heads)


@edge_dot.register_fake
def _(one, other, gather_index, scatter_index, key, is_reverse, heads):
    count = gather_index.shape[0]
    return one.new_empty((count,) if heads == 1 else (count, heads))


@torch.library.custom_op("strew::gather_scatter_gradients", mutates_args=())
def gather_scatter_gradients(
    gradient: Tensor,
    data: Tensor,
    gather_index: Tensor,
    scatter_index: Tensor,
    key: Tensor | None,
    is_reverse: bool,
    weight: Tensor | None,
    addend: Tensor | None,
    result: Tensor | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
    ties: str,
    wanted: list[bool],
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of data, weight and addend in their shapes, with empty tensors for unwanted gradients."""
    edges = _edges_of(Along(gather_index, scatter_index, key, is_reverse), data.shape[0], gradient.shape[0])
    terms = (detached(term) for term in (weight, addend, result))
    made = _gradients(
        gradient.detach(), data.detach(), edges._edges, *terms, relu, reduction, acc_dtype, ties, wanted
    )
    of_data, of_weight, of_addend = (
        data.new_empty(0) if gradient is None else _sum_to(gradient, operand)
        for gradient, operand in zip(made, (data, weight, addend), strict=True)
    )
    return of_data, of_weight, of_addend


@gather_scatter_gradients.register_fake
def _(gradient, data, gather_index, scatter_index, key, is_reverse, weight, addend, *how):
    operands = zip((data, weight, addend), how[-1], strict=True)
    return tuple(data.new_empty(operand.shape if wanted else 0) for operand, wanted in operands)


def _sum_to(gradient, term):
    """Return a gradient in the shape of a term; sum it along the axes along which the term was broadcast."""
    if gradient.numel() != term.numel():
        sizes = enumerate(zip(padded(term, gradient.dim()).shape, gradient.shape, strict=True))
        gradient = gradient.sum([axis for axis, (wanted, size) in sizes if wanted != size])
    return gradient.reshape(term.shape)


def padded(term: Tensor, rank: int) -> Tensor:
    """Return a weight or an addend with axes of size 1 appended."""
    return term.reshape(*term.shape, *[1] * (rank - term.dim()))


def _is_one(size: int) -> bool:
    known = size == 1
    if isinstance(known, bool):
        return known
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return statically_known_true(known)


def stands_for(size: int, whole: int) -> bool:
    """Whether an axis of one element is broadcast; False if compiled code does not know its size."""
    return _is_one(size) and not _is_one(whole)


def heads_of(term: Tensor, data: Tensor, edges: int) -> int | None:
    """Return the number of heads of a row, each with one number of the term; None if numbers vary within a head."""
    if stands_for(term.shape[0], edges):
        return None
    if term.dim() == 1:
        return 1
    inner = tuple(padded(term, data.dim()).shape[1:])
    row = tuple(data.shape[1:])
    for kept in range(len(row) + 1):
        if inner == (*row[:kept], *[1] * (len(row) - kept)):
            return math.prod(row[:kept]) if kept < len(row) or not row else None
    return None

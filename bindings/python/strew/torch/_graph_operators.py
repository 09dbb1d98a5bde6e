"""The custom operators of edges: the fused gather-scatter, its winners, and dot products."""

import math
from typing import Any

import torch
from torch import Tensor

from .. import _graph, _strew
from ._edges import _along, _edges_of

# Custom operators have no types of words, and edges are one argument or three.
_fold: Any = _graph.gather_scatter
_gradients: Any = _strew._gather_scatter_gradients


def detached(tensor):
    return None if tensor is None else tensor.detach()


# Without defaults: PyTorch leaves out last operands that have theirs, and a gradient must be told of all.
@torch.library.custom_op("strew::gather_scatter", mutates_args=())
def gather_scatter(
    data: Tensor,
    gather_index: Tensor,
    scatter_index: Tensor,
    target_size: int,
    weight: Tensor | None,
    addend: Tensor | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
    ties: str,
) -> Tensor:
    along = _along(gather_index, scatter_index, data.shape[0], target_size)
    terms = {"weight": detached(weight), "addend": detached(addend)}
    return _fold(data.detach(), *along, **terms, relu=relu, reduction=reduction, acc_dtype=acc_dtype)


@gather_scatter.register_fake
def _(data, gather_index, scatter_index, target_size, weight, addend, relu, reduction, acc_dtype, ties):
    return data.new_empty((target_size, *data.shape[1:]))


@torch.library.custom_op("strew::gather_scatter_argmax", mutates_args=())
def gather_scatter_argmax(
    data: Tensor,
    gather_index: Tensor,
    scatter_index: Tensor,
    target_size: int,
    weight: Tensor | None = None,
    addend: Tensor | None = None,
    relu: bool = False,
    reduction: str = "max",
    acc_dtype: str = "data",
) -> tuple[Tensor, Tensor]:
    along = _along(gather_index, scatter_index, data.shape[0], target_size)
    terms = {"weight": detached(weight), "addend": detached(addend)}
    return _fold(data.detach(), *along, **terms, relu=relu, reduction=reduction, acc_dtype=acc_dtype, argmax=True)


@gather_scatter_argmax.register_fake
def _(data, gather_index, scatter_index, target_size, weight=None, addend=None, relu=False, reduction="max", acc_dtype="data"):
    shape = (target_size, *data.shape[1:])
    return data.new_empty(shape), data.new_empty(shape, dtype=torch.int64)


@torch.library.custom_op("strew::edge_dot", mutates_args=())
def edge_dot(one: Tensor, other: Tensor, gather_index: Tensor, scatter_index: Tensor, heads: int) -> Tensor:
    edges = _edges_of(gather_index, scatter_index, one.shape[0], other.shape[0])
    return _graph.edge_dot(one.detach(), other.detach(), edges, heads=heads)


@edge_dot.register_fake
def _(one, other, gather_index, scatter_index, heads):
    count = gather_index.shape[0]
    return one.new_empty((count,) if heads == 1 else (count, heads))


def padded(term: Tensor, rank: int) -> Tensor:
    """A weight or an addend with 1s on the right."""
    return term.reshape(*term.shape, *[1] * (rank - term.dim()))


def _is_one(size: int) -> bool:
    known = size == 1
    if isinstance(known, bool):
        return known
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return statically_known_true(known)


def stands_for(size: int, whole: int) -> bool:
    """Whether an axis of one element is broadcast. One whose size compiled code does not know is not."""
    return _is_one(size) and not _is_one(whole)


def heads_of(term: Tensor, data: Tensor, edges: int) -> int | None:
    """Into how many heads rows are cut, each with one number; None where a number stands for less than that."""
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


def shapes_of_gradients(data: Tensor, weight: Tensor | None, addend: Tensor | None, edges: int) -> list[Any]:
    """Of both terms: one number for each edge or head, or a row for each edge. None where there is no term."""
    heads = [None if term is None else heads_of(term, data, edges) for term in (weight, addend)]
    if None not in heads and 1 not in heads and heads[0] != heads[1]:
        heads[1] = None  # the heads of a call are the weight's
    shapes: list[Any] = []
    for term, count in zip((weight, addend), heads, strict=True):
        rows = count is None or count == math.prod(data.shape[1:])
        shape = [edges, *data.shape[1:]] if rows else [edges] if count == 1 else [edges, count]
        shapes.append(None if term is None else shape)
    return shapes


def _wanted_shapes(data, weight, addend, edges, wanted):
    shapes = [list(data.shape), *shapes_of_gradients(data, weight, addend, edges)]
    return [shape if wants else None for shape, wants in zip(shapes, wanted, strict=True)]


@torch.library.custom_op("strew::gather_scatter_gradients", mutates_args=())
def gather_scatter_gradients(
    gradient: Tensor,
    data: Tensor,
    gather_index: Tensor,
    scatter_index: Tensor,
    weight: Tensor | None,
    addend: Tensor | None,
    result: Tensor | None,
    relu: bool,
    reduction: str,
    acc_dtype: str,
    ties: str,
    wanted: list[bool],
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of data, weight and addend, those of both terms before they are summed to their shapes.

    Empty tensors stand for those that are not wanted.
    """
    edges = _edges_of(gather_index, scatter_index, data.shape[0], gradient.shape[0])
    made = _gradients(
        gradient.detach(),
        data.detach(),
        edges._edges,
        *(detached(term) for term in (weight, addend, result)),
        relu,
        reduction,
        acc_dtype,
        ties,
        *_wanted_shapes(data, weight, addend, gather_index.shape[0], wanted),
    )
    of_data, of_weight, of_addend = (data.new_empty(0) if each is None else each for each in made)
    return of_data, of_weight, of_addend


@gather_scatter_gradients.register_fake
def _(gradient, data, gather_index, scatter_index, weight, addend, result, relu, reduction, acc_dtype, ties, wanted):
    shapes = _wanted_shapes(data, weight, addend, gather_index.shape[0], wanted)
    return tuple(data.new_empty([0] if shape is None else shape) for shape in shapes)

"""The custom operators of edges: the fused gather-scatter, its winners, and dot products."""

from typing import Any

import torch
from torch import Tensor

from .. import _graph
from ._edges import _edges_of


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
    edges = _edges_of(gather_index, scatter_index, data.shape[0], target_size)
    terms = {"weight": detached(weight), "addend": detached(addend)}
    how: Any = {"relu": relu, "reduction": reduction, "acc_dtype": acc_dtype}
    return _graph.gather_scatter(data.detach(), edges, **terms, **how)


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
) -> tuple[Tensor, Tensor]:
    edges = _edges_of(gather_index, scatter_index, data.shape[0], target_size)
    terms = {"weight": detached(weight), "addend": detached(addend)}
    how: Any = {"relu": relu, "reduction": reduction, "argmax": True}
    return _graph.gather_scatter(data.detach(), edges, **terms, **how)


@gather_scatter_argmax.register_fake
def _(data, gather_index, scatter_index, target_size, weight=None, addend=None, relu=False, reduction="max"):
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

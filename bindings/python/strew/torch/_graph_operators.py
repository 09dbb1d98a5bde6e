"""The custom operators on edges: the fused gather-scatter with and without argmax, its gradients, and dot products.

An operator receives edges as four operands, the fields of `Along`.
"""

import math
from typing import Any

import torch
from torch import Tensor

from .. import _edges as _whole, _graph, _strew
from ._edges import Along
from ._transforms import define

# The types are Any, because a string from an operator's schema is not a Literal, and edges are one argument or three.
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
    return _fold(data, *edges, weight=weight, addend=addend, **how)


# Parameters have no defaults: PyTorch drops trailing operands that equal defaults, but a gradient needs all operands.
_ALONG = "Tensor gather_index, Tensor scatter_index, Tensor? key, bool is_reverse"
_TERMS = "Tensor? weight, Tensor? addend"
_FOLD = f"(Tensor data, {_ALONG}, SymInt target_size, {_TERMS}, bool relu, str reduction, str acc_dtype"


def _gather_scatter(data, *given):
    *along, target_size, weight, addend, relu, reduction, acc_dtype, _ = given
    return _folded(data, Along(*along), target_size, weight, addend, relu=relu, reduction=reduction, acc_dtype=acc_dtype)


def _gather_scatter_argmax(data, *given):
    *along, target_size, weight, addend, relu, reduction, acc_dtype = given
    how: Any = {"relu": relu, "reduction": reduction, "acc_dtype": acc_dtype, "argmax": True}
    return _folded(data, Along(*along), target_size, weight, addend, **how)


def _result_like(data, gather_index, scatter_index, key, is_reverse, target_size, *how):
    return data.new_empty((target_size, *data.shape[1:]))


def _argmax_like(data, *how):
    result = _result_like(data, *how)
    return result, result.new_empty(result.shape, dtype=torch.int64)


def _edge_dot(one, other, *given):
    *along, heads = given
    return _graph.edge_dot(one, other, _edges_of(Along(*along), one.shape[0], other.shape[0]), heads=heads)


def dots_like(one, other, gather_index, *how):
    """Return an uninitialized tensor in the shape of `edge_dot`'s result. The last argument is the number of heads."""
    count, heads = gather_index.shape[0], how[-1]
    return one.new_empty((count,) if heads == 1 else (count, heads))


def _gather_scatter_gradients(gradient, data, *given):
    """Return the gradients of data, weight and addend in their shapes, with empty tensors for unwanted gradients."""
    *along, weight, addend, result, relu, reduction, acc_dtype, ties, wanted = given
    edges = _edges_of(Along(*along), data.shape[0], gradient.shape[0])
    made = _gradients(gradient, data, edges._edges, weight, addend, result, relu, reduction, acc_dtype, ties, wanted)
    gradients = []
    for gradient, operand in zip(made, (data, weight, addend), strict=True):
        if gradient is None:
            gradients.append(data.new_empty(0))
        else:
            is_whole = gradient.numel() == operand.numel()
            gradients.append(gradient.reshape(operand.shape) if is_whole else sum_to(gradient, operand.shape))
    return tuple(gradients)


def _gradients_like(gradient, data, gather_index, scatter_index, key, is_reverse, weight, addend, *how):
    operands = zip((data, weight, addend), how[-1], strict=True)
    return tuple(data.new_empty(operand.shape if wanted else 0) for operand, wanted in operands)


gather_scatter = define("gather_scatter", f"{_FOLD}, str ties) -> Tensor", _gather_scatter, _result_like)
gather_scatter_argmax = define(
    "gather_scatter_argmax", f"{_FOLD}) -> (Tensor, Tensor)", _gather_scatter_argmax, _argmax_like
)
edge_dot = define("edge_dot", f"(Tensor one, Tensor other, {_ALONG}, SymInt heads) -> Tensor", _edge_dot, dots_like)
gather_scatter_gradients = define(
    "gather_scatter_gradients",
    f"(Tensor gradient, Tensor data, {_ALONG}, {_TERMS}, Tensor? result, bool relu, str reduction, str acc_dtype, "
    "str ties, bool[] wanted) -> (Tensor, Tensor, Tensor)",
    _gather_scatter_gradients,
    _gradients_like,
)


def sum_to(gradient, shape):
    """Return a gradient in the shape of a term; sum it along the axes along which the term was broadcast."""
    whole = (*shape, *[1] * (gradient.dim() - len(shape)))
    sizes = enumerate(zip(whole, gradient.shape, strict=True))
    axes = [axis for axis, (wanted, size) in sizes if stands_for(wanted, size)]
    return (gradient.sum(axes, keepdim=True) if axes else gradient).reshape(shape)


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
    """Return whether `size` is 1 and is broadcast to another size; False if compiled code does not know `size`."""
    return _is_one(size) and not _is_one(whole)


def heads_of(term: Tensor, data: Tensor, edges: int) -> int | None:
    """Return the number of heads, parts of a row that each have one element of the term, or None for other terms."""
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

"""Fused gather-scatter for PyTorch: operators, their gradients, and edges that are prepared once."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch import Tensor

from .. import _edges, _graph
from . import _transforms
from ._arguments import refuse_forward_mode

# Prepared edges by the memory of their index tensors, which they keep alive; each also stands for its reverse.
_prepared: weakref.WeakValueDictionary[tuple[Any, ...], Edges] = weakref.WeakValueDictionary()


class Edges:
    """The edges of a graph, checked and sorted once, for many calls of `gather_scatter`: `strew.Edges` of tensors.

    It keeps the tensors alive, which must not change; a change by PyTorch is noticed.

    Parameters
    ----------
    gather_index, scatter_index : Tensor of integers, shape (edges,)
        Where the rows of an edge come from, and where they go: ``edge_index[0]`` and ``edge_index[1]`` of PyTorch
        Geometric.
    source_size, target_size : int
        Rows of the data, and of the result.

    Examples
    --------
    >>> import torch, strew.torch
    >>> edges = strew.torch.Edges(torch.tensor([0, 2, 1]), torch.tensor([1, 1, 0]), 3, 2)
    >>> strew.torch.gather_scatter(torch.tensor([1.0, 10.0, 100.0]), edges)
    tensor([ 10., 101.])
    """

    __slots__ = ("__weakref__", "_edges", "_key", "gather_index", "scatter_index")

    def __init__(self, gather_index: Tensor, scatter_index: Tensor, source_size: int, target_size: int) -> None:
        self.gather_index = gather_index
        self.scatter_index = scatter_index
        self._edges = _edges.Edges(gather_index, scatter_index, source_size, target_size)
        self._key = _key(gather_index, scatter_index)
        _prepared[self._key] = self

    @property
    def source_size(self) -> int:
        """Rows of the data that are gathered from."""
        return self._edges.source_size

    @property
    def target_size(self) -> int:
        """Rows of the result."""
        return self._edges.target_size

    @property
    def nbytes(self) -> int:
        """Bytes that it takes beside the tensors."""
        return self._edges.nbytes

    def __len__(self) -> int:
        return len(self._edges)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return repr(self._edges)

    def __reduce__(self) -> Any:
        return Edges, (self.gather_index, self.scatter_index, self.source_size, self.target_size)


def _key(gather_index, scatter_index):
    return tuple(
        part
        for index in (gather_index, scatter_index)
        for part in (index.data_ptr(), _version(index), index.shape[0] if index.dim() else 0, index.stride(), index.dtype)
    )


def _version(index):
    """How often PyTorch has changed a tensor; of one made in inference mode it does not count."""
    return None if index.is_inference() else index._version


def _edges_of(gather_index, scatter_index, source_size, target_size):
    """The prepared edges of these tensors, or new ones."""
    found = _prepared.get(_key(gather_index, scatter_index))
    if found is not None and (found.source_size, found.target_size) == (source_size, target_size):
        return found._edges
    found = _prepared.get(_key(scatter_index, gather_index))
    if found is not None and (found.target_size, found.source_size) == (source_size, target_size):
        return found._edges.reversed
    return _edges.Edges(gather_index, scatter_index, source_size, target_size)


def _detached(tensor):
    return None if tensor is None else tensor.detach()


# Without defaults: PyTorch leaves out last operands that have theirs, and a gradient must be told of all.
@torch.library.custom_op("strew::gather_scatter", mutates_args=())
def _fold(
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
    terms = {"weight": _detached(weight), "addend": _detached(addend)}
    how: Any = {"relu": relu, "reduction": reduction, "acc_dtype": acc_dtype}
    return _graph.gather_scatter(data.detach(), edges, **terms, **how)


@_fold.register_fake
def _(data, gather_index, scatter_index, target_size, weight, addend, relu, reduction, acc_dtype, ties):
    return data.new_empty((target_size, *data.shape[1:]))


@torch.library.custom_op("strew::gather_scatter_argmax", mutates_args=())
def _fold_argmax(
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
    terms = {"weight": _detached(weight), "addend": _detached(addend)}
    how: Any = {"relu": relu, "reduction": reduction, "argmax": True}
    return _graph.gather_scatter(data.detach(), edges, **terms, **how)


@_fold_argmax.register_fake
def _(data, gather_index, scatter_index, target_size, weight=None, addend=None, relu=False, reduction="max"):
    shape = (target_size, *data.shape[1:])
    return data.new_empty(shape), data.new_empty(shape, dtype=torch.int64)


@torch.library.custom_op("strew::edge_dot", mutates_args=())
def _dot(one: Tensor, other: Tensor, gather_index: Tensor, scatter_index: Tensor, heads: int) -> Tensor:
    edges = _edges_of(gather_index, scatter_index, one.shape[0], other.shape[0])
    return _graph.edge_dot(one.detach(), other.detach(), edges, heads=heads)


@_dot.register_fake
def _(one, other, gather_index, scatter_index, heads):
    count = gather_index.shape[0]
    return one.new_empty((count,) if heads == 1 else (count, heads))


def _padded(term, rank):
    """A weight or an addend with 1s on the right."""
    return term.reshape(*term.shape, *[1] * (rank - term.dim()))


def _sum_to(gradient, shape):
    padded = (*shape, *[1] * (gradient.dim() - len(shape)))
    axes = [axis for axis, (size, wanted) in enumerate(zip(gradient.shape, padded, strict=True)) if size != wanted]
    return (gradient.sum(axes, keepdim=True) if axes else gradient).reshape(shape)


def _messages(data, gather_index, weight, addend, relu):
    """What the operator never keeps: a row for each edge."""
    messages = _transforms.gather(data, gather_index, 0)
    if weight is not None:
        messages = messages * _padded(weight, data.dim())
    if addend is not None:
        messages = messages + _padded(addend, data.dim())
    return messages.relu() if relu else messages


def _from_front(index, size):
    index = index.to(torch.int64)
    return torch.where(index < 0, index + size, index)


def _heads_of(weight, data):
    """Into how many heads rows are cut, each with one weight; None where a weight stands for less than that."""
    if weight.shape[0] != 1 and weight.dim() == 1:
        return 1
    inner = tuple(_padded(weight, data.dim()).shape[1:])
    row = tuple(data.shape[1:])
    for kept in range(len(row) + 1):
        if inner == (*row[:kept], *[1] * (len(row) - kept)) and weight.shape[0] != 1:
            heads = 1
            for size in row[:kept]:
                heads *= size
            return heads if kept < len(row) or not row else None
    return None


def _save(ctx, inputs, output):
    data, gather_index, scatter_index, ctx.target_size, weight, addend, ctx.relu, *how = inputs
    ctx.reduction, ctx.acc_dtype, ctx.ties = how
    kept = output if ctx.reduction in ("max", "min", "mul") else None  # else the caller may change it
    ctx.save_for_backward(data, gather_index, scatter_index, weight, addend, kept)


def _backward(ctx, grad):
    data, gather_index, scatter_index, weight, addend, output = ctx.saved_tensors
    linear = ctx.reduction in ("add", "mean") and not ctx.relu
    heads = 1 if weight is None else _heads_of(weight, data)
    if not linear or heads is None:
        return _backward_of_messages(ctx, grad)
    if ctx.reduction == "mean":
        grad = grad / _degrees(scatter_index, ctx.target_size, grad)
    of_data = of_weight = of_addend = None
    if ctx.needs_input_grad[0]:
        how = (weight, None, False, "add", ctx.acc_dtype, "share")
        of_data = torch.ops.strew.gather_scatter(grad, scatter_index, gather_index, data.shape[0], *how)
    if ctx.needs_input_grad[4]:
        of_weight = torch.ops.strew.edge_dot(data, grad, gather_index, scatter_index, heads).reshape(weight.shape)
    if ctx.needs_input_grad[5]:
        of_edges = grad.index_select(0, _from_front(scatter_index, ctx.target_size))
        of_addend = _sum_to(of_edges, addend.shape)
    return of_data, None, None, None, of_weight, of_addend, None, None, None, None


def _degrees(scatter_index, target_size, like):
    ones = torch.ones(scatter_index.shape[0], dtype=torch.int64)
    degree = torch.zeros(target_size, dtype=torch.int64).index_add_(0, _from_front(scatter_index, target_size), ones)
    return degree.clamp_(min=1).to(like.dtype).reshape(-1, *[1] * (like.dim() - 1))


def _backward_of_messages(ctx, grad):
    """By the messages themselves, for what has no fused gradient: maxima, products, relu, a weight for each element."""
    data, gather_index, scatter_index, weight, addend, output = ctx.saved_tensors
    wanted = [ctx.needs_input_grad[place] for place in (0, 4, 5)]
    with torch.enable_grad():
        inputs = [tensor for tensor, wants in zip((data, weight, addend), wanted, strict=True) if wants]
        messages = _messages(data, gather_index, weight, addend, ctx.relu)
        target = _from_front(scatter_index, ctx.target_size)
        shares = _shares(ctx, grad, messages, target, output)
        gradients = iter(torch.autograd.grad(messages, inputs, shares, create_graph=torch.is_grad_enabled()))
    of_data, of_weight, of_addend = (next(gradients) if wants else None for wants in wanted)
    return of_data, None, None, None, of_weight, of_addend, None, None, None, None


def _shares(ctx, grad, messages, target, output):
    """The gradient of each message."""
    rows = _transforms.gather(grad, target, 0)
    if ctx.reduction == "add":
        return rows
    if ctx.reduction == "mean":
        return (grad / _degrees(target, ctx.target_size, grad)).index_select(0, target)
    index = target.reshape(-1, *[1] * (messages.dim() - 1)).expand_as(messages)
    if ctx.reduction == "mul":
        ones = torch.ones_like(output)
        return rows * torch.ops.strew.products_of_others(
            ones.reshape(ctx.target_size, -1), target, messages.reshape(target.shape[0], -1)
        ).view(messages.shape)
    if ctx.ties == "first":
        return _shares_of_first(ctx, grad, index.shape, output)
    result = _transforms.gather(output, target, 0)
    won = ((messages == result) | (messages.isnan() & result.isnan())).detach()
    start = output == 0 if ctx.ties == "share_with_zero" else torch.zeros_like(output)
    winners = _transforms.scatter_elements(start.to(output.dtype), index, won.to(output.dtype), 0, "add")
    return torch.where(won, _transforms.gather(grad / winners.clamp(min=1), target, 0), 0)


def _shares_of_first(ctx, grad, shape, output):
    data, gather_index, scatter_index, weight, addend, _ = ctx.saved_tensors
    terms = (ctx.target_size, _detached(weight), _detached(addend), ctx.relu, ctx.reduction)
    _, first = torch.ops.strew.gather_scatter_argmax(data.detach(), gather_index, scatter_index, *terms)
    return grad.new_zeros((shape[0] + 1, *shape[1:])).scatter(0, first, grad)[:-1]


def _save_dot(ctx, inputs, output):
    one, other, gather_index, scatter_index, ctx.heads = inputs
    ctx.save_for_backward(one, other, gather_index, scatter_index)


def _dot_backward(ctx, grad):
    one, other, gather_index, scatter_index = ctx.saved_tensors
    how = (grad, None, False, "add", "data", "share")
    if ctx.heads > 1:
        row = (ctx.heads, one[0].numel() // ctx.heads if one.shape[0] else 0)
        one_rows, other_rows = one.reshape(one.shape[0], *row), other.reshape(other.shape[0], *row)
    else:
        one_rows, other_rows = one, other
    fold = torch.ops.strew.gather_scatter
    of_one = of_other = None
    if ctx.needs_input_grad[0]:
        of_one = fold(other_rows, scatter_index, gather_index, one.shape[0], *how).reshape(one.shape)
    if ctx.needs_input_grad[1]:
        of_other = fold(one_rows, gather_index, scatter_index, other.shape[0], *how).reshape(other.shape)
    return of_one, of_other, None, None, None


_fold.register_autograd(_backward, setup_context=_save)
_dot.register_autograd(_dot_backward, setup_context=_save_dot)


def gather_scatter(
    data: Tensor,
    edges: Edges | Tensor,
    scatter_index: Tensor | None = None,
    size: int | None = None,
    *,
    weight: Tensor | None = None,
    addend: Tensor | None = None,
    relu: bool = False,
    reduction: str = "add",
    argmax: bool = False,
    acc_dtype: str = "data",
    ties: str = "share",
) -> Any:
    """Gather rows along edges, change them, and reduce them into target rows: `strew.gather_scatter` with gradients.

    No message is in memory, forward or backward, for sums and means with a weight for each edge or head. Gradients of
    "max", "min", "mul", with `relu` and of a weight for each element are computed from the messages.

    Parameters
    ----------
    data : Tensor, shape (sources, ...)
    edges : Edges, or Tensor of integers, shape (edges,)
        Prepared edges, or ``gather_index``.
    scatter_index : Tensor of integers, shape (edges,)
        With a tensor for `edges`.
    size : int
        Rows of the result; with a tensor for `edges`.
    weight, addend : Tensor, optional
        Padded on the right with 1s they broadcast to ``(edges, *data.shape[1:])``.
    relu : bool
    reduction : {"add", "mean", "max", "min", "mul"}
    argmax : bool
        For "max" and "min": also return the first edge that gave each element, without gradients.
    acc_dtype : {"data", "float32"}
    ties : {"share", "first", "share_with_zero"}
        Of "max" and "min": equal winners share the gradient, or the first has it, as in torch_scatter. With
        "share_with_zero" a result of 0 counts as one winner more: the gradient of `torch.Tensor.scatter_reduce` into
        zeros.

    Examples
    --------
    >>> import torch, strew.torch
    >>> weight = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> rows = torch.tensor([[1.0, 2.0], [10.0, 20.0]])
    >>> source, target = torch.tensor([0, 1, 1]), torch.tensor([1, 1, 0])
    >>> result = strew.torch.gather_scatter(rows, source, target, 2, weight=weight)
    >>> result
    tensor([[30., 60.],
            [21., 42.]], grad_fn=<GeneratedBackwardFor_strew_gather_scatter_defaultBackward>)
    >>> result.sum().backward()
    >>> weight.grad
    tensor([ 3., 30., 30.])
    """
    if isinstance(edges, Edges):
        if scatter_index is not None or size is not None:
            raise TypeError("gather_scatter: scatter_index and size are given with a tensor of indices, not with Edges")
        if _key(edges.gather_index, edges.scatter_index) != edges._key:
            raise RuntimeError("gather_scatter: an index tensor of edges was changed since they were made; make them anew")
        if data.shape[0] != edges.source_size:
            raise ValueError(
                f"gather_scatter: data has shape {list(data.shape)}; its first axis must have the {edges.source_size} source "
                "rows of edges"
            )
        gather_index, scatter_index, size = edges.gather_index, edges.scatter_index, edges.target_size
    else:
        if scatter_index is None or size is None:
            raise TypeError("gather_scatter: give Edges, or gather_index, scatter_index and size")
        gather_index = edges
    if ties not in ("share", "first", "share_with_zero"):
        raise ValueError(f"gather_scatter: ties is {ties!r}; it must be 'share', 'first' or 'share_with_zero'")
    refuse_forward_mode("gather_scatter", *(operand for operand in (data, weight, addend) if operand is not None))
    if argmax:
        terms = (_detached(weight), _detached(addend))
        result, first = torch.ops.strew.gather_scatter_argmax(
            data.detach(), gather_index, scatter_index, size, *terms, relu, reduction
        )
        if not torch.is_grad_enabled() or not any(t is not None and t.requires_grad for t in (data, weight, addend)):
            return result, first
        result = torch.ops.strew.gather_scatter(
            data, gather_index, scatter_index, size, weight, addend, relu, reduction, acc_dtype, ties
        )
        return result, first
    return torch.ops.strew.gather_scatter(
        data, gather_index, scatter_index, size, weight, addend, relu, reduction, acc_dtype, ties
    )

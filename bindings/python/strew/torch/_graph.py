"""Fused gather-scatter for PyTorch, with gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._errors import refusal
from . import _graph_gradients as _gradients
from ._arguments import needs_gradient, refuse_forward_mode
from ._edges import Edges, _key
from ._graph_operators import detached


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

    No message is in memory, forward or backward. Gradients of "mul" are computed from the messages, and so are second
    derivatives of "max" and "min", with `relu` and of a weight for each element.
    Second derivatives of "mul" raise NotImplementedError.

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
            raise refusal(
                TypeError,
                "invalid type",
                "scatter_index and size are given with a tensor of indices, not with Edges",
                operator="gather_scatter",
            )
        if _key(edges.gather_index, edges.scatter_index) != edges._key:
            raise RuntimeError(
                "gather_scatter: an index tensor of edges was changed since they were made; make them anew"
            )
        if data.shape[0] != edges.source_size:
            raise refusal(
                ValueError,
                "invalid argument",
                f"data has shape {list(data.shape)}; its first axis must have the {edges.source_size} source rows of edges",
                operator="gather_scatter",
                operand="data",
            )
        gather_index, scatter_index, size = edges.gather_index, edges.scatter_index, edges.target_size
    else:
        if scatter_index is None or size is None:
            raise refusal(
                TypeError,
                "invalid type",
                "give Edges, or gather_index, scatter_index and size",
                operator="gather_scatter",
            )
        gather_index = edges
    if ties not in ("share", "first", "share_with_zero"):
        raise refusal(
            ValueError,
            "invalid argument",
            f"ties is {ties!r}; it must be 'share', 'first' or 'share_with_zero'",
            operator="gather_scatter",
            operand="ties",
            value=ties,
        )
    refuse_forward_mode("gather_scatter", *(operand for operand in (data, weight, addend) if operand is not None))
    if argmax:
        terms = (detached(weight), detached(addend))
        result, first = torch.ops.strew.gather_scatter_argmax(
            data.detach(), gather_index, scatter_index, size, *terms, relu, reduction, acc_dtype
        )
        if not needs_gradient(data, weight, addend):
            return result, first
        result = _gradients.gather_scatter(
            data, gather_index, scatter_index, size, weight, addend, relu, reduction, acc_dtype, ties
        )
        return result, first
    return _gradients.gather_scatter(
        data, gather_index, scatter_index, size, weight, addend, relu, reduction, acc_dtype, ties
    )

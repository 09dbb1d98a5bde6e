"""Fused gather-scatter for PyTorch, with gradients."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from .. import _edges as _whole
from .._arguments import as_flag, as_int
from .._errors import wrong_type, wrong_value
from .._names import hinting
from . import _graph_gradients as _gradients
from ._arguments import (
    check_axis, check_choice, check_has_values, check_tensors, check_word, needs_gradient, refuse_forward_mode,
)
from ._edges import Along, Edges
from ._graph_operators import detached, gather_scatter_argmax


@hinting
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
    """Return the reduction of the messages of each target row: `strew.gather_scatter` with gradients.

    A message is ``data[gather_index] * weight + addend``, to which ReLU is applied if `relu` is True. Messages are
    stored only for gradients of "mul", and for second derivatives with "max", "min", `relu` or a weight for each
    element. Second derivatives of "mul" raise NotImplementedError.

    Parameters
    ----------
    data : Tensor, shape (sources, ...)
    edges : Edges, or Tensor of integers, shape (edges,)
        Prepared edges, or ``gather_index``, the source row of each edge.
    scatter_index : Tensor of integers, shape (edges,)
        The target row of each edge, if `edges` is a tensor.
    size : int
        The number of rows of the result, if `edges` is a tensor.
    weight, addend : Tensor, optional
        Factors and terms of the messages. Padded on the right with axes of size 1, they broadcast to
        ``(edges, *data.shape[1:])``.
    relu : bool
    reduction : {"add", "mean", "max", "min", "mul"}
    argmax : bool
        For "max" and "min": also return the first edge that supplied each element; this output has no gradient.
    acc_dtype : {"data", "float32"}
    ties : {"share", "first", "share_with_zero"}
        For "max" and "min": equal winners share the gradient, or the first one receives all of it, as in torch_scatter.
        With "share_with_zero", a result of 0 counts as one more winner, as in the gradient of
        `torch.Tensor.scatter_reduce` into zeros.

    Examples
    --------
    >>> import torch, strew.torch
    >>> weight = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> rows = torch.tensor([[1.0, 2.0], [10.0, 20.0]])
    >>> source, target = torch.tensor([0, 1, 1]), torch.tensor([1, 1, 0])
    >>> result = strew.torch.gather_scatter(rows, source, target, 2, weight=weight)
    >>> result
    tensor([[30., 60.],
            [21., 42.]], grad_fn=<Strew_gather_scatterBackward>)
    >>> result.sum().backward()
    >>> weight.grad
    tensor([ 3., 30., 30.])
    """
    check_tensors("gather_scatter", hint=" (strew.gather_scatter takes any array)", data=data)
    check_axis("gather_scatter", data, 0)
    terms = {name: term for name, term in (("weight", weight), ("addend", addend)) if term is not None}
    check_tensors("gather_scatter", **terms)
    along, target_size = _operands(data, edges, scatter_index, size)
    for name, term in (terms | {"gather_index": along.gather_index, "scatter_index": along.scatter_index}).items():
        check_has_values("gather_scatter", name, term, data)
    relu, argmax = as_flag("gather_scatter", "relu", relu), as_flag("gather_scatter", "argmax", argmax)
    check_word("gather_scatter", "reduction", reduction)
    check_word("gather_scatter", "acc_dtype", acc_dtype)
    check_choice("gather_scatter", "ties", ties, ("share", "first", "share_with_zero"))
    refuse_forward_mode("gather_scatter", data, *terms.values())
    how = (relu, reduction, acc_dtype)
    first = None
    if argmax:
        constant = (detached(weight), detached(addend))
        result, first = gather_scatter_argmax(data.detach(), *along, target_size, *constant, *how)
        if not needs_gradient(data, weight, addend):
            return result, first
    result = _gradients.gather_scatter(data, *along, target_size, weight, addend, *how, ties)
    return (result, first) if argmax else result


def _operands(data: Tensor, edges: Any, scatter_index: Any, size: Any) -> tuple[Along, int]:
    """Return the edges as operands, and the number of rows of the result."""
    if isinstance(edges, Edges):
        if scatter_index is not None or size is not None:
            text = "pass scatter_index and size with a tensor of indices, not with Edges"
            raise wrong_type("gather_scatter", "scatter_index" if size is None else "size", text)
        if data.shape[0] != edges.source_size:
            rows = f"its first axis must have length {edges.source_size}, the number of sources"
            raise wrong_value("gather_scatter", "data", f"data has shape {list(data.shape)}; {rows}")
        is_fake = type(data).__name__ == "FakeTensor" and not torch.compiler.is_compiling()
        if is_fake and type(edges._gather_index) is Tensor:
            remedy = "map them: torch.utils._pytree.tree_map(mode.from_tensor, edges)"
            raise wrong_value("gather_scatter", "edges", f"edges hold tensors that are not fake, but data is; {remedy}")
        return edges._along(), edges.target_size
    if type(edges) is _whole.Edges:  # its sources and targets are sorted, unlike the weights of the call
        remedy = "build strew.torch.Edges from the original index tensors"
        raise wrong_type("gather_scatter", "edges", f"edges is a strew.Edges; strew.torch works on tensors; {remedy}")
    remedy = "pass strew.torch.Edges, or two tensors of integers and size"
    check_tensors("gather_scatter", hint=f"; {remedy}", edges=edges)
    if scatter_index is None or size is None:
        raise wrong_type("gather_scatter", "edges", "pass Edges, or gather_index, scatter_index and size")
    check_tensors("gather_scatter", scatter_index=scatter_index)
    size = as_int("gather_scatter", "size", size)
    if not torch.compiler.is_compiling():  # a check would add a guard on the size to compiled code
        shape = [size, *data.shape[1:]]
        if size < 0:
            raise wrong_value("gather_scatter", "size", f"size is {size}; it must not be negative", size)
        if math.prod(shape) * data.element_size() >= 2**63:
            text = f"size is {size}; a result of shape {shape} has more than 2**63 - 1 bytes"
            raise wrong_value("gather_scatter", "size", text, size)
    return Along(edges, scatter_index), size

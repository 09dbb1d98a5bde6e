"""The functions with an index for each element."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .. import _arguments as _given, _transforms as _ops
from ._operands import of_rank_1, reduction_of, scattered

if TYPE_CHECKING:
    from typing import Any, Literal


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Take one element for each index, along a dimension: `torch.gather`, by `gather_elements`.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor
        Of the rank of `input`; off the dimension it may be smaller. Not negative.
    sparse_grad : bool, default False
        The gradient is dense all the same.

    Returns
    -------
    Tensor
        Of the shape of `index`.

    Raises
    ------
    IndexError
        If an index is outside.
    TypeError, ValueError
        If a type or a shape is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    _given.check_tensors("gather", input=input, index=index)
    data, places = of_rank_1(input), of_rank_1(index)
    if places.numel() == 0:
        return input.new_empty(index.shape) + data.sum() * 0 if input.requires_grad else input.new_empty(index.shape)
    return _ops.gather_elements(data, places, _given.as_int("gather", "dim", dim), "outside").view(index.shape)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Take one element for each index, broadcast off the dimension: `torch.take_along_dim`, by `gather_elements`.

    Parameters
    ----------
    input : Tensor
    indices : Tensor
        Of the rank of `input`; negative ones count from the end.
    dim : int, optional
        The tensor is flattened without one.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If an index is outside.
    TypeError, ValueError
        If a type or a shape is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> x = torch.tensor([[10, 30, 20], [60, 40, 50]])
    >>> F.take_along_dim(x, x.argmax(1, keepdim=True), dim=1)
    tensor([[30],
            [60]])
    """
    _given.check_tensors("take_along_dim", input=input, indices=indices)
    if dim is None:
        return _ops.gather_elements(input.reshape(-1), indices.reshape(-1), 0)
    if input.dim() != indices.dim():
        shapes = f"{list(input.shape)} and {list(indices.shape)}"
        raise ValueError(f"take_along_dim: input and indices have shapes {shapes}; the ranks must be equal")
    data, places = of_rank_1(input), of_rank_1(indices)
    _given.check_axis("take_along_dim", data, dim)
    dim %= data.dim()
    off = torch.broadcast_shapes(*([*t.shape[:dim], 1, *t.shape[dim + 1 :]] for t in (data, places)))
    data, places = (t.expand(*off[:dim], t.shape[dim], *off[dim + 1 :]) for t in (data, places))
    return _ops.gather_elements(data, places, dim).view(*places.shape[: indices.dim()])


def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | float | None = None,
    *,
    value: Any = None,
    reduce: Literal["add", "multiply"] | None = None,
) -> Tensor:
    """Write one value for each index, along a dimension: `torch.scatter`, by `scatter_elements`.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor
        Of the rank of `input`; off the dimension it may be smaller. Not negative.
    src : Tensor or scalar
        At least as large as `index` in each dimension. A scalar may also be given as `value`.
    reduce : {'add', 'multiply'}, optional

    Returns
    -------
    Tensor
        Of the shape of `input`. Of equal indices the last counts.

    Raises
    ------
    IndexError
        If an index is outside.
    TypeError, ValueError
        If a type or a shape is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.scatter(torch.zeros(4), 0, torch.tensor([1, 3]), torch.tensor([5.0, 6.0]))
    tensor([0., 5., 0., 6.])
    """
    updates = value if src is None else src
    reduction = "none" if reduce is None else reduction_of("scatter", reduce, ("add", "multiply"))
    return scattered("scatter", input, dim, index, updates, reduction)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add one value for each index, along a dimension: `torch.scatter_add`, by `scatter_elements`.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor
        Of the rank of `input`; off the dimension it may be smaller. Not negative.
    src : Tensor
        At least as large as `index` in each dimension.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Raises
    ------
    IndexError
        If an index is outside.
    TypeError, ValueError
        If a type or a shape is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.scatter_add(torch.zeros(3), 0, torch.tensor([1, 1]), torch.tensor([5.0, 6.0]))
    tensor([ 0., 11.,  0.])
    """
    return scattered("scatter_add", input, dim, index, src, "add")


def scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: Literal["sum", "prod", "mean", "amax", "amin"],
    *,
    include_self: bool = True,
) -> Tensor:
    """Combine one value for each index, along a dimension: `torch.scatter_reduce`, by `scatter_elements`.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor
        Of the rank of `input`; off the dimension it may be smaller. Not negative.
    src : Tensor
        At least as large as `index` in each dimension.
    reduce : {'sum', 'prod', 'mean', 'amax', 'amin'}
    include_self : bool, default True
        Whether the values of `input` take part.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Raises
    ------
    IndexError
        If an index is outside.
    TypeError, ValueError
        If a type, a shape or `reduce` is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.scatter_reduce(torch.full((3,), 9.0), 0, torch.tensor([1, 1]), torch.tensor([5.0, 6.0]), "amin")
    tensor([9., 5., 9.])
    """
    reduction = reduction_of("scatter_reduce", reduce, ("sum", "prod", "mean", "amax", "amin"))
    return scattered("scatter_reduce", input, dim, index, src, reduction, include_self)

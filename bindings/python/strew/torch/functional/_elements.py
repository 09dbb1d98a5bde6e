"""The functions with an index for each element."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..._errors import refusal
from .. import _arguments as _given, _transforms as _ops
from ._operands import of_rank_1, reduction_of, scattered
from ._refusals import are_integers, axis_of, check_integers, in_words_of, outside, shaped, too_large, type_of

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
    dim = axis_of("gather", "dim", dim, "input", input)
    data, places = of_rank_1(input), of_rank_1(index)
    if places.dim() != data.dim() or not are_integers(places):
        if places.numel() > 0:
            check_integers("gather", "index", index)
            slices = "; one index for each slice is for torch.index_select" if index.dim() < input.dim() else ""
            ranks = f"index has {shaped(index)} but input has {shaped(input)}; the ranks must be equal"
            raise refusal(ValueError, "invalid argument", ranks + slices, operator="gather", operand="index")
        places = places.new_zeros([0] * data.dim(), dtype=torch.int64)  # as in scattered
    return in_words_of(
        "gather",
        lambda: _ops.gather_elements(data, places, dim, "out_of_bounds"),
        {"data": "input", "indices": "index"},
        lambda: too_large("gather", places, dim, data) or outside("gather", "index", index, dim, input),
    ).reshape(index.shape)


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
        data, places, at = input.reshape(-1), indices.reshape(-1), 0
        if places.numel() == 0:
            places = places.to(torch.int64)
    else:
        if input.dim() != indices.dim():
            ranks = f"input has {shaped(input)} but indices have {shaped(indices)}; the ranks must be equal"
            raise refusal(ValueError, "invalid argument", ranks, operator="take_along_dim", operand="indices")
        at = axis_of("take_along_dim", "dim", dim, "input", input)
        data, places = _broadcast_off(of_rank_1(input), of_rank_1(indices), at)
    check_integers("take_along_dim", "indices", places)
    return in_words_of(
        "take_along_dim",
        lambda: _ops.gather_elements(data, places, at),
        {"data": "input"},
        lambda: outside("take_along_dim", "indices", indices if dim is not None else places, at, data, -1),
    ).view(places.shape if dim is None else places.shape[: indices.dim()])


def _broadcast_off(data: Tensor, places: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Both tensors, broadcast against each other but along `dim`."""
    try:
        off = torch.broadcast_shapes(*([*t.shape[:dim], 1, *t.shape[dim + 1 :]] for t in (data, places)))
    except RuntimeError:
        shapes = f"{list(data.shape)} and {list(places.shape)}; off dimension {dim} they must be equal, or 1 in one"
        raise refusal(
            ValueError,
            "invalid argument",
            f"input and indices have shapes {shapes}",
            operator="take_along_dim",
            operand="indices",
        ) from None
    data, places = (t.expand(*off[:dim], t.shape[dim], *off[dim + 1 :]) for t in (data, places))
    return data, places


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
    if (src is None) == (value is None):
        raise refusal(
            TypeError,
            "invalid type",
            f"{'neither src nor value is' if src is None else 'src and value are both'} given",
            operator="scatter",
            operand="src",
        )
    _given.check_tensors("scatter", input=input, index=index)
    if not isinstance(src, Tensor):
        name, scalar = ("value", value) if src is None else ("src", src)
        src = _as_scalar("scatter", name, scalar, input).expand(index.shape)
    reduction = "none" if reduce is None else reduction_of("scatter", reduce, ("add", "multiply"))
    return scattered("scatter", input, dim, index, src, reduction, reduce=reduce)


def _as_scalar(op: str, name: str, given: Any, input: Tensor) -> Tensor:
    try:
        scalar = torch.as_tensor(given, dtype=input.dtype, device=input.device)
    except (OverflowError, RuntimeError, TypeError, ValueError):
        scalar = None
    if scalar is None or scalar.dim() > 0:
        what = f"{given!r}, which {type_of(input)} cannot hold" if isinstance(given, Number) else _given.article(given)
        raise refusal(
            TypeError, "invalid type", f"{name} is {what}; it must be a tensor or a number", operator=op, operand=name
        )
    return scalar


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
    _given.check_tensors("scatter_add", src=src)
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
    _given.check_tensors("scatter_reduce", src=src)
    _given.check_flag("scatter_reduce", "include_self", include_self)
    return scattered("scatter_reduce", input, dim, index, src, reduction, include_self, reduce=reduce)

"""The functions with an index for each slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from ..._errors import refusal
from .. import _arguments as _given
from ._operands import by_slices, reduction_of
from ._refusals import type_of

if TYPE_CHECKING:
    from typing import Literal


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """Add slices along a dimension: `torch.index_add`, by `scatter_elements`.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor
        Of rank 1, not negative.
    source : Tensor
        Of the shape of `input`, but along the dimension of that of `index`.
    alpha : number, default 1
        `source` is multiplied by it first, rounded.

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
    >>> F.index_add(torch.zeros(3, 2), 0, torch.tensor([2, 2]), torch.ones(2, 2), alpha=3)
    tensor([[0., 0.],
            [0., 0.],
            [6., 6.]])
    """
    _given.check_tensors("index_add", source=source)
    scaled = source if alpha == 1 else source * alpha
    if scaled.dtype != source.dtype:
        raise refusal(
            TypeError,
            "invalid type",
            f"alpha is {alpha}, which {type_of(source)} cannot hold",
            operator="index_add",
            operand="alpha",
            value=alpha,
        )
    return by_slices("index_add", input, dim, index, scaled, "add")


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Write slices along a dimension: `torch.index_copy`, by `scatter_elements`.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor
        Of rank 1, not negative.
    source : Tensor
        Of the shape of `input`, but along the dimension of that of `index`.

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
    >>> F.index_copy(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0]))
    tensor([6., 0., 5.])
    """
    return by_slices("index_copy", input, dim, index, source, "none")


def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: Literal["prod", "mean", "amax", "amin"],
    *,
    include_self: bool = True,
) -> Tensor:
    """Combine slices along a dimension: `torch.index_reduce`, by `scatter_elements`.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor
        Of rank 1, not negative.
    source : Tensor
        Of the shape of `input`, but along the dimension of that of `index`.
    reduce : {'prod', 'mean', 'amax', 'amin'}
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
    >>> F.index_reduce(torch.ones(3), 0, torch.tensor([2, 2]), torch.tensor([5.0, 6.0]), "prod")
    tensor([ 1.,  1., 30.])
    """
    reduction = reduction_of("index_reduce", reduce, ("prod", "mean", "amax", "amin"))
    _given.check_flag("index_reduce", "include_self", include_self)
    return by_slices("index_reduce", input, dim, index, source, reduction, include_self, reduce=reduce)

"""The functions with an index for each slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .. import _arguments as _given, _transforms as _ops
from ._operands import by_slices, reduction_of

if TYPE_CHECKING:
    from collections.abc import Sequence
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
    return by_slices("index_add", input, dim, index, source if alpha == 1 else source * alpha, "add")


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
    return by_slices("index_reduce", input, dim, index, source, reduction, include_self)


def index_put(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Write or add what ``input[indices]`` chooses: `torch.index_put`, by `scatter_nd`.

    Parameters
    ----------
    input : Tensor
    indices : sequence of Tensor or None
        Integers, which are broadcast and of which negative ones count from the end, or masks; None chooses all of its
        axis.
    values : Tensor
        Broadcast to the shape of ``input[indices]``.
    accumulate : bool, default False
        Whether values are added.

    Returns
    -------
    Tensor
        Of the shape of `input`. Of equal places the last counts where nothing is added.

    Raises
    ------
    IndexError
        If an index is outside, or there are too many.
    TypeError, ValueError
        If a type or a shape is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.index_put(torch.zeros(2, 2), (torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor([5.0, 6.0]), True)
    tensor([[ 0., 11.],
            [ 0.,  0.]])
    """
    _given.check_tensors("index_put", input=input, values=values)
    parts: list[Tensor | None] = []
    for part in indices:
        if part is not None and part.dtype in (torch.bool, torch.uint8):
            parts.extend(part.nonzero().unbind(1))
        else:
            parts.append(part)
    if len(parts) > input.dim():
        raise IndexError(f"index_put: {len(parts)} indices; input has shape {list(input.shape)} of rank {input.dim()}")
    addressed = [axis for axis, part in enumerate(parts) if part is not None]
    others = [axis for axis in range(input.dim()) if axis not in addressed]
    if not addressed:
        return input + values if accumulate else values.expand_as(input).clone()
    places = torch.broadcast_tensors(*(part.to(torch.int64) for part in parts if part is not None))
    # Indices that stand together stay where they stand, others come first.
    together = addressed == list(range(addressed[0], addressed[-1] + 1))
    first, rank = addressed[0] if together else 0, places[0].dim()
    sizes = [input.shape[axis] for axis in others]
    shape = (*sizes[:first], *places[0].shape, *sizes[first:])
    order = [*range(first, first + rank), *range(first), *range(first + rank, len(shape))]
    try:
        updates = values.expand(shape).permute(order)
    except RuntimeError:
        shapes = f"{list(values.shape)}; input[indices] has {list(shape)}"
        raise ValueError(f"index_put: values have shape {shapes}") from None
    view = [*addressed, *others]
    written = _ops.scatter_nd(input.permute(view), torch.stack(places, -1), updates, "add" if accumulate else "none")
    return written.permute([view.index(axis) for axis in range(input.dim())])

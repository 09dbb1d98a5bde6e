"""The gathers, with gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from .._names import hinting
from . import _arguments as _given, _operators as _ops
from ._transforms import at_once

if TYPE_CHECKING:
    from .._strew import _Indices, _NegativeIndices, _OutOfBoundsGather


@hinting
def gather(
    data: Tensor,
    indices: Tensor | _Indices,
    axis: int = 0,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: complex | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> Tensor:
    """Return rows of `data` along an axis: `strew.gather` with a gradient.

    Parameters
    ----------
    data : Tensor
        Rank 1 or more.
    indices : Tensor or sequence of integers
        Any shape; negative values count from the end.
    axis : int, default 0
    out_of_bounds : {'error', 'clip', 'wrap', 'fill'}
        How to treat an index outside its axis; filled elements have no gradient.
    fill_value : number, optional
        The value for 'fill', 0 by default.
    negative_indices : {'from_end', 'out_of_bounds'}

    Returns
    -------
    Tensor
        Shape ``data.shape[:axis] + indices.shape + data.shape[axis + 1:]``. The gradient adds up in row-major
        order of `indices`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.gather(torch.tensor([[1, 2], [3, 4], [5, 6]]), [2, -3])
    tensor([[5, 6],
            [1, 2]])
    """
    if fill_value is None:
        result = at_once("gather", data, indices, axis, negative_indices, out_of_bounds, None)
        if result is not None:
            return result
    operands = _given.gather_operands("gather", data, indices, "axis", axis, negative_indices, out_of_bounds, fill_value)
    _given.check_axis("gather", data, operands[2])
    return _ops.gather(*operands)


@hinting
def gather_elements(
    data: Tensor,
    indices: Tensor | _Indices,
    axis: int = 0,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: complex | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> Tensor:
    """Return one element of `data` for each index: `strew.gather_elements` with a gradient.

    Parameters
    ----------
    data : Tensor
        Rank 1 or more.
    indices : Tensor or sequence of integers
        As many dimensions as `data`; off the axis none may be larger than the same dimension of `data`.
    axis : int, default 0
    out_of_bounds : {'error', 'clip', 'wrap', 'fill'}
        How to treat an index outside its axis; filled elements have no gradient.
    fill_value : number, optional
        The value for 'fill', 0 by default.
    negative_indices : {'from_end', 'out_of_bounds'}

    Returns
    -------
    Tensor
        The shape of `indices`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.gather_elements(torch.tensor([[1, 2, 3], [4, 5, 6]]), [[0, 0], [2, 1]], axis=1)
    tensor([[1, 1],
            [6, 5]])
    """
    if fill_value is None:
        result = at_once("gather_elements", data, indices, axis, negative_indices, out_of_bounds, None)
        if result is not None:
            return result
    operands = _given.gather_operands("gather_elements", data, indices, "axis", axis, negative_indices, out_of_bounds, fill_value)
    return _ops.gather_elements(*operands)


@hinting
def gather_nd(
    data: Tensor,
    indices: Tensor | _Indices,
    batch_dims: int = 0,
    *,
    out_of_bounds: _OutOfBoundsGather = "error",
    fill_value: complex | None = None,
    negative_indices: _NegativeIndices = "from_end",
) -> Tensor:
    """Return one slice of `data` for each index tuple: `strew.gather_nd` with a gradient.

    Parameters
    ----------
    data : Tensor
        Rank 1 or more.
    indices : Tensor or sequence of integers
        Its last axis runs over the components of a tuple.
    batch_dims : int, default 0
        The number of leading axes that `data` and `indices` have in common.
    out_of_bounds : {'error', 'clip', 'wrap', 'fill'}
        How to treat an index outside its axis; filled elements have no gradient.
    fill_value : number, optional
        The value for 'fill', 0 by default.
    negative_indices : {'from_end', 'out_of_bounds'}

    Returns
    -------
    Tensor
        Shape ``indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:]``.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.gather_nd(torch.tensor([[1, 2], [3, 4]]), [[0, 0], [1, 1]])
    tensor([1, 4])
    """
    if fill_value is None:
        result = at_once("gather_nd", data, indices, batch_dims, negative_indices, out_of_bounds, None)
        if result is not None:
            return result
    operands = _given.gather_operands("gather_nd", data, indices, "batch_dims", batch_dims, negative_indices, out_of_bounds, fill_value)
    _given.check_rank("gather_nd", "indices", operands[1])
    return _ops.gather_nd(*operands)

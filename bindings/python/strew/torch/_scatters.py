"""The scatters with gradients, each also in a form that writes into its first argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from .._names import hinting
from . import _arguments as _given, _operators as _ops
from ._transforms import at_once

if TYPE_CHECKING:
    from .._strew import _AccDtype, _Casting, _Indices, _Mode, _NegativeIndices, _Operand, _OutOfBoundsScatter, _Reduction


@hinting
def scatter_elements(
    data: Tensor,
    indices: Tensor | _Indices,
    updates: Tensor | _Operand,
    axis: int = 0,
    reduction: _Reduction = "none",
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: complex | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> Tensor:
    """Return `data` with one update written or combined for each index along an axis.

    This is `strew.scatter_elements` with gradients.

    Parameters
    ----------
    data : Tensor
        Rank 1 or more.
    indices : Tensor or sequence of integers
        As many dimensions as `data`; off the axis none may be larger than the same dimension of `data`.
    updates : Tensor, sequence or scalar
        The shape of `indices` and the type of `data`.
    axis : int, default 0
    reduction : {'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'}
    out_of_bounds : {'error', 'clip', 'wrap', 'drop'}
        How to treat an index outside its axis; a dropped update has the gradient 0.
    negative_indices : {'from_end', 'out_of_bounds'}
        Whether a negative index counts from the end of the axis.
    include_self : bool, default True
        Whether the reduction includes the value in `data`; elements without an update keep their value.
    acc_dtype : {'data', 'float32'}
        The type of the accumulators; 'float32' rounds floats of 8 and 16 bits once.
    alpha : number, optional
        The factor that multiplies each update first.
    casting : {'equiv', 'same_kind'}
        'same_kind' casts updates to the type of `data` if NumPy's casting allows it.
    reject_duplicates : bool, default False
        Whether two updates of one element are an error without a reduction.

    Returns
    -------
    Tensor
        The shape of `data`. With g for the gradient of the result, the gradient of an operand is: with "none" g
        for the last update of its place, else 0; with "add" g; with "mul" g times the product of all others,
        which may be 0; with "max" and "min" an equal part of g for each operand that equals the result (a NaN
        equals a NaN).

    Examples
    --------
    >>> import torch, strew.torch
    >>> updates = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> result = strew.torch.scatter_elements(torch.ones(3), [0, 2, 2], updates)
    >>> result.sum().backward()
    >>> updates.grad
    tensor([1., 0., 1.])
    """
    how = include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates
    if casting == "equiv" and alpha is None:
        result = at_once("scatter_elements", data, indices, updates, axis, reduction, *how)
        if result is not None:
            return result
    operands = _given.scatter_elements_operands("scatter_elements", data, indices, updates, axis, reduction, casting, *how)
    return _ops.scatter_elements(*operands)


@hinting
def scatter_nd(
    data: Tensor,
    indices: Tensor | _Indices,
    updates: Tensor | _Operand,
    reduction: _Reduction = "none",
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: complex | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> Tensor:
    """Return `data` with one slice written or combined for each index tuple: `strew.scatter_nd` with gradients.

    Parameters
    ----------
    data : Tensor
        Rank 1 or more.
    indices : Tensor or sequence of integers
        Its last axis runs over the components of a tuple, which address the leading axes of `data`.
    updates : Tensor, sequence or scalar
        Shape ``indices.shape[:-1] + data.shape[indices.shape[-1]:]`` and the type of `data`.
    reduction : {'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'}
    out_of_bounds : {'error', 'clip', 'wrap', 'drop'}
        How to treat an index outside its axis; a dropped update has the gradient 0.
    negative_indices : {'from_end', 'out_of_bounds'}
        Whether a negative index counts from the end of the axis.
    include_self : bool, default True
        Whether the reduction includes the value in `data`; elements without an update keep their value.
    acc_dtype : {'data', 'float32'}
        The type of the accumulators; 'float32' rounds floats of 8 and 16 bits once.
    alpha : number, optional
        The factor that multiplies each update first.
    casting : {'equiv', 'same_kind'}
        'same_kind' casts updates to the type of `data` if NumPy's casting allows it.
    reject_duplicates : bool, default False
        Whether two updates of one element are an error without a reduction.

    Returns
    -------
    Tensor
        The shape of `data`. Gradients are as in `scatter_elements`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.scatter_nd(torch.zeros(3, 2), [[2], [0], [2]], [[1, 1], [2, 2], [3, 3]], reduction="add")
    tensor([[2., 2.],
            [0., 0.],
            [4., 4.]])
    """
    how = include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates
    if casting == "equiv" and alpha is None:
        result = at_once("scatter_nd", data, indices, updates, reduction, *how)
        if result is not None:
            return result
    operands = _given.scatter_nd_operands("scatter_nd", data, indices, updates, reduction, casting, *how)
    return _ops.scatter_nd(*operands)


@hinting
def tensor_scatter(
    past_cache: Tensor,
    update: Tensor,
    write_indices: Tensor | _Indices | None = None,
    axis: int = -2,
    mode: _Mode = "linear",
    *,
    casting: _Casting = "equiv",
) -> Tensor:
    """Return a cache with an update written at a position for each batch entry.

    This is `strew.tensor_scatter` with gradients.

    Parameters
    ----------
    past_cache : Tensor
        Rank 2 or more; the first axis is the batch.
    update : Tensor
        The type and the dimensions of `past_cache`, but it may be shorter along `axis`.
    write_indices : Tensor or sequence of integers, optional
        Shape ``[batch]``: the position along `axis` at which each update begins, 0 by default.
    axis : int, default -2
    mode : {'linear', 'circular'}
    casting : {'equiv', 'same_kind'}
        'same_kind' casts an update to the type of `past_cache` if NumPy's casting allows it.

    Returns
    -------
    Tensor
        The shape of `past_cache`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.tensor_scatter(torch.zeros(1, 3, 2), torch.ones(1, 1, 2), [1])
    tensor([[[0., 0.],
             [1., 1.],
             [0., 0.]]])
    """
    if casting == "equiv":
        result = at_once("tensor_scatter", past_cache, update, write_indices, axis, mode)
        if result is not None:
            return result
    operands = _given.tensor_scatter_operands("tensor_scatter", past_cache, update, write_indices, axis, mode, casting)
    return _ops.tensor_scatter(*operands)


def _in_place(name, updates, data, *rest):
    """Run the operator into `data`, or into a new tensor that is then copied to `data`."""
    _given.refuse_forward_mode(f"{name}_", data, updates)
    if _given.needs_copy(data, updates):
        old = data if name == "tensor_scatter" else data.clone()  # gradients of the other operators may read it
        return data.copy_(getattr(_ops, name)(old, *rest))
    getattr(_ops, f"{name}_")(data, *rest)
    return data


@hinting
def scatter_elements_(
    data: Tensor,
    indices: Tensor | _Indices,
    updates: Tensor | _Operand,
    axis: int = 0,
    reduction: _Reduction = "none",
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: complex | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> Tensor:
    """Write the result of `scatter_elements` into `data`, and return `data`.

    If autograd records a gradient, it keeps the old values, and the result is copied into `data`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> histogram = torch.zeros(4)
    >>> strew.torch.scatter_elements_(histogram, [1, 3, 1], 1.0, reduction="add")
    tensor([0., 2., 0., 1.])
    """
    how = include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates
    operands = _given.scatter_elements_operands("scatter_elements_", data, indices, updates, axis, reduction, casting, *how)
    return _in_place("scatter_elements", operands[2], *operands)


@hinting
def scatter_nd_(
    data: Tensor,
    indices: Tensor | _Indices,
    updates: Tensor | _Operand,
    reduction: _Reduction = "none",
    *,
    out_of_bounds: _OutOfBoundsScatter = "error",
    negative_indices: _NegativeIndices = "from_end",
    include_self: bool = True,
    acc_dtype: _AccDtype = "data",
    alpha: complex | None = None,
    casting: _Casting = "equiv",
    reject_duplicates: bool = False,
) -> Tensor:
    """Write the result of `scatter_nd` into `data`, and return `data`.

    If autograd records a gradient, it keeps the old values, and the result is copied into `data`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.scatter_nd_(torch.zeros(3), [[1]], [5])
    tensor([0., 5., 0.])
    """
    how = include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates
    operands = _given.scatter_nd_operands("scatter_nd_", data, indices, updates, reduction, casting, *how)
    return _in_place("scatter_nd", operands[2], *operands)


@hinting
def tensor_scatter_(
    past_cache: Tensor,
    update: Tensor,
    write_indices: Tensor | _Indices | None = None,
    axis: int = -2,
    mode: _Mode = "linear",
    *,
    casting: _Casting = "equiv",
) -> Tensor:
    """Write the result of `tensor_scatter` into `past_cache`, and return `past_cache`.

    If autograd records a gradient, the result is computed first and then copied into `past_cache`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.tensor_scatter_(torch.zeros(1, 3, 1), torch.ones(1, 2, 1), [2], mode="circular").flatten()
    tensor([1., 0., 1.])
    """
    operands = _given.tensor_scatter_operands("tensor_scatter_", past_cache, update, write_indices, axis, mode, casting)
    return _in_place("tensor_scatter", operands[1], *operands)

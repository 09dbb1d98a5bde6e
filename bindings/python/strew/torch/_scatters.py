"""The scatters, with gradients, and those that write into their first argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .._names import hinting
from . import _arguments as _given, _transforms as _ops

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
    """Write or combine one update for each index, along an axis: `strew.scatter_elements` with gradients.

    Parameters
    ----------
    data : Tensor
        Of rank 1 or more.
    indices : Tensor or sequence of integers
        Of the rank of `data`; off the axis no dimension may pass that of `data`.
    updates : Tensor, sequence or scalar
        Of the shape of `indices` and the type of `data`.
    axis : int, default 0
    reduction : {'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'}
    out_of_bounds : {'error', 'clip', 'wrap', 'drop'}
        What an index outside its axis stands for; an update that is dropped has the gradient 0.
    negative_indices : {'from_end', 'out_of_bounds'}
        Whether a negative index counts from the end of the axis.
    include_self : bool, default True
        Whether the value in `data` takes part; elements that no update reaches keep theirs.
    acc_dtype : {'data', 'float32'}
        The type of the accumulators; 'float32' rounds floats of 8 and 16 bits once.
    alpha : number, optional
        What each update is multiplied by first.
    casting : {'equiv', 'same_kind'}
        'same_kind' casts updates of another type to that of `data` where NumPy's casting allows it.
    reject_duplicates : bool, default False
        Whether two updates of one element are an error, where there is no reduction.

    Returns
    -------
    Tensor
        Of the shape of `data`. The gradient of an operand is, with "none", that of the result if it is the last
        update of its place, else 0; with "add" that of the result; with "mul" that times the product of all
        others, which may be 0; with "max" and "min" an equal part for each operand that is the result (a NaN
        for a NaN).

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
    """Write or combine one slice for each index tuple: `strew.scatter_nd` with gradients.

    Parameters
    ----------
    data : Tensor
        Of rank 1 or more.
    indices : Tensor or sequence of integers
        Its last axis runs over the components of a tuple, which address the leading axes of `data`.
    updates : Tensor, sequence or scalar
        Of shape ``indices.shape[:-1] + data.shape[indices.shape[-1]:]`` and the type of `data`.
    reduction : {'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'}
    out_of_bounds : {'error', 'clip', 'wrap', 'drop'}
        What an index outside its axis stands for; an update that is dropped has the gradient 0.
    negative_indices : {'from_end', 'out_of_bounds'}
        Whether a negative index counts from the end of the axis.
    include_self : bool, default True
        Whether the value in `data` takes part; elements that no update reaches keep theirs.
    acc_dtype : {'data', 'float32'}
        The type of the accumulators; 'float32' rounds floats of 8 and 16 bits once.
    alpha : number, optional
        What each update is multiplied by first.
    casting : {'equiv', 'same_kind'}
        'same_kind' casts updates of another type to that of `data` where NumPy's casting allows it.
    reject_duplicates : bool, default False
        Whether two updates of one element are an error, where there is no reduction.

    Returns
    -------
    Tensor
        Of the shape of `data`. The gradients are those of `scatter_elements`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.scatter_nd(torch.zeros(3, 2), [[2], [0], [2]], [[1, 1], [2, 2], [3, 3]], reduction="add")
    tensor([[2., 2.],
            [0., 0.],
            [4., 4.]])
    """
    how = include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates
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
    """Write an update into a cache at a position for each batch entry: `strew.tensor_scatter` with gradients.

    Parameters
    ----------
    past_cache : Tensor
        Of rank 2 or more; the first axis is the batch.
    update : Tensor
        Equal to `past_cache` in type and every dimension but that of `axis`, where it may be shorter.
    write_indices : Tensor or sequence of integers, optional
        Of shape ``[batch]``: where along `axis` each update begins. All 0 if left out.
    axis : int, default -2
    mode : {'linear', 'circular'}
    casting : {'equiv', 'same_kind'}
        'same_kind' casts an update of another type to that of `past_cache` where NumPy's casting allows it.

    Returns
    -------
    Tensor
        Of the shape of `past_cache`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.tensor_scatter(torch.zeros(1, 3, 2), torch.ones(1, 1, 2), [1])
    tensor([[[0., 0.],
             [1., 1.],
             [0., 0.]]])
    """
    operands = _given.tensor_scatter_operands("tensor_scatter", past_cache, update, write_indices, axis, mode, casting)
    return _ops.tensor_scatter(*operands)


def _in_place(name, updates, data, *rest):
    """The operator into `data`, or into a tensor of its own that is copied there."""
    _given.refuse_forward_mode(f"{name}_", data, updates)
    if _given.needs_copy(data, updates):
        old = data if name == "tensor_scatter" else data.clone()  # a gradient of the others may read it
        return data.copy_(getattr(_ops, name)(old, *rest))
    getattr(torch.ops.strew, f"{name}_")(data, *rest)
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
    """`scatter_elements` into `data` itself, which is returned.

    Where a gradient is recorded, the old values are kept for it, and the result is copied into `data`.

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
    """`scatter_nd` into `data` itself, which is returned.

    Where a gradient is recorded, the old values are kept for it, and the result is copied into `data`.

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
    """`tensor_scatter` into `past_cache` itself, which is returned.

    Where a gradient is recorded, the result is made first and then copied into `past_cache`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.tensor_scatter_(torch.zeros(1, 3, 1), torch.ones(1, 2, 1), [2], mode="circular").flatten()
    tensor([1., 0., 1.])
    """
    operands = _given.tensor_scatter_operands("tensor_scatter_", past_cache, update, write_indices, axis, mode, casting)
    return _in_place("tensor_scatter", operands[1], *operands)

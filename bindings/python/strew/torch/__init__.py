"""Strew's operators for PyTorch: with gradients, and traced by ``torch.compile`` and ``torch.export``.

Importing this module registers the custom operators ``torch.ops.strew.gather`` and so on, for tensors in CPU
memory. The functions have the names and parameters of those in `strew`, without ``out``; those whose names end in
``_`` write into their first argument. There are no forward-mode derivatives, and no second ones of products.

>>> import torch, strew.torch
>>> table = torch.zeros(3, 2, requires_grad=True)
>>> strew.torch.gather(table, torch.tensor([2, 0, 2])).sum().backward()
>>> table.grad
tensor([[1., 1.],
        [0., 0.],
        [2., 2.]])
"""

import torch as _torch

from . import _gradients  # noqa: F401 (registers the operators)
from ._arguments import as_indices, element_updates, needs_copy, refuse_forward_mode, slice_updates

__all__ = [
    "gather",
    "gather_elements",
    "gather_nd",
    "scatter_elements",
    "scatter_elements_",
    "scatter_nd",
    "scatter_nd_",
    "tensor_scatter",
    "tensor_scatter_",
]


def gather(data, indices, axis=0):
    """Take rows of `data` along an axis: `strew.gather` with a gradient.

    Parameters
    ----------
    data : Tensor
        Of rank 1 or more.
    indices : Tensor or sequence of integers
        Of any shape; negative values count from the end.
    axis : int, default 0

    Returns
    -------
    Tensor
        Of shape ``data.shape[:axis] + indices.shape + data.shape[axis + 1:]``. The gradient adds up in row-major
        order of `indices`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.gather(torch.tensor([[1, 2], [3, 4], [5, 6]]), [2, -3])
    tensor([[5, 6],
            [1, 2]])
    """
    refuse_forward_mode("gather", data)
    return _torch.ops.strew.gather(data, as_indices(indices), axis)


def gather_elements(data, indices, axis=0):
    """Take one element of `data` for each index: `strew.gather_elements` with a gradient.

    Parameters
    ----------
    data : Tensor
        Of rank 1 or more.
    indices : Tensor or sequence of integers
        Of the rank of `data`; off the axis no dimension may pass that of `data`.
    axis : int, default 0

    Returns
    -------
    Tensor
        Of the shape of `indices`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.gather_elements(torch.tensor([[1, 2, 3], [4, 5, 6]]), [[0, 0], [2, 1]], axis=1)
    tensor([[1, 1],
            [6, 5]])
    """
    refuse_forward_mode("gather_elements", data)
    return _torch.ops.strew.gather_elements(data, as_indices(indices), axis)


def gather_nd(data, indices, batch_dims=0):
    """Take one slice of `data` for each index tuple: `strew.gather_nd` with a gradient.

    Parameters
    ----------
    data : Tensor
        Of rank 1 or more.
    indices : Tensor or sequence of integers
        Its last axis runs over the components of a tuple.
    batch_dims : int, default 0
        How many leading axes `data` and `indices` have in common.

    Returns
    -------
    Tensor
        Of shape ``indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:]``.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.gather_nd(torch.tensor([[1, 2], [3, 4]]), [[0, 0], [1, 1]])
    tensor([1, 4])
    """
    refuse_forward_mode("gather_nd", data)
    return _torch.ops.strew.gather_nd(data, as_indices(indices), batch_dims)


def scatter_elements(data, indices, updates, axis=0, reduction="none"):
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
    reduction : {'none', 'add', 'mul', 'max', 'min'}

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
    indices = as_indices(indices)
    updates = element_updates(updates, data, indices)
    refuse_forward_mode("scatter_elements", data, updates)
    return _torch.ops.strew.scatter_elements(data, indices, updates, axis, reduction)


def scatter_nd(data, indices, updates, reduction="none"):
    """Write or combine one slice for each index tuple: `strew.scatter_nd` with gradients.

    Parameters
    ----------
    data : Tensor
        Of rank 1 or more.
    indices : Tensor or sequence of integers
        Its last axis runs over the components of a tuple, which address the leading axes of `data`.
    updates : Tensor, sequence or scalar
        Of shape ``indices.shape[:-1] + data.shape[indices.shape[-1]:]`` and the type of `data`.
    reduction : {'none', 'add', 'mul', 'max', 'min'}

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
    indices = as_indices(indices)
    updates = slice_updates(updates, data, indices)
    refuse_forward_mode("scatter_nd", data, updates)
    return _torch.ops.strew.scatter_nd(data, indices, updates, reduction)


def tensor_scatter(past_cache, update, write_indices=None, axis=-2, mode="linear"):
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
    if write_indices is not None:
        write_indices = as_indices(write_indices)
    refuse_forward_mode("tensor_scatter", past_cache, update)
    return _torch.ops.strew.tensor_scatter(past_cache, update, write_indices, axis, mode)


def scatter_elements_(data, indices, updates, axis=0, reduction="none"):
    """`scatter_elements` into `data` itself, which is returned.

    Where a gradient is recorded, the old values are kept for it, and the result is copied into `data`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> histogram = torch.zeros(4)
    >>> strew.torch.scatter_elements_(histogram, [1, 3, 1], 1.0, reduction="add")
    tensor([0., 2., 0., 1.])
    """
    indices = as_indices(indices)
    updates = element_updates(updates, data, indices)
    if needs_copy(data, updates):
        return data.copy_(scatter_elements(data.clone(), indices, updates, axis, reduction))
    refuse_forward_mode("scatter_elements_", data, updates)
    _torch.ops.strew.scatter_elements_(data, indices, updates, axis, reduction)
    return data


def scatter_nd_(data, indices, updates, reduction="none"):
    """`scatter_nd` into `data` itself, which is returned.

    Where a gradient is recorded, the old values are kept for it, and the result is copied into `data`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.scatter_nd_(torch.zeros(3), [[1]], [5])
    tensor([0., 5., 0.])
    """
    indices = as_indices(indices)
    updates = slice_updates(updates, data, indices)
    if needs_copy(data, updates):
        return data.copy_(scatter_nd(data.clone(), indices, updates, reduction))
    refuse_forward_mode("scatter_nd_", data, updates)
    _torch.ops.strew.scatter_nd_(data, indices, updates, reduction)
    return data


def tensor_scatter_(past_cache, update, write_indices=None, axis=-2, mode="linear"):
    """`tensor_scatter` into `past_cache` itself, which is returned.

    Where a gradient is recorded, the result is made first and then copied into `past_cache`.

    Examples
    --------
    >>> import torch, strew.torch
    >>> strew.torch.tensor_scatter_(torch.zeros(1, 3, 1), torch.ones(1, 2, 1), [2], mode="circular").flatten()
    tensor([1., 0., 1.])
    """
    if write_indices is not None:
        write_indices = as_indices(write_indices)
    if needs_copy(past_cache, update):
        return past_cache.copy_(tensor_scatter(past_cache, update, write_indices, axis, mode))
    refuse_forward_mode("tensor_scatter_", past_cache, update)
    _torch.ops.strew.tensor_scatter_(past_cache, update, write_indices, axis, mode)
    return past_cache

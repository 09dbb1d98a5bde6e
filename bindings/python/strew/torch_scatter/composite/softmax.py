"""Softmax by index."""

import torch
from torch import Tensor

from ..scatter import scatter_max, scatter_sum
from ..utils import broadcast


def below_largest(src: Tensor, whole: Tensor, dim: int, dim_size: int | None) -> Tensor:
    """Elements minus the largest of their index, so that no power overflows."""
    return src - scatter_max(src, whole, dim, None, dim_size)[0].gather(dim, whole)


def scatter_softmax(src: Tensor, index: Tensor, dim: int = -1, dim_size: int | None = None) -> Tensor:
    """Softmax among the elements of one index: torch_scatter's `scatter_softmax`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    dim_size : int, optional

    Returns
    -------
    Tensor
        Of the shape of `src`.

    Raises
    ------
    IndexError
        With the first index that is outside.
    ValueError
        If `src` is not of floats.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_softmax
    >>> scatter_softmax(torch.tensor([2.0, 2.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([0.5000, 0.5000, 1.0000])
    """
    if not torch.is_floating_point(src):
        raise ValueError(f"scatter_softmax: src is {src.dtype}; it must be of floats")
    whole = broadcast(index, src, dim)
    powers = below_largest(src, whole, dim, dim_size).exp()
    return powers / scatter_sum(powers, whole, dim, None, dim_size).gather(dim, whole)


def scatter_log_softmax(
    src: Tensor, index: Tensor, dim: int = -1, eps: float = 1e-12, dim_size: int | None = None
) -> Tensor:
    """The logarithm of `scatter_softmax`: torch_scatter's `scatter_log_softmax`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    eps : float, default 1e-12
        Is added to sums before their logarithm.
    dim_size : int, optional

    Returns
    -------
    Tensor
        Of the shape of `src`.

    Raises
    ------
    IndexError
        With the first index that is outside.
    ValueError
        If `src` is not of floats.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_log_softmax
    >>> scatter_log_softmax(torch.tensor([2.0, 2.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([-0.6931, -0.6931,  0.0000])
    """
    if not torch.is_floating_point(src):
        raise ValueError(f"scatter_log_softmax: src is {src.dtype}; it must be of floats")
    whole = broadcast(index, src, dim)
    apart = below_largest(src, whole, dim, dim_size)
    total = scatter_sum(apart.exp(), whole, dim, None, dim_size)
    return apart - (total + eps).log().gather(dim, whole)

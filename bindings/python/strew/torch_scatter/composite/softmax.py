"""Softmax by index."""

import torch
from torch import Tensor

from .. import _named
from .._calls import arranged, check_powers, expanded, filled, scattered, size_of, summed, widened
from .._once import once


def largest_of(op: str, src: Tensor, index: Tensor, whole: Tensor, axis: int, size: int) -> Tensor:
    """Return the largest element for each index, without a gradient; -inf for an index with no element."""
    lowest = filled(op, src, index, axis, size, float("-inf"))
    return scattered(op, lowest, index, whole, src.detach(), axis, "max")


def _powers(
    op: str, src: Tensor, index: Tensor, whole: Tensor, axis: int, size: int, base: Tensor | None, eps: float,
    is_log: bool,
) -> tuple[Tensor, Tensor]:
    """Return the softmax or its logarithm. Subtracting the largest element of an index prevents overflow."""
    if not torch.jit.is_scripting():
        small = _named.softmax(op, src, index, axis, size, eps, is_log)
        if small is not None:
            return small, whole
    largest = largest_of(op, src, index, whole, axis, size).nan_to_num(float("nan"), float("inf"), 0.0)
    apart = src - largest.gather(axis, whole)
    powers = apart.exp()
    total = summed(op, powers, index, whole, axis, size, base)[0]
    if is_log:
        return apart - (total + eps).log().gather(axis, whole), whole
    return powers / total.gather(axis, whole), whole


def _of_powers(op, grad, src, result, whole, kept, axis, size, is_log):
    terms = grad if is_log else grad * result
    total = summed(op, terms, whole, whole, axis, size, None)[0].gather(axis, whole)
    return terms - (result.exp() if is_log else result) * total


def _softmax(op: str, src: Tensor, index: Tensor, dim: int, dim_size: int | None, eps: float, is_log: bool) -> Tensor:
    rows, axis = arranged(op, src, index, dim, None, dim_size)
    check_powers(op, src, eps)
    whole = expanded(op, rows.to(torch.int64), src.size(), src, index)  # torch's gather misreads an int32 view
    size = size_of(op, src, index, dim, dim_size)
    wide = widened(src)
    if torch.jit.is_scripting():
        result = _powers(op, wide, index, whole, axis, size, None, eps, is_log)[0]
    else:
        result = once(_powers, _of_powers, "result", op, wide, index, whole, axis, size, None, eps, is_log)
    return result.to(src.dtype)


def scatter_softmax(src: Tensor, index: Tensor, dim: int = -1, dim_size: int | None = None) -> Tensor:
    """Return the softmax over the elements of each index: torch_scatter's `scatter_softmax`.

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
        The softmax, in the shape of `src`.

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.
    ValueError
        If the elements of `src` are not floats.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_softmax
    >>> scatter_softmax(torch.tensor([2.0, 2.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([0.5000, 0.5000, 1.0000])
    """
    return _softmax("scatter_softmax", src, index, dim, dim_size, 0.0, False)


def scatter_log_softmax(
    src: Tensor, index: Tensor, dim: int = -1, eps: float = 1e-12, dim_size: int | None = None
) -> Tensor:
    """Return the logarithm of `scatter_softmax`: torch_scatter's `scatter_log_softmax`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    eps : float, default 1e-12
        Added to each sum before the logarithm.
    dim_size : int, optional

    Returns
    -------
    Tensor
        The logarithms, in the shape of `src`.

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.
    ValueError
        If the elements of `src` are not floats.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_log_softmax
    >>> scatter_log_softmax(torch.tensor([2.0, 2.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([-0.6931, -0.6931,  0.0000])
    """
    return _softmax("scatter_log_softmax", src, index, dim, dim_size, eps, True)

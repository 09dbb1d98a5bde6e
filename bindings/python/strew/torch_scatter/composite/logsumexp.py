"""The logarithm of sums of powers by index."""

import torch
from torch import Tensor

from .._calls import size_of
from ..scatter import scatter_max, scatter_sum
from ..utils import broadcast


def scatter_logsumexp(
    src: Tensor,
    index: Tensor,
    dim: int = -1,
    out: Tensor | None = None,
    dim_size: int | None = None,
    eps: float = 1e-12,
) -> Tensor:
    """The logarithm of the sum of powers by index: torch_scatter's `scatter_logsumexp`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    out : Tensor, optional
        Takes part in the sums, and has the result; where that is not finite it keeps its value.
    dim_size : int, optional
    eps : float, default 1e-12
        Is added to sums before their logarithm.

    Returns
    -------
    Tensor
        What no element reaches is 0.

    Raises
    ------
    IndexError
        With the first index that is outside.
    ValueError
        If `src` is not of floats.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_logsumexp
    >>> scatter_logsumexp(torch.tensor([2.0, 2.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([2.6931, 5.0000])
    """
    if not torch.is_floating_point(src):
        raise ValueError(f"scatter_logsumexp: src is {src.dtype}; it must be of floats")
    whole = broadcast(index, src, dim)
    size = size_of(index, out.size(dim) if out is not None else dim_size)
    shape = list(src.size())
    shape[dim] = size
    lowest = torch.full(shape, float("-inf"), dtype=src.dtype, device=src.device)
    largest = scatter_max(src, whole, dim, lowest, size)[0]
    apart = src - largest.gather(dim, whole)
    powers = apart.masked_fill(torch.isnan(apart), float("-inf")).exp()
    start = (out - largest).exp() if out is not None else None
    result = (scatter_sum(powers, whole, dim, start, size) + eps).log() + largest
    if out is None:
        return result.nan_to_num(neginf=0.0)
    return out.copy_(torch.where(result.isfinite(), result, out))

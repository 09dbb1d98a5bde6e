"""The logarithm of sums of powers by index."""

import torch
from torch import Tensor

from .._calls import arranged, check_powers, expanded, filled, scattered, size_of, widened, written
from .softmax import largest_of


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
        Takes part in the sums, and has the result. It keeps its value where no element is above -inf.
    dim_size : int, optional
    eps : float, default 1e-12
        Is added to sums before their logarithm.

    Returns
    -------
    Tensor
        What no element above -inf reaches is 0. A NaN stays one.

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
    rows, axis = arranged("scatter_logsumexp", src, index, dim, out, dim_size)
    check_powers("scatter_logsumexp", src, eps)
    whole = expanded("scatter_logsumexp", rows.to(torch.int64), src.size(), src, index)  # as in softmax
    size = out.size(axis) if out is not None else size_of("scatter_logsumexp", src, index, dim, dim_size)
    wide = widened(src)
    largest = largest_of("scatter_logsumexp", wide, index, whole, axis, size)
    empty = largest == float("-inf")
    if out is None:
        shift = largest.nan_to_num(0.0, 0.0, 0.0)
        start = filled("scatter_logsumexp", wide, index, axis, size, 0.0)
    else:
        wide_out = widened(out)
        shift = torch.maximum(largest, wide_out.detach()).nan_to_num(0.0, 0.0, 0.0)
        start = (wide_out - shift).exp()
    powers = (wide - shift.gather(axis, whole)).exp()
    result = (scattered("scatter_logsumexp", start, index, whole, powers, axis, "add") + eps).log() + shift
    result = result.masked_fill(empty, 0.0) if out is None else torch.where(empty, out, result)
    return written("scatter_logsumexp", out, result.to(src.dtype))

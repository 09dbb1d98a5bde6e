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
    """Return the logarithm of the sum of exponentials of each index: torch_scatter's `scatter_logsumexp`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    out : Tensor, optional
        Start values of the sums; receives the result. A position without an element above -inf keeps its value.
    dim_size : int, optional
    eps : float, default 1e-12
        Added to each sum before the logarithm.

    Returns
    -------
    Tensor
        A position without an element above -inf is 0, unless `out` has its value. A NaN stays a NaN.

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.
    ValueError
        If `src` has no float type.

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

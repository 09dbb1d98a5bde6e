"""The logarithm of sums of exponentials, by index."""

import torch
from torch import Tensor

from .._calls import arranged, check_powers, expanded, size_of, summed, widened, written
from .._once import once
from .softmax import largest_of


def _logarithms(
    op: str, src: Tensor, index: Tensor, whole: Tensor, axis: int, size: int, base: Tensor | None, eps: float,
) -> tuple[Tensor, Tensor]:
    largest = largest_of(op, src, index, whole, axis, size)
    empty = largest == float("-inf")
    if base is None:
        shift, start = largest.nan_to_num(0.0, 0.0, 0.0), base
    else:
        shift = torch.maximum(largest, base.detach()).nan_to_num(0.0, 0.0, 0.0)
        start = (base - shift).exp()
    powers = (src - shift.gather(axis, whole)).exp()
    result = (summed(op, powers, index, whole, axis, size, start)[0] + eps).log() + shift
    return result.masked_fill(empty, 0.0) if base is None else torch.where(empty, base, result), whole


def _of_logarithms(op, grad, src, result, whole, kept, axis, size, eps):
    return grad.gather(axis, whole) * (src - result.gather(axis, whole)).exp()


def scatter_logsumexp(
    src: Tensor,
    index: Tensor,
    dim: int = -1,
    out: Tensor | None = None,
    dim_size: int | None = None,
    eps: float = 1e-12,
) -> Tensor:
    """Return the logarithm of the sum of exponentials for each index: torch_scatter's `scatter_logsumexp`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    out : Tensor, optional
        The logarithms of the start values; the result is written here.
    dim_size : int, optional
    eps : float, default 1e-12
        Added to each sum before the logarithm.

    Returns
    -------
    Tensor
        A position without an element above -inf is 0, or keeps its value in `out`. A NaN stays a NaN.

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.
    ValueError
        If the elements of `src` are not floats.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_logsumexp
    >>> scatter_logsumexp(torch.tensor([2.0, 2.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([2.6931, 5.0000])
    """
    rows, axis = arranged("scatter_logsumexp", src, index, dim, out, dim_size)
    check_powers("scatter_logsumexp", src, eps)
    whole = expanded("scatter_logsumexp", rows.to(torch.int64), src.size(), src, index)  # int64 as in softmax
    size = out.size(axis) if out is not None else size_of("scatter_logsumexp", src, index, dim, dim_size)
    wide, base = widened(src), widened(out) if out is not None else None
    if torch.jit.is_scripting():
        result = _logarithms("scatter_logsumexp", wide, index, whole, axis, size, base, eps)[0]
    else:
        result = once(_logarithms, _of_logarithms, "src result", "scatter_logsumexp", wide, index, whole, axis, size, base, eps)
    return written("scatter_logsumexp", out, result.to(src.dtype))

"""The standard deviation by index."""

import torch
from torch import Tensor

from .._calls import arranged, check_flag, counted, expanded, size_of, summed, widened, written
from .._once import once


def _divisor(count: Tensor, unbiased: bool, like: Tensor) -> Tensor:
    return ((count - 1).clamp(min=1) if unbiased else count).to(like.dtype) + 1e-6


def _deviations(
    op: str, src: Tensor, index: Tensor, whole: Tensor, axis: int, size: int, base: Tensor | None, rows: Tensor,
    out: Tensor | None, unbiased: bool,
) -> tuple[Tensor, Tensor]:
    """Return the deviations and the counts; write `base` plus the sums of squares to `out`."""
    total = summed(op, src, index, whole, axis, size, None)[0]
    count = counted(op, src, index, rows, axis, size)
    apart = src - (total / count).gather(axis, whole)
    squares = summed(op, apart * apart, index, whole, axis, size, base)[0]
    written(op, out, squares)
    return (squares / _divisor(count, unbiased, squares)).sqrt(), count


def _of_deviations(op, grad, src, result, whole, count, axis, size, unbiased):
    total = summed(op, src, whole, whole, axis, size, None)[0]
    apart = src - (total / count).gather(axis, whole)
    return (grad / (result * _divisor(count, unbiased, grad))).gather(axis, whole) * apart


def scatter_std(
    src: Tensor,
    index: Tensor,
    dim: int = -1,
    out: Tensor | None = None,
    dim_size: int | None = None,
    unbiased: bool = True,
) -> Tensor:
    """Return the standard deviation of the elements for each index: torch_scatter's `scatter_std`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    out : Tensor, optional
        The sums of squared deviations are added to its values; the result is another tensor, as in the original.
    dim_size : int, optional
    unbiased : bool, default True
        Whether to divide by the number of elements minus 1.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_std
    >>> scatter_std(torch.tensor([1.0, 3.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([1.4142, 0.0000])
    """
    check_flag("scatter_std", "unbiased", unbiased)
    rows, axis = arranged("scatter_std", src, index, dim, out, dim_size)
    whole = expanded("scatter_std", rows.to(torch.int64), src.size(), src, index)  # int64 as in softmax
    size = out.size(axis) if out is not None else size_of("scatter_std", src, index, dim, dim_size)
    wide, base = widened(src), widened(out) if out is not None else None
    if torch.jit.is_scripting():
        result = _deviations("scatter_std", wide, index, whole, axis, size, base, rows, out, unbiased)[0]
    else:
        how = (wide, index, whole, axis, size, base, rows, out, unbiased)
        result = once(_deviations, _of_deviations, "src result", "scatter_std", *how)
    return result.to(src.dtype) if src.is_floating_point() else result

"""The standard deviation by index."""

import torch
from torch import Tensor

from .._calls import arranged, check_flag, counted, expanded, filled, scattered, size_of, widened, written


def scatter_std(
    src: Tensor,
    index: Tensor,
    dim: int = -1,
    out: Tensor | None = None,
    dim_size: int | None = None,
    unbiased: bool = True,
) -> Tensor:
    """Return the standard deviation of the elements of each index: torch_scatter's `scatter_std`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    out : Tensor, optional
        Receives the sums of squares in addition to its values; the result is another tensor, as in the original.
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
    whole = expanded("scatter_std", rows.to(torch.int64), src.size(), src, index)  # as in softmax
    size = out.size(axis) if out is not None else size_of("scatter_std", src, index, dim, dim_size)
    wide = widened(src)
    zeros = filled("scatter_std", wide, index, axis, size, 0.0)
    total = scattered("scatter_std", zeros, index, whole, wide, axis, "add")
    count = counted("scatter_std", src, index, rows, axis, size)
    apart = wide - (total / count).gather(axis, whole)
    start = widened(out) if out is not None else filled("scatter_std", apart, index, axis, size, 0.0)
    squares = scattered("scatter_std", start, index, whole, apart * apart, axis, "add")
    written("scatter_std", out, squares)
    if unbiased:
        count = (count - 1).clamp(min=1)
    result = (squares / (count.to(squares.dtype) + 1e-6)).sqrt()
    return result.to(src.dtype) if src.is_floating_point() else result

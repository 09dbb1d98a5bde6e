"""The standard deviation by index."""

import torch
from torch import Tensor

from ..scatter import scatter_sum
from ..utils import broadcast


def scatter_std(
    src: Tensor,
    index: Tensor,
    dim: int = -1,
    out: Tensor | None = None,
    dim_size: int | None = None,
    unbiased: bool = True,
) -> Tensor:
    """The standard deviation by index: torch_scatter's `scatter_std`.

    Parameters
    ----------
    src : Tensor of floats
    index : Tensor of integers
        As in `scatter`.
    dim : int, default -1
    out : Tensor, optional
        The sums of squares are added to it; the result is another tensor, as in the original.
    dim_size : int, optional
    unbiased : bool, default True
        Divide by one less than the number of elements.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        With the first index that is outside.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_std
    >>> scatter_std(torch.tensor([1.0, 3.0, 5.0]), torch.tensor([0, 0, 1]))
    tensor([1.4142, 0.0000])
    """
    axis = dim + src.dim() if dim < 0 else dim
    size = out.size(axis) if out is not None else dim_size
    ones = torch.ones(index.size(), dtype=src.dtype, device=src.device)
    count = scatter_sum(ones, index, min(axis, index.dim() - 1), None, size)
    whole = broadcast(index, src, axis)
    total = scatter_sum(src, whole, axis, None, size)
    count = broadcast(count, total, axis).clamp(min=1)
    apart = src - (total / count).gather(axis, whole)
    squares = scatter_sum(apart * apart, whole, axis, out, size)
    if unbiased:
        count = (count - 1).clamp(min=1)
    return (squares / (count + 1e-6)).sqrt()

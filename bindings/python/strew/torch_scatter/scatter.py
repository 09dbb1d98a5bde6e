"""Reductions by index."""

import torch
from torch import Tensor

from ._calls import check_reduce, mean, reduced, winners


def scatter_sum(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Return the sum of the elements for each index: `scatter` with ``reduce="sum"``.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_sum
    >>> scatter_sum(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2, 2]))
    tensor([1., 0., 5.])
    """
    return reduced("scatter_sum", src, index, dim, out, dim_size, "add")


def scatter_add(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Return the sum of the elements for each index: another name for `scatter_sum`.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_add
    >>> scatter_add(torch.tensor([1.0, 2.0]), torch.tensor([1, 1]), out=torch.tensor([5.0, 5.0]))
    tensor([5., 8.])
    """
    return reduced("scatter_add", src, index, dim, out, dim_size, "add")


def scatter_mul(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Return the product of the elements for each index, or 1 if there are none: `scatter` with ``reduce="mul"``.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_mul
    >>> scatter_mul(torch.tensor([2.0, 3.0, 4.0]), torch.tensor([0, 2, 2]))
    tensor([ 2.,  1., 12.])
    """
    return reduced("scatter_mul", src, index, dim, out, dim_size, "mul")


def scatter_mean(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Return the mean of the elements for each index: `scatter` with ``reduce="mean"``.

    Means of integers are rounded down. Values in `out` are added to the sum but not counted.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_mean
    >>> scatter_mean(torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0, 2, 2]))
    tensor([1., 0., 3.])
    """
    return mean("scatter_mean", src, index, dim, out, dim_size, "floor")


def scatter_min(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return the minimum for each index, and the first position that supplied it, or ``src.size(dim)`` if none did.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_min
    >>> scatter_min(torch.tensor([3.0, 7.0, 5.0]), torch.tensor([0, 2, 2]))
    (tensor([3., 0., 5.]), tensor([0, 3, 2]))
    """
    return winners("scatter_min", src, index, dim, out, dim_size, "min")


def scatter_max(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return the maximum for each index, and the first position that supplied it, or ``src.size(dim)`` if none did.

    The gradient goes to that position. With `out`, an element wins only if it is greater than the value in `out`.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_max
    >>> scatter_max(torch.tensor([3.0, 7.0, 5.0]), torch.tensor([0, 1, 1]), out=torch.tensor([4.0, 4.0]))
    (tensor([4., 7.]), tensor([3, 1]))
    """
    return winners("scatter_max", src, index, dim, out, dim_size, "max")


def scatter(
    src: Tensor,
    index: Tensor,
    dim: int = -1,
    out: Tensor | None = None,
    dim_size: int | None = None,
    reduce: str = "sum",
) -> Tensor:
    """Return elements reduced by index along an axis: torch_scatter's `scatter`.

    Parameters
    ----------
    src : Tensor
    index : Tensor of integers
        The position along `dim` to which each element goes. The index is broadcast to `src`: with rank 1, it runs along
        `dim`; with a higher rank, axes are appended on the right.
    dim : int, default -1
    out : Tensor, optional
        The start values of the reduction; the result is written here.
    dim_size : int, optional
        The result's size along `dim`, by default the largest index plus 1.
    reduce : {"sum", "add", "mul", "mean", "min", "max"}

    Returns
    -------
    Tensor
        Like `src`, except along `dim`. If `out` is None, a position without elements is 0, or 1 for "mul".

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one, and nothing is written.
    TypeError, ValueError
        If a type, a shape or `reduce` is not legal.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter
    >>> scatter(torch.ones(3, 2), torch.tensor([0, 2, 2]), dim=0, reduce="mean")
    tensor([[1., 1.],
            [0., 0.],
            [1., 1.]])
    """
    check_reduce("scatter", reduce, ["sum", "add", "mul", "mean", "min", "max"])
    if reduce in ["sum", "add", "mul"]:
        return reduced("scatter", src, index, dim, out, dim_size, "mul" if reduce == "mul" else "add")
    if reduce == "mean":
        return mean("scatter", src, index, dim, out, dim_size, "floor")
    return winners("scatter", src, index, dim, out, dim_size, reduce)[0]

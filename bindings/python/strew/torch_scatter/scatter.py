"""Reductions by index."""

import torch
from torch import Tensor

from ._calls import filled, scattered, size_of, winners, written
from .utils import broadcast


def _axis(src: Tensor, dim: int) -> int:
    return dim + src.dim() if dim < 0 else dim


def scatter_sum(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Add up elements by index: `scatter` with ``reduce="sum"``.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_sum
    >>> scatter_sum(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2, 2]))
    tensor([1., 0., 5.])
    """
    return _sum("scatter_sum", src, index, dim, out, dim_size)


def scatter_add(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Add up elements by index: another name of `scatter_sum`.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_add
    >>> scatter_add(torch.tensor([1.0, 2.0]), torch.tensor([1, 1]), out=torch.tensor([5.0, 5.0]))
    tensor([5., 8.])
    """
    return _sum("scatter_add", src, index, dim, out, dim_size)


def _sum(op: str, src: Tensor, index: Tensor, dim: int, out: Tensor | None, dim_size: int | None) -> Tensor:
    start = filled(src, dim, size_of(index, dim_size), 0) if out is None else out
    return written(out, scattered(op, start, broadcast(index, src, dim), src, _axis(src, dim), "add"))


def scatter_mul(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Multiply elements by index: `scatter` with ``reduce="mul"``. What no element reaches is 1.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_mul
    >>> scatter_mul(torch.tensor([2.0, 3.0, 4.0]), torch.tensor([0, 2, 2]))
    tensor([ 2.,  1., 12.])
    """
    start = filled(src, dim, size_of(index, dim_size), 1) if out is None else out.detach()
    return written(out, scattered("scatter_mul", start, broadcast(index, src, dim), src, _axis(src, dim), "mul"))


def scatter_mean(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Average elements by index: `scatter` with ``reduce="mean"``. Means of integers are rounded down.

    With `out` its values are added to the sum, and not counted.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_mean
    >>> scatter_mean(torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0, 2, 2]))
    tensor([1., 0., 3.])
    """
    total = _sum("scatter_mean", src, index, dim, out, dim_size)
    axis = _axis(src, dim)
    ones = torch.ones(index.size(), dtype=src.dtype, device=src.device)
    count = _sum("scatter_mean", ones, index, min(axis, index.dim() - 1), None, total.size(axis))
    count = broadcast(count.clamp(min=1), total, axis)
    mean = total / count if total.is_floating_point() else total.div(count, rounding_mode="floor")
    return written(out, mean)


def scatter_min(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """The minimum by index, and the first position that gave it: ``src.size(dim)`` where none did.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_min
    >>> scatter_min(torch.tensor([3.0, 7.0, 5.0]), torch.tensor([0, 2, 2]))
    (tensor([3., 0., 5.]), tensor([0, 3, 2]))
    """
    return _extreme("scatter_min", src, index, dim, out, dim_size, "min")


def scatter_max(
    src: Tensor, index: Tensor, dim: int = -1, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """The maximum by index, and the first position that gave it: ``src.size(dim)`` where none did.

    The gradient goes to that element. With `out` an element wins only if it is greater than what is there.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import scatter_max
    >>> scatter_max(torch.tensor([3.0, 7.0, 5.0]), torch.tensor([0, 1, 1]), out=torch.tensor([4.0, 4.0]))
    (tensor([4., 7.]), tensor([3, 1]))
    """
    return _extreme("scatter_max", src, index, dim, out, dim_size, "max")


def _extreme(
    op: str, src: Tensor, index: Tensor, dim: int, out: Tensor | None, dim_size: int | None, reduction: str
) -> tuple[Tensor, Tensor]:
    size = out.size(dim) if out is not None else size_of(index, dim_size)
    result, first = winners(op, src, broadcast(index, src, dim), _axis(src, dim), size, out, reduction)
    return written(out, result), first


def scatter(
    src: Tensor,
    index: Tensor,
    dim: int = -1,
    out: Tensor | None = None,
    dim_size: int | None = None,
    reduce: str = "sum",
) -> Tensor:
    """Reduce elements by index along an axis: torch_scatter's `scatter`.

    Parameters
    ----------
    src : Tensor
    index : Tensor of integers
        Where each element goes along `dim`. It is broadcast: of rank 1 it runs along `dim`, and axes that it lacks
        are appended.
    dim : int, default -1
    out : Tensor, optional
        What the reduction starts from, and where the result is written.
    dim_size : int, optional
        The result's size along `dim`; the largest index and 1 if left out.
    reduce : {"sum", "add", "mul", "mean", "min", "max"}

    Returns
    -------
    Tensor
        Of the shape of `src` but along `dim`. What no element reaches is 0, and 1 for "mul".

    Raises
    ------
    IndexError
        With the first index that is outside; nothing is written then.
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
    if reduce == "sum" or reduce == "add":  # noqa: PLR1714 (TorchScript)
        return scatter_sum(src, index, dim, out, dim_size)
    if reduce == "mul":
        return scatter_mul(src, index, dim, out, dim_size)
    if reduce == "mean":
        return scatter_mean(src, index, dim, out, dim_size)
    if reduce == "min":
        return scatter_min(src, index, dim, out, dim_size)[0]
    if reduce == "max":
        return scatter_max(src, index, dim, out, dim_size)[0]
    raise ValueError(f"scatter: reduce is '{reduce}'; it must be 'sum', 'add', 'mul', 'mean', 'min' or 'max'")

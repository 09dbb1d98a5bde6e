"""Reductions by an index whose values rise."""

import torch
from torch import Tensor

from ._calls import filled, gathered, overwritten, scattered, size_of, winners, written
from .utils import broadcast


def _shaped(src: Tensor, index: Tensor) -> Tensor:
    """The index for each element: its own axes are the first of `src`."""
    return broadcast(index.expand(src.size()[: index.dim()]), src, index.dim() - 1)


def segment_sum_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Add up segments: `segment_coo` with ``reduce="sum"``.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_sum_coo
    >>> segment_sum_coo(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 0, 2]))
    tensor([3., 0., 3.])
    """
    return _sum("segment_sum_coo", src, index, out, dim_size)


def segment_add_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Add up segments: another name of `segment_sum_coo`.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_add_coo
    >>> segment_add_coo(torch.tensor([1.0, 2.0]), torch.tensor([1, 1]), out=torch.tensor([5.0, 5.0]))
    tensor([5., 8.])
    """
    return _sum("segment_add_coo", src, index, out, dim_size)


def _sum(op: str, src: Tensor, index: Tensor, out: Tensor | None, dim_size: int | None) -> Tensor:
    axis = index.dim() - 1
    start = filled(src, axis, size_of(index, dim_size), 0) if out is None else out.detach()
    half = src.dtype == torch.float16 or src.dtype == torch.bfloat16  # noqa: PLR1714 (TorchScript)
    how = "float32" if half else "data"
    return written(out, scattered(op, start, _shaped(src, index), src, axis, "add", True, how))


def segment_mean_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None
) -> Tensor:
    """Average segments: `segment_coo` with ``reduce="mean"``. Means of integers are rounded towards 0.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_mean_coo
    >>> segment_mean_coo(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 0, 2]))
    tensor([1.5000, 0.0000, 3.0000])
    """
    total = _sum("segment_mean_coo", src, index, out, dim_size)
    axis = index.dim() - 1
    ones = torch.ones(index.size(), dtype=torch.int64, device=src.device)
    count = _sum("segment_mean_coo", ones, index, None, total.size(axis)).clamp(min=1)
    count = broadcast(count, total, axis)
    mean = total / count if total.is_floating_point() else total.div(count, rounding_mode="trunc")
    return written(out, mean.to(total.dtype))


def segment_min_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """The minimum of each segment and its first position: that of the end where the segment is empty.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_min_coo
    >>> segment_min_coo(torch.tensor([3.0, 2.0, 5.0]), torch.tensor([0, 0, 2]))
    (tensor([2., 0., 5.]), tensor([1, 3, 2]))
    """
    return _extreme("segment_min_coo", src, index, out, dim_size, "min")


def segment_max_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """The maximum of each segment and its first position: that of the end where the segment is empty.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_max_coo
    >>> segment_max_coo(torch.tensor([3.0, 2.0, 5.0]), torch.tensor([0, 0, 2]))
    (tensor([3., 0., 5.]), tensor([0, 3, 2]))
    """
    return _extreme("segment_max_coo", src, index, out, dim_size, "max")


def _extreme(
    op: str, src: Tensor, index: Tensor, out: Tensor | None, dim_size: int | None, reduction: str
) -> tuple[Tensor, Tensor]:
    axis = index.dim() - 1
    size = out.size(axis) if out is not None else size_of(index, dim_size)
    result, first = winners(op, src, _shaped(src, index), axis, size, out, reduction)
    return written(out, result), first


def segment_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None, reduce: str = "sum"
) -> Tensor:
    """Reduce segments of the last axis of `index`: torch_scatter's `segment_coo`.

    Halves are added in float32. An index that does not rise is taken as well.

    Parameters
    ----------
    src : Tensor
    index : Tensor of integers
        The segment of each element; its axes are the first of `src`, to whose sizes it is broadcast.
    out : Tensor, optional
        What the reduction starts from, and where the result is written.
    dim_size : int, optional
        The number of segments; the largest index and 1 if left out.
    reduce : {"sum", "add", "mean", "min", "max"}

    Returns
    -------
    Tensor
        Of the shape of `src` but along that axis. An empty segment is 0.

    Raises
    ------
    IndexError
        With the first index that is outside; nothing is written then.
    TypeError, ValueError
        If a type, a shape or `reduce` is not legal.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_coo
    >>> segment_coo(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[0, 0, 2]]))
    tensor([[3., 0., 3.]])
    """
    if reduce == "sum" or reduce == "add":  # noqa: PLR1714 (TorchScript)
        return segment_sum_coo(src, index, out, dim_size)
    if reduce == "mean":
        return segment_mean_coo(src, index, out, dim_size)
    if reduce == "min":
        return segment_min_coo(src, index, out, dim_size)[0]
    if reduce == "max":
        return segment_max_coo(src, index, out, dim_size)[0]
    raise ValueError(f"segment_coo: reduce is '{reduce}'; it must be 'sum', 'add', 'mean', 'min' or 'max'")


def gather_coo(src: Tensor, index: Tensor, out: Tensor | None = None) -> Tensor:
    """Take the value of each position's segment, along the last axis of `index`: torch_scatter's `gather_coo`.

    Parameters
    ----------
    src : Tensor
        A value for each segment.
    index : Tensor of integers
        The segment of each position; of any order.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        With the first index that is outside; nothing is written then.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import gather_coo
    >>> gather_coo(torch.tensor([5.0, 6.0, 7.0]), torch.tensor([0, 0, 2]))
    tensor([5., 5., 7.])
    """
    axis = index.dim() - 1
    shape = list(src.size())
    shape[axis] = index.size(axis)
    for _ in range(src.dim() - index.dim()):
        index = index.unsqueeze(-1)
    return overwritten("gather_coo", out, gathered("gather_coo", src, index.expand(shape), axis))

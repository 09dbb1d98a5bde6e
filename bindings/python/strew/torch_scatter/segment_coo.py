"""Reductions by an index, which must be sorted in torch_scatter, but not here."""

from torch import Tensor

from ._calls import arranged, check_reduce, expanded, gathered, mean, overwritten, reduced, winners


def segment_sum_coo(src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None) -> Tensor:
    """Return the sum of each segment: `segment_coo` with ``reduce="sum"``.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_sum_coo
    >>> segment_sum_coo(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 0, 2]))
    tensor([3., 0., 3.])
    """
    return reduced("segment_sum_coo", src, index, None, out, dim_size, "add")


def segment_add_coo(src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None) -> Tensor:
    """Return the sum of each segment: another name for `segment_sum_coo`.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_add_coo
    >>> segment_add_coo(torch.tensor([1.0, 2.0]), torch.tensor([1, 1]), out=torch.tensor([5.0, 5.0]))
    tensor([5., 8.])
    """
    return reduced("segment_add_coo", src, index, None, out, dim_size, "add")


def segment_mean_coo(src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None) -> Tensor:
    """Return the mean of each segment: `segment_coo` with ``reduce="mean"``. Means of integers are rounded towards 0.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_mean_coo
    >>> segment_mean_coo(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 0, 2]))
    tensor([1.5000, 0.0000, 3.0000])
    """
    return mean("segment_mean_coo", src, index, None, out, dim_size, "trunc")


def segment_min_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return each segment's minimum and the first position of that value (the axis size if the segment is empty).

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_min_coo
    >>> segment_min_coo(torch.tensor([3.0, 2.0, 5.0]), torch.tensor([0, 0, 2]))
    (tensor([2., 0., 5.]), tensor([1, 3, 2]))
    """
    return winners("segment_min_coo", src, index, None, out, dim_size, "min")


def segment_max_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return each segment's maximum and the first position of that value (the axis size if the segment is empty).

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_max_coo
    >>> segment_max_coo(torch.tensor([3.0, 2.0, 5.0]), torch.tensor([0, 0, 2]))
    (tensor([3., 0., 5.]), tensor([0, 3, 2]))
    """
    return winners("segment_max_coo", src, index, None, out, dim_size, "max")


def segment_coo(
    src: Tensor, index: Tensor, out: Tensor | None = None, dim_size: int | None = None, reduce: str = "sum"
) -> Tensor:
    """Return each segment's reduction, along the last axis of `index`: torch_scatter's `segment_coo`.

    Parameters
    ----------
    src : Tensor
    index : Tensor of integers
        The segment of each element, in any order. The axes of `index` are the first axes of `src`, or are broadcast
        to them.
    out : Tensor, optional
        The start values of the reduction; the result is written here.
    dim_size : int, optional
        The number of segments, by default the largest index plus 1.
    reduce : {"sum", "add", "mean", "min", "max"}

    Returns
    -------
    Tensor
        Like `src`, except along the last axis of `index`. If `out` is None, the result of an empty segment is 0.

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one, and nothing is written.
    TypeError, ValueError
        If a type, a shape or `reduce` is not legal.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_coo
    >>> segment_coo(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[0, 0, 2]]))
    tensor([[3., 0., 3.]])
    """
    check_reduce("segment_coo", reduce, ["sum", "add", "mean", "min", "max"])
    if reduce in ["sum", "add"]:
        return reduced("segment_coo", src, index, None, out, dim_size, "add")
    if reduce == "mean":
        return mean("segment_coo", src, index, None, out, dim_size, "trunc")
    return winners("segment_coo", src, index, None, out, dim_size, reduce)[0]


def gather_coo(src: Tensor, index: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the value of each position's segment, along the last axis of `index`: torch_scatter's `gather_coo`.

    Parameters
    ----------
    src : Tensor
        A value for each segment.
    index : Tensor of integers
        The segment of each position, in any order.
    out : Tensor, optional
        The result is written here.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one, and nothing is written.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import gather_coo
    >>> gather_coo(torch.tensor([5.0, 6.0, 7.0]), torch.tensor([0, 0, 2]))
    tensor([5., 5., 7.])
    """
    rows, axis = arranged("gather_coo", src, index, None, None, None)
    shape = list(src.size())
    shape[axis] = index.size(axis)
    result = gathered("gather_coo", src, index, expanded("gather_coo", rows, shape, src, index), axis)
    return overwritten("gather_coo", out, result)

"""Reductions of the segments between consecutive pointers."""

import torch
from torch import Tensor

from . import _named
from ._calls import check_reduce, overwritten


def segment_sum_csr(src: Tensor, indptr: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the sum of each segment: `segment_csr` with ``reduce="sum"``.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_sum_csr
    >>> segment_sum_csr(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2, 2, 3]))
    tensor([3., 0., 3.])
    """
    return _fold("segment_sum_csr", src, indptr, out, "add")


def segment_add_csr(src: Tensor, indptr: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the sum of each segment: another name for `segment_sum_csr`.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_add_csr
    >>> segment_add_csr(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2, 3]))
    tensor([3., 3.])
    """
    return _fold("segment_add_csr", src, indptr, out, "add")


def segment_mean_csr(src: Tensor, indptr: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the mean of each segment: `segment_csr` with ``reduce="mean"``. Means of integers are rounded towards 0.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_mean_csr
    >>> segment_mean_csr(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2, 2, 3]))
    tensor([1.5000, 0.0000, 3.0000])
    """
    return _fold("segment_mean_csr", src, indptr, out, "mean")


def _fold(op: str, src: Tensor, indptr: Tensor, out: Tensor | None, reduction: str) -> Tensor:
    if torch.jit.is_scripting():
        result = torch.ops.strew.segment_csr(src, indptr, reduction)
    else:
        result = _named.reduced_segments(op, src, indptr, out, reduction)
    return overwritten(op, out, result)


def segment_min_csr(src: Tensor, indptr: Tensor, out: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return each segment's minimum and the first position of that value (the axis size if the segment is empty).

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_min_csr
    >>> segment_min_csr(torch.tensor([3.0, 2.0, 5.0]), torch.tensor([0, 2, 2, 3]))
    (tensor([2., 0., 5.]), tensor([1, 3, 2]))
    """
    return _extreme("segment_min_csr", src, indptr, out, "min")


def segment_max_csr(src: Tensor, indptr: Tensor, out: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return each segment's maximum and the first position of that value (the axis size if the segment is empty).

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_max_csr
    >>> segment_max_csr(torch.tensor([3.0, 2.0, 5.0]), torch.tensor([0, 2, 2, 3]))
    (tensor([3., 0., 5.]), tensor([0, 3, 2]))
    """
    return _extreme("segment_max_csr", src, indptr, out, "max")


def _extreme(op: str, src: Tensor, indptr: Tensor, out: Tensor | None, reduction: str) -> tuple[Tensor, Tensor]:
    if torch.jit.is_scripting():
        result, first = torch.ops.strew.segment_csr_winners(src, indptr, reduction)
    else:
        indptr = _named.check_operands(op, src, "indptr", indptr, out)
        result, first = _named.winners_of_segments(op, src, indptr, reduction)
    return overwritten(op, out, result), first


def segment_csr(src: Tensor, indptr: Tensor, out: Tensor | None = None, reduce: str = "sum") -> Tensor:
    """Return each segment's reduction, along the last axis of `indptr`: torch_scatter's `segment_csr`.

    Parameters
    ----------
    src : Tensor
    indptr : Tensor of integers
        Segment ``i`` is ``range(indptr[i], indptr[i + 1])``. The axes of `indptr` are the first axes of `src`;
        all but the last are broadcast to the sizes of `src`.
    out : Tensor, optional
        The result is written here; every element is overwritten.
    reduce : {"sum", "add", "mean", "min", "max"}

    Returns
    -------
    Tensor
        Like `src`, but with one element per segment along the last axis of `indptr`. An empty segment's result is 0.

    Raises
    ------
    IndexError
        If a pointer is outside the axis.
    TypeError, ValueError
        If pointers decrease, or a type, a shape or `reduce` is not legal.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import segment_csr
    >>> segment_csr(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[0, 2, 3]]), reduce="max")
    tensor([[2., 3.]])
    """
    check_reduce("segment_csr", reduce, ["sum", "add", "mean", "min", "max"])
    reduction = "add" if reduce == "sum" else reduce
    if torch.jit.is_scripting() and reduction in ["max", "min"]:
        return _extreme("segment_csr", src, indptr, out, reduce)[0]
    return _fold("segment_csr", src, indptr, out, reduction)


def gather_csr(src: Tensor, indptr: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the value of each position's segment: torch_scatter's `gather_csr`.

    Parameters
    ----------
    src : Tensor
        A value for each segment.
    indptr : Tensor of integers
        As in `segment_csr`.
    out : Tensor, optional
        The result is written here; positions outside all segments become 0.

    Returns
    -------
    Tensor

    Raises
    ------
    IndexError
        If a pointer is outside `out`, or negative.
    TypeError, ValueError
        If pointers decrease, or their number is not the number of segments of `src` plus 1, or a type or a shape is
        not legal.

    Examples
    --------
    >>> import torch
    >>> from strew.torch_scatter import gather_csr
    >>> gather_csr(torch.tensor([5.0, 6.0, 7.0]), torch.tensor([0, 2, 2, 3]))
    tensor([5., 5., 7.])
    """
    if not torch.jit.is_scripting():
        indptr = _named.check_operands("gather_csr", src, "indptr", indptr, out)
    size = 0
    if out is not None:
        if 0 < indptr.dim() <= out.dim():
            size = out.size(indptr.dim() - 1)
    elif indptr.numel() > 0:
        if not torch.jit.is_scripting():
            _named.check_values("gather_csr", "indptr", indptr, "out")
        size = int(indptr.flatten()[-1])
    if torch.jit.is_scripting():
        result = torch.ops.strew.gather_csr(src, indptr, size)
    else:
        result = _named.spread_out("gather_csr", src, indptr, size)
    return overwritten("gather_csr", out, result)

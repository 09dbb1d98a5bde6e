"""Embeddings and segments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .. import _arguments as _given, _transforms as _ops
from ._operands import reduction_of

if TYPE_CHECKING:
    from typing import Literal


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Take rows of a table: `torch.nn.functional.embedding`, by `gather`.

    Parameters
    ----------
    input : Tensor
        Row numbers, not negative.
    weight : Tensor
        The table.
    padding_idx : int, optional
        A row that gets no gradient.
    max_norm, norm_type : float
        Rows that are taken are first made no longer than this, in place.
    scale_grad_by_freq : bool, default False
        The gradient of a row is divided by how often it is taken.
    sparse : bool, default False
        Handed to PyTorch, whose gradient is a sparse tensor then.

    Returns
    -------
    Tensor
        Of shape ``input.shape + weight.shape[1:]``.

    Raises
    ------
    IndexError
        If a row number is outside.
    TypeError, ValueError
        If a type or a shape is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.embedding(torch.tensor([2, 0]), torch.tensor([[1, 2], [3, 4], [5, 6]]))
    tensor([[5, 6],
            [1, 2]])
    """
    _given.check_tensors("embedding", input=input, weight=weight)
    if sparse:
        named = {"max_norm": max_norm, "norm_type": norm_type, "scale_grad_by_freq": scale_grad_by_freq}
        return torch.nn.functional.embedding(input, weight, padding_idx, sparse=True, **named)  # type: ignore[arg-type]
    rows = input
    if max_norm is not None:
        with torch.no_grad():
            _ops.gather(weight, rows, 0, "outside")  # refuses before anything is written
            torch.embedding_renorm_(weight, rows.contiguous(), max_norm, norm_type)
    result = _ops.gather(weight, rows, 0, "outside")
    if not result.requires_grad:
        return result
    share = torch.ones(rows.shape, dtype=result.dtype, device=rows.device)
    if scale_grad_by_freq:
        share = share / torch.bincount(rows.reshape(-1), minlength=weight.shape[0])[rows]
    if padding_idx is not None:
        share = share.masked_fill(rows == padding_idx % weight.shape[0], 0)
    if scale_grad_by_freq or padding_idx is not None:
        result.register_hook(lambda grad: grad * share.unsqueeze(-1))
    return result


def segment_reduce(
    data: Tensor,
    reduce: Literal["sum", "mean", "max", "min", "prod"],
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Reduce segments of an axis: `torch.segment_reduce`, by `scatter_elements`.

    Parameters
    ----------
    data : Tensor
    reduce : {'sum', 'mean', 'max', 'min', 'prod'}
    lengths : Tensor, optional
        Of shape ``data.shape[:axis] + [segments]``; they add up to ``data.shape[axis]``.
    indices : Tensor, optional
        Not there in PyTorch either.
    offsets : Tensor, optional
        Instead of `lengths`: where segments begin, and where the last one ends.
    axis : int, default 0
    unsafe : bool, default False
        Lengths are checked all the same.
    initial : number, optional
        What each segment begins with; by default that of an empty one, 0, 1, NaN (mean) or an infinity.

    Returns
    -------
    Tensor
        Of shape ``data.shape[:axis] + [segments] + data.shape[axis + 1:]``.

    Raises
    ------
    TypeError, ValueError
        If a type, a shape or `reduce` is not legal, or lengths do not add up.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.segment_reduce(torch.tensor([1.0, 2.0, 5.0]), "max", lengths=torch.tensor([2, 0, 1]), initial=0)
    tensor([2., 0., 5.])
    """
    reduction = reduction_of("segment_reduce", reduce, ("sum", "mean", "max", "min", "prod"))
    _given.check_tensors("segment_reduce", data=data)
    axis = axis % data.dim()
    if indices is not None:
        raise NotImplementedError("segment_reduce: indices are not there; give lengths or offsets")
    if lengths is None and offsets is not None:
        lengths = offsets.diff(dim=-1)
    elif lengths is None or offsets is not None:
        raise ValueError("segment_reduce: give either lengths or offsets")
    if lengths.shape[:-1] != data.shape[:axis]:
        shapes = f"{list(lengths.shape)}; they must have [..., segments] for the axes {list(data.shape[:axis])}"
        raise ValueError(f"segment_reduce: lengths have shape {shapes} before axis {axis}")
    count, ends = lengths.shape[-1], lengths.to(torch.int64).cumsum(-1)
    if bool((lengths < 0).any()) or (count > 0 and bool((ends[..., -1] != data.shape[axis]).any())):
        raise ValueError(f"segment_reduce: lengths do not add up to the {data.shape[axis]} of axis {axis} of data")
    empty = {"add": 0, "mean": math.nan, "mul": 1, "max": -math.inf, "min": math.inf}[reduction]
    begin = {"mean": 0}.get(reduction, empty) if initial is None else initial
    place = torch.arange(data.shape[axis], device=data.device).expand(*data.shape[: axis + 1]).contiguous()
    segment = torch.searchsorted(ends.contiguous(), place, right=True)
    segment = segment.view(*segment.shape, *[1] * (data.dim() - axis - 1)).expand(data.shape)
    base = data.new_full((), begin).expand(*data.shape[:axis], count, *data.shape[axis + 1 :])
    if reduction != "mean":
        return _ops.scatter_elements(base, segment, data, axis, reduction)
    total = _ops.scatter_elements(base, segment, data, axis, "add")
    number = lengths.view(*lengths.shape, *[1] * (data.dim() - axis - 1))
    nothing = empty if initial is None else initial
    return torch.where(number > 0, total / number.clamp(min=1), nothing)

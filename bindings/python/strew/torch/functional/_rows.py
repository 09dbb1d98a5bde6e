"""Embeddings and segments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..._errors import refusal
from .. import _arguments as _given, _transforms as _ops
from ._operands import reduction_of
from ._refusals import axis_of, check_integers, in_words_of, outside, shaped

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
    check_integers("embedding", "input", input)
    if weight.dim() != 2:
        raise refusal(
            ValueError,
            "invalid argument",
            f"weight has {shaped(weight)}; it must be of rank 2",
            operator="embedding",
            operand="weight",
        )
    if padding_idx is not None:
        padding_idx = _row_of("padding_idx", padding_idx, weight)
    if max_norm is not None:
        with torch.no_grad():
            _taken(weight, input)  # refuses before anything is written
            torch.embedding_renorm_(weight, input.to(torch.int64).contiguous(), max_norm, norm_type)
    result = _taken(weight, input)
    if not result.requires_grad:
        return result
    rows = input.to(torch.int64)
    share = torch.ones(rows.shape, dtype=result.dtype, device=rows.device)
    if scale_grad_by_freq:
        share = share / torch.bincount(rows.reshape(-1), minlength=weight.shape[0])[rows]
    if padding_idx is not None:
        share = share.masked_fill(rows == padding_idx, 0)
    if scale_grad_by_freq or padding_idx is not None:
        result.register_hook(lambda grad: grad * share.unsqueeze(-1))
    return result


def _taken(weight: Tensor, rows: Tensor) -> Tensor:
    return in_words_of(
        "embedding",
        lambda: _ops.gather(weight, rows, 0, "out_of_bounds"),
        {"data": "weight", "indices": "input"},
        lambda: outside("embedding", "input", rows, 0, weight, operand="weight"),
    )


def _row_of(name: str, given: int, weight: Tensor) -> int:
    row, count = _given.as_int("embedding", name, given), weight.shape[0]
    if not -count <= row < count:
        shape = list(weight.shape)
        raise refusal(
            ValueError,
            "invalid argument",
            f"{name} {row} is outside [{-count}, {count - 1}] for weight of shape {shape}",
            operator="embedding",
            operand=name,
            value=row,
        )
    return row % count


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
    axis = axis_of("segment_reduce", "axis", axis, "data", data)
    if data.dim() == 0:
        raise refusal(
            ValueError,
            "invalid argument",
            "data has shape [] of rank 0; it needs rank 1 or more",
            operator="segment_reduce",
            operand="data",
        )
    if indices is not None:
        raise refusal(
            NotImplementedError,
            "unsupported",
            "indices are not there; give lengths or offsets",
            operator="segment_reduce",
            operand="indices",
        )
    name, bounds = ("offsets", offsets) if lengths is None else ("lengths", lengths)
    if bounds is None or (lengths is not None and offsets is not None):
        raise refusal(ValueError, "invalid argument", "give either lengths or offsets", operator="segment_reduce")
    _given.check_tensors("segment_reduce", **{name: bounds})
    check_integers("segment_reduce", name, bounds)
    if bounds.dim() == 0 or (name == "offsets" and bounds.shape[-1] == 0):
        shape = f"{list(bounds.shape)}; they must have one value for each segment{' and one more' * (lengths is None)}"
        raise refusal(
            ValueError, "invalid argument", f"{name} have shape {shape}", operator="segment_reduce", operand=name
        )
    if bounds.shape[:-1] != data.shape[:axis]:
        wanted = (
            f"[..., segments{' + 1' * (lengths is None)}] for the axes {list(data.shape[:axis])} before axis {axis}"
        )
        raise refusal(
            ValueError,
            "invalid argument",
            f"{name} have shape {list(bounds.shape)}; they must have {wanted}",
            operator="segment_reduce",
            operand=name,
        )
    begins_late = lengths is None and bool((bounds[..., 0] != 0).any())
    lengths = bounds.diff(dim=-1) if lengths is None else lengths
    count, ends = lengths.shape[-1], lengths.to(torch.int64).cumsum(-1)
    last = ends[..., -1] if count > 0 else ends.new_zeros(())
    if begins_late or bool((lengths < 0).any()) or bool((last != data.shape[axis]).any()):
        wrong = "offsets do not rise from 0 to" if name == "offsets" else "lengths do not add up to"
        raise refusal(
            ValueError,
            "invalid argument",
            f"{wrong} the {data.shape[axis]} of axis {axis} of data",
            operator="segment_reduce",
            operand=name,
        )
    empty = {"add": 0, "mean": math.nan, "mul": 1, "max": -math.inf, "min": math.inf}[reduction]
    begin = {"mean": 0}.get(reduction, empty) if initial is None else initial
    place = torch.arange(data.shape[axis], device=data.device).expand(*data.shape[: axis + 1]).contiguous()
    segment = torch.searchsorted(ends.contiguous(), place, right=True)
    segment = segment.view(*segment.shape, *[1] * (data.dim() - axis - 1)).expand(data.shape)
    base = data.new_full((), begin).expand(*data.shape[:axis], count, *data.shape[axis + 1 :])
    total = in_words_of(
        "segment_reduce",
        lambda: _ops.scatter_elements(base, segment, data, axis, "add" if reduction == "mean" else reduction),
        {"updates": "data"},
        lambda: None,
        reduce,
        data.dtype,
    )
    if reduction != "mean":
        return total
    number = lengths.view(*lengths.shape, *[1] * (data.dim() - axis - 1))
    nothing = empty if initial is None else initial
    return torch.where(number > 0, total / number.clamp(min=1), nothing)

"""What the functions share: PyTorch's rules for ranks and shapes; negative indices are outside in these functions."""

from __future__ import annotations

import torch
from torch import Tensor

from ..._errors import refusal
from .. import _arguments as _given, _transforms as _ops
from ._refusals import (
    are_integers,
    axis_of,
    check_integers,
    check_one_type,
    in_words_of,
    not_integers,
    outside,
    shaped,
    too_large,
)

_REDUCTIONS = {
    "sum": "add",
    "add": "add",
    "prod": "mul",
    "multiply": "mul",
    "mean": "mean",
    "amax": "max",
    "max": "max",
    "amin": "min",
    "min": "min",
}


def of_rank_1(tensor: Tensor) -> Tensor:
    return tensor.unsqueeze(0) if tensor.dim() == 0 else tensor


def reduction_of(op: str, name: str, names: tuple[str, ...]) -> str:
    if name not in names:
        raise refusal(
            ValueError,
            "invalid argument",
            f"reduce {name!r} is none of " + ", ".join(map(repr, names)),
            operator=op,
            operand="reduce",
            value=name,
        )
    return _REDUCTIONS[name]


def scattered(
    op: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduction: str,
    include_self: bool = True,
    *,
    reduce: str | None = None,
) -> Tensor:
    _given.check_tensors(op, input=input, index=index)
    dim = axis_of(op, "dim", dim, "input", input)
    data, places = of_rank_1(input), of_rank_1(index)
    check_one_type(op, "src", src, input)
    updates = of_rank_1(src)
    same_rank = data.dim() == places.dim() == updates.dim()
    if not (same_rank and _reaches(updates, places) and are_integers(places)):
        if places.numel() > 0:
            raise _misfit(op, input, index, src)
        # PyTorch takes any index without values for none, of any rank and type; the gradient still has its edges.
        places = places.new_zeros([0] * data.dim(), dtype=torch.int64)
        updates = updates.reshape(-1)[:0].view(places.shape)
    updates = updates[tuple(slice(n) for n in places.shape)]
    return in_words_of(
        op,
        lambda: _ops.scatter_elements(data, places, updates, dim, reduction, include_self, "data", "out_of_bounds"),
        {"data": "input", "indices": "index", "updates": "src"},
        lambda: too_large(op, places, dim, data) or outside(op, "index", index, dim, input),
        reduce,
        data.dtype,
    ).view(input.shape)


def _reaches(updates: Tensor, places: Tensor) -> bool:
    return all(n <= m for n, m in zip(places.shape, updates.shape, strict=True))


_FOR_SLICES = {"scatter": "index_copy", "scatter_add": "index_add", "scatter_reduce": "index_add or index_reduce"}


def _misfit(op: str, input: Tensor, index: Tensor, src: Tensor) -> Exception:
    """The refusal of an index whose rank or type, or whose size beside that of `src`, is not legal."""
    if not are_integers(index):
        return not_integers(op, "index", index)
    slices = f"; one index for each slice is for {_FOR_SLICES[op]}" if index.dim() < input.dim() else ""
    for name, other in (("input", input), ("src", src)):
        if max(index.dim(), 1) != max(other.dim(), 1):
            ranks = f"index has {shaped(index)} but {name} has {shaped(other)}; the ranks must be equal"
            return refusal(ValueError, "invalid argument", ranks + slices, operator=op, operand="index")
    shapes = f"index has shape {list(index.shape)} and src {list(src.shape)}"
    return refusal(
        ValueError,
        "invalid argument",
        f"{shapes}; no dimension of index may pass that of src",
        operator=op,
        operand="index",
    )


def by_slices(
    op: str,
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduction: str,
    include_self: bool = True,
    *,
    reduce: str | None = None,
) -> Tensor:
    _given.check_tensors(op, input=input, index=index, source=source)
    dim = axis_of(op, "dim", dim, "input", input)
    check_integers(op, "index", index)
    check_one_type(op, "source", source, input)
    data, rows, updates = of_rank_1(input), of_rank_1(index), of_rank_1(source)
    if rows.dim() != 1:
        raise refusal(
            ValueError,
            "invalid argument",
            f"index has {shaped(index)}; it must be of rank 1",
            operator=op,
            operand="index",
        )
    wanted = (*data.shape[:dim], rows.numel(), *data.shape[dim + 1 :])
    if tuple(updates.shape) != wanted:
        shapes = f"{list(source.shape)}; it must have {list(wanted)} for index of shape {list(index.shape)}"
        raise refusal(ValueError, "invalid argument", f"source has shape {shapes}", operator=op, operand="source")
    places = rows.view([-1 if axis == dim else 1 for axis in range(data.dim())]).expand(wanted)
    return in_words_of(
        op,
        lambda: _ops.scatter_elements(data, places, updates, dim, reduction, include_self, "data", "out_of_bounds"),
        {"data": "input", "indices": "index", "updates": "source"},
        lambda: outside(op, "index", index, dim, input),
        reduce,
        data.dtype,
    ).view(input.shape)

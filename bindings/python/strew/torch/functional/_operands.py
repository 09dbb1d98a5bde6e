"""What the functions share: PyTorch's rules for ranks and shapes; negative indices are outside in these functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .. import _arguments as _given, _transforms as _ops

if TYPE_CHECKING:
    from typing import Any

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
        raise ValueError(f"{op}: reduce {name!r} is none of " + ", ".join(map(repr, names)))
    return _REDUCTIONS[name]


def scattered(
    op: str, input: Tensor, dim: int, index: Tensor, src: Any, reduction: str, include_self: bool = True
) -> Tensor:
    _given.check_tensors(op, input=input, index=index)
    data, places = of_rank_1(input), of_rank_1(index)
    if places.numel() == 0:
        return input.clone()
    if isinstance(src, Tensor) and src.dim() == index.dim():
        updates = of_rank_1(src)
        if any(n > m for n, m in zip(places.shape, updates.shape, strict=True)):
            shapes = f"{list(index.shape)} and src {list(src.shape)}"
            raise ValueError(f"{op}: index has shape {shapes}; no dimension of index may pass that of src")
        updates = updates[tuple(slice(n) for n in places.shape)]
    else:
        updates = torch.as_tensor(src, dtype=data.dtype, device=data.device).expand(places.shape)
    operands = _given.scatter_elements_operands(op, data, places, updates, dim, reduction, include_self, "data")
    return _ops.scatter_elements(*operands, "outside").view(input.shape)


def by_slices(
    op: str, input: Tensor, dim: int, index: Tensor, source: Tensor, reduction: str, include_self: bool = True
) -> Tensor:
    _given.check_tensors(op, input=input, index=index, source=source)
    data, rows, updates = of_rank_1(input), of_rank_1(index), of_rank_1(source)
    _given.check_axis(op, data, dim)
    dim %= data.dim()
    wanted = (*data.shape[:dim], rows.numel(), *data.shape[dim + 1 :])
    if rows.dim() != 1 or tuple(updates.shape) != wanted:
        shapes = f"{list(source.shape)}; it must have {list(wanted)} for index of shape {list(index.shape)}"
        raise ValueError(f"{op}: source has shape {shapes}, which must be of rank 1")
    places = rows.view([-1 if axis == dim else 1 for axis in range(data.dim())]).expand(wanted)
    operands = _given.scatter_elements_operands(op, data, places, updates, dim, reduction, include_self, "data")
    return _ops.scatter_elements(*operands, "outside").view(input.shape)

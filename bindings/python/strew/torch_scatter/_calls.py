"""What all functions share. In TorchScript they call the operators alone; elsewhere what is refused has their names."""

import torch
from torch import Tensor

from . import _named


def arranged(
    op: str, src: Tensor, index: Tensor, dim: int | None, out: Tensor | None, dim_size: int | None
) -> tuple[Tensor, int]:
    """The index as a view with as many axes as `src`, and the axis: the index's last one where `dim` is None."""
    if torch.jit.is_scripting():
        axis = index.dim() - 1 if dim is None else dim + src.dim() if dim < 0 else dim
    else:
        index, axis = _named.arranged(op, src, index, dim, out, dim_size)
    rank = src.dim()
    if index.dim() == rank:
        return index, axis
    if index.dim() > 1:
        return index.view(list(index.size()) + [1] * (rank - index.dim())), axis
    shape = [1] * rank
    shape[axis] = index.numel()
    return index.view(shape), axis


def expanded(op: str, rows: Tensor, shape: list[int], src: Tensor, index: Tensor) -> Tensor:
    """What `arranged` made of an index, for each element of this shape."""
    if torch.jit.is_scripting():
        return rows.expand(shape)
    else:  # noqa: RET505 (TorchScript must not see it)
        return _named.expanded(op, rows, shape, src, index)


def size_of(op: str, src: Tensor, index: Tensor, dim: int | None, dim_size: int | None) -> int:
    """The result's size along the axis. Without `dim_size` nothing to reduce makes it 0."""
    if dim_size is not None:
        return dim_size
    if (index.numel() if dim is None else src.numel()) == 0:
        return 0
    if torch.jit.is_scripting():
        return int(index.max()) + 1
    else:  # noqa: RET505 (TorchScript must not see it)
        return _named.size_from(op, index)


def filled(op: str, src: Tensor, index: Tensor, axis: int, size: int, value: float) -> Tensor:
    """A tensor of one value, of the shape of `src` but along the axis."""
    if torch.jit.is_scripting():
        shape = list(src.size())
        shape[axis] = size
        return torch.full(shape, value, dtype=src.dtype, device=src.device)
    else:  # noqa: RET505
        return _named.filled(op, src, index, axis, size, value)


def check_powers(op: str, src: Tensor, eps: float) -> None:
    """Refuses what has no powers, and an `eps` that is no number."""
    if torch.jit.is_scripting():
        if not src.is_floating_point():
            raise ValueError(f"{op}: src is {src.dtype}; it must be of floats")
    else:
        _named.check_powers(op, src, eps)


def check_reduce(op: str, reduce: str, words: list[str]) -> None:
    if torch.jit.is_scripting():
        if reduce not in words:
            raise ValueError(f"{op}: reduce is '{reduce}'; it must be one of {words}")
    else:
        _named.check_reduce(op, reduce, words)


def check_flag(op: str, name: str, given: bool) -> None:
    if not torch.jit.is_scripting():
        _named.as_flag(op, name, given)


def is_half(src: Tensor) -> bool:
    return src.dtype == torch.float16 or src.dtype == torch.bfloat16  # noqa: PLR1714 (TorchScript)


def widened(src: Tensor) -> Tensor:
    """In the type in which several steps are computed: float32 for halves, int64 for integers."""
    if is_half(src):
        return src.to(torch.float32)
    if src.is_floating_point() or src.is_complex():
        return src
    return src.to(torch.int64)


def scattered(
    op: str, out: Tensor, index: Tensor, whole: Tensor, src: Tensor, dim: int, reduction: str
) -> Tensor:
    """A new tensor: `out` with `src` reduced into it. Halves are reduced in float32 and rounded once.

    `whole` is what `expanded` made of the caller's `index`.
    """
    acc_dtype = "float32" if is_half(src) else "data"
    if torch.jit.is_scripting():
        return torch.ops.strew.scatter_elements(out, whole, src, dim, reduction, True, acc_dtype, "out_of_bounds")
    else:  # noqa: RET505
        return _named.scattered(op, out, index, whole, src, dim, reduction, True, acc_dtype)


def counted(op: str, src: Tensor, index: Tensor, rows: Tensor, axis: int, size: int) -> Tensor:
    """How many elements each index has, but 1 for none; of the rank of `src`. `rows` is the arranged index."""
    shape = list(rows.size())
    shape[axis] = src.size(axis)
    ones = torch.ones(shape, dtype=torch.int64, device=src.device)
    if src.numel() == 0:
        return filled(op, ones, rows, axis, size, 1.0)
    start = filled(op, ones, rows, axis, size, 0.0)
    return scattered(op, start, index, rows.expand(shape), ones, axis, "add").clamp(min=1)


def gathered(op: str, src: Tensor, index: Tensor, whole: Tensor, dim: int) -> Tensor:
    if torch.jit.is_scripting():
        return torch.ops.strew.gather_elements(src, whole, dim, "out_of_bounds")
    else:  # noqa: RET505
        return _named.gathered(op, src, index, whole, dim)


def reduced(
    op: str, src: Tensor, index: Tensor, dim: int | None, out: Tensor | None, dim_size: int | None, reduction: str
) -> Tensor:
    """The sum or the product, from `out` or else from 0 or 1."""
    rows, axis = arranged(op, src, index, dim, out, dim_size)
    whole = expanded(op, rows, src.size(), src, index)
    if out is None:
        start = filled(op, src, index, axis, size_of(op, src, index, dim, dim_size), float(reduction == "mul"))
    elif reduction == "mul":
        start = out.detach().clone()  # the gradient reads it after `out` is written
    else:
        start = out if dim is not None else out.detach()
    return written(op, out, scattered(op, start, index, whole, src, axis, reduction))


def mean(
    op: str, src: Tensor, index: Tensor, dim: int | None, out: Tensor | None, dim_size: int | None, rounding: str
) -> Tensor:
    """The mean, of integers rounded so; what is in `out` is added to the sum, and not counted."""
    rows, axis = arranged(op, src, index, dim, out, dim_size)
    whole = expanded(op, rows, src.size(), src, index)
    wide = widened(src)
    if out is None:
        start = filled(op, wide, index, axis, size_of(op, src, index, dim, dim_size), 0.0)
    else:
        start = widened(out if dim is not None else out.detach())
    total = scattered(op, start, index, whole, wide, axis, "add")
    count = counted(op, src, index, rows, axis, total.size(axis))
    divides = total.is_floating_point() or total.is_complex()
    result = total / count if divides else total.div(count, rounding_mode=rounding)
    return written(op, out, result.to(src.dtype))


def winners(
    op: str,
    src: Tensor,
    index: Tensor,
    dim: int | None,
    out: Tensor | None,
    dim_size: int | None,
    reduction: str,
) -> tuple[Tensor, Tensor]:
    """The maximum or minimum, whose gradient goes to the first element that gave it, and that element's position."""
    rows, axis = arranged(op, src, index, dim, out, dim_size)
    whole = expanded(op, rows, src.size(), src, index)
    size = out.size(axis) if out is not None else size_of(op, src, index, dim, dim_size)
    base = out.detach() if out is not None else None
    if torch.jit.is_scripting():
        result, first = torch.ops.strew.scatter_winners(src.detach(), whole, axis, size, base, reduction)
    else:
        result, first = _named.winners(op, src, index, whole, axis, size, base, reduction)
    return written(op, out, of_first(op, src, axis, result, first)), first


def of_first(op: str, src: Tensor, dim: int, result: Tensor, first: Tensor) -> Tensor:
    """The result as a function of the elements that gave it."""
    if not torch.is_grad_enabled() or not src.requires_grad:
        return result
    count = src.size(dim)
    if src.numel() == 0:
        return result + src.sum() * 0
    return torch.where(first < count, gathered(op, src, first, first.clamp(max=count - 1), dim), result)


def written(op: str, out: Tensor | None, result: Tensor) -> Tensor:
    """Where the caller gave `out`, the result is written there."""
    if out is None:
        return result
    if torch.jit.is_scripting():
        return out.copy_(result)
    else:  # noqa: RET505
        return _named.written(op, out, result)


def overwritten(op: str, out: Tensor | None, result: Tensor) -> Tensor:
    """As `written`, where no operator has seen `out`."""
    if out is None:
        return result
    if torch.jit.is_scripting():
        if out.size() != result.size() or out.dtype != result.dtype:
            raise ValueError(f"{op}: out has shape {out.size()}; it must be {result.size()}, with the type of src")
    else:
        _named.check_out(op, out, result, None)
    return written(op, out, result)

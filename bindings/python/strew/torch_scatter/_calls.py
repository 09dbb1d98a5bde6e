"""Code shared by all functions. In TorchScript, it only calls operators. Elsewhere, errors name the called function."""

import torch
from torch import Tensor

from . import _named
from ._once import once


def arranged(
    op: str, src: Tensor, index: Tensor, dim: int | None, out: Tensor | None, dim_size: int | None
) -> tuple[Tensor, int]:
    """Return the index as a view with the rank of `src`, and the axis: the last axis of the index if `dim` is None."""
    if torch.jit.is_scripting():
        axis = index.dim() - 1 if dim is None else dim + src.dim() if dim < 0 else dim
    else:
        index, axis = _named.arranged(op, src, index, dim, out, dim_size)
    rank = src.dim()
    if index.dim() == rank:
        return index, axis
    if index.dim() > 1:
        return index.view(size=list(index.size()) + [1] * (rank - index.dim())), axis
    shape = [1] * rank
    shape[axis] = index.numel()
    return index.view(size=shape), axis  # `size=` for the reason in _named.expanded


def expanded(op: str, rows: Tensor, shape: list[int], src: Tensor, index: Tensor) -> Tensor:
    """Return an index from `arranged`, expanded to `shape`."""
    if torch.jit.is_scripting():
        return rows.expand(shape)
    else:  # noqa: RET505 (the else hides the call from TorchScript)
        return _named.expanded(op, rows, shape, src, index)


def size_of(op: str, src: Tensor, index: Tensor, dim: int | None, dim_size: int | None) -> int:
    """Return the result's size along the axis: `dim_size`, 0 if there are no elements, or the largest index plus 1."""
    if dim_size is not None:
        return dim_size
    if (index.numel() if dim is None else src.numel()) == 0:
        return 0
    if torch.jit.is_scripting():
        return int(index.max()) + 1
    else:  # noqa: RET505 (the else hides the call from TorchScript)
        return _named.size_from(op, index)


def filled(op: str, src: Tensor, index: Tensor, axis: int, size: int, value: float) -> Tensor:
    """Return a tensor filled with one value, in the shape of `src` but with another size along the axis."""
    if torch.jit.is_scripting():
        shape = list(src.size())
        shape[axis] = size
        return torch.full(shape, value, dtype=src.dtype, device=src.device)
    else:  # noqa: RET505
        return _named.filled(op, src, index, axis, size, value)


def check_powers(op: str, src: Tensor, eps: float) -> None:
    """Reject types other than floats, and an `eps` that is not a number."""
    if torch.jit.is_scripting():
        if not src.is_floating_point():
            raise ValueError(f"{op}: src is {src.dtype}; it must be a tensor of floats")
    else:
        _named.check_powers(op, src, eps)


def check_reduce(op: str, reduce: str, words: list[str]) -> None:
    if torch.jit.is_scripting():
        if reduce not in words:
            raise ValueError(f"{op}: reduce is '{reduce}'; it must be one of {words}")
    else:
        _named.check_choice(op, "reduce", reduce, words)


def check_flag(op: str, name: str, given: bool) -> None:
    if not torch.jit.is_scripting():
        _named.as_flag(op, name, given)


def is_half(src: Tensor) -> bool:
    return src.dtype == torch.float16 or src.dtype == torch.bfloat16  # noqa: PLR1714 (TorchScript)


def widened(src: Tensor) -> Tensor:
    """Convert `src` to the type of intermediate results: float32 for float16 and bfloat16, int64 for integers."""
    if is_half(src):
        return src.to(torch.float32)
    if src.is_floating_point() or src.is_complex():
        return src
    return src.to(torch.int64)


def scattered(op: str, out: Tensor, index: Tensor, whole: Tensor, src: Tensor, dim: int, reduction: str) -> Tensor:
    """Return a copy of `out` with `src` reduced into it. 16-bit floats are reduced in float32 and rounded once.

    `whole` is what `expanded` returned for the caller's `index`.
    """
    acc_dtype = "float32" if is_half(src) else "data"
    if torch.jit.is_scripting():
        return torch.ops.strew.scatter_elements(
            out, whole, src, dim, reduction, acc_dtype=acc_dtype, negative_indices="out_of_bounds"
        )
    else:  # noqa: RET505
        return _named.scattered(op, out, index, whole, src, dim, reduction, acc_dtype)


def counted(op: str, src: Tensor, index: Tensor, rows: Tensor, axis: int, size: int) -> Tensor:
    """Return the number of elements of each index, but 1 for an index without any. `rows` is from `arranged`."""
    shape = list(rows.size())
    shape[axis] = src.size(axis)
    ones = torch.ones(shape, dtype=torch.int64, device=src.device)
    if src.numel() == 0:
        return filled(op, ones, rows, axis, size, 1.0)
    start = filled(op, ones, rows, axis, size, 0.0)
    return scattered(op, start, index, rows.expand(shape), ones, axis, "add").clamp(min=1)


def gathered(op: str, src: Tensor, index: Tensor, whole: Tensor, dim: int) -> Tensor:
    if torch.jit.is_scripting():
        return torch.ops.strew.gather_elements(src, whole, dim, negative_indices="out_of_bounds")
    else:  # noqa: RET505
        return _named.gathered(op, src, index, whole, dim)


def summed(
    op: str, src: Tensor, index: Tensor, whole: Tensor, axis: int, size: int, base: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return the sums, starting from `base` or 0, and the expanded index."""
    if not torch.jit.is_scripting():
        small = _named.small_sum(op, src, index, axis, size, base)
        if small is not None:
            return small, whole
    start = filled(op, src, index, axis, size, 0.0) if base is None else base
    return scattered(op, start, index, whole, src, axis, "add"), whole


def _of_sum(op, grad, src, result, whole, kept, axis, size, how):
    return gathered(op, grad, whole, whole, axis)


def reduced(
    op: str, src: Tensor, index: Tensor, dim: int | None, out: Tensor | None, dim_size: int | None, reduction: str
) -> Tensor:
    """Return the sum or the product, starting from `out` or, without it, from 0 or 1."""
    rows, axis = arranged(op, src, index, dim, out, dim_size)
    whole = expanded(op, rows, src.size(), src, index)
    size = out.size(axis) if out is not None else size_of(op, src, index, dim, dim_size)
    if reduction == "mul":
        # The gradient reads the start values after `out` is overwritten.
        start = filled(op, src, index, axis, size, 1.0) if out is None else out.detach().clone()
        return written(op, out, scattered(op, start, index, whole, src, axis, "mul"))
    base = out.detach() if out is not None and dim is None else out
    if torch.jit.is_scripting():
        result = summed(op, src, index, whole, axis, size, base)[0]
    else:
        result = once(summed, _of_sum, "", op, src, index, whole, axis, size, base)
    return written(op, out, result)


def averaged(
    op: str, src: Tensor, index: Tensor, whole: Tensor, axis: int, size: int, base: Tensor | None, rows: Tensor,
    rounding: str,
) -> tuple[Tensor, Tensor]:
    """Return the means and the counts. `src` is from `widened`, and `rows` from `arranged`."""
    total = summed(op, src, index, whole, axis, size, base)[0]
    count = counted(op, src, index, rows, axis, size)
    divides = total.is_floating_point() or total.is_complex()
    return total / count if divides else total.div(count, rounding_mode=rounding), count


def _of_mean(op, grad, src, result, whole, count, axis, size, how):
    return gathered(op, grad / count, whole, whole, axis)


def mean(
    op: str, src: Tensor, index: Tensor, dim: int | None, out: Tensor | None, dim_size: int | None, rounding: str
) -> Tensor:
    """Return the mean. `rounding` applies to integers. Values in `out` are added to the sum but not counted."""
    rows, axis = arranged(op, src, index, dim, out, dim_size)
    whole = expanded(op, rows, src.size(), src, index)
    size = out.size(axis) if out is not None else size_of(op, src, index, dim, dim_size)
    base = None if out is None else widened(out if dim is not None else out.detach())
    wide = widened(src)
    if torch.jit.is_scripting():
        result = averaged(op, wide, index, whole, axis, size, base, rows, rounding)[0]
    else:
        result = once(averaged, _of_mean, "", op, wide, index, whole, axis, size, base, rows, rounding)
    return written(op, out, result.to(src.dtype))


def winners(
    op: str, src: Tensor, index: Tensor, dim: int | None, out: Tensor | None, dim_size: int | None, reduction: str,
) -> tuple[Tensor, Tensor]:
    """Return the maximum or minimum, and the first position that supplied it. The gradient goes to that position."""
    rows, axis = arranged(op, src, index, dim, out, dim_size)
    whole = expanded(op, rows, src.size(), src, index)
    size = out.size(axis) if out is not None else size_of(op, src, index, dim, dim_size)
    base = out.detach() if out is not None else None
    if torch.jit.is_scripting():
        result, first = torch.ops.strew.scatter_winners(src, whole, axis, size, base, reduction)
    else:
        result, first = _named.winners(op, src, index, whole, axis, size, base, reduction)
    return written(op, out, result), first


def written(op: str, out: Tensor | None, result: Tensor) -> Tensor:
    """Return the result, written to `out` unless it is None."""
    if out is None:
        return result
    if torch.jit.is_scripting():
        return out.copy_(result)
    else:  # noqa: RET505
        return _named.written(op, out, result)


def overwritten(op: str, out: Tensor | None, result: Tensor) -> Tensor:
    """Check an `out` that was not passed to the operator, then return what `written` returns."""
    if out is None:
        return result
    if torch.jit.is_scripting():
        if out.size() != result.size() or out.dtype != result.dtype:
            raise ValueError(f"{op}: out has shape {out.size()}; it must be {result.size()}, with the type of src")
    else:
        _named.check_out(op, out, result, None)
    return written(op, out, result)

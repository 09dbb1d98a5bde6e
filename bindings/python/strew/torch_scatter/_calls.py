"""What all functions share. In TorchScript they call the operators alone; elsewhere what is refused has their names."""

import torch
from torch import Tensor

from . import _named


def size_of(index: Tensor, size: int | None) -> int:
    """The rows of a result whose size was not given."""
    if size is not None:
        return size
    return int(index.max()) + 1 if index.numel() > 0 else 0


def filled(src: Tensor, dim: int, size: int, value: int) -> Tensor:
    shape = list(src.size())
    shape[dim] = size
    return torch.full(shape, value, dtype=src.dtype, device=src.device)


def scattered(
    op: str,
    out: Tensor,
    index: Tensor,
    src: Tensor,
    dim: int,
    reduction: str,
    include_self: bool = True,
    accumulate: str = "data",
) -> Tensor:
    """A new tensor: `out` with `src` reduced into it."""
    if torch.jit.is_scripting():
        return torch.ops.strew.scatter_elements(out, index, src, dim, reduction, include_self, accumulate, "out_of_bounds")
    else:  # noqa: RET505 (TorchScript must not see it)
        return _named.scattered(op, out, index, src, dim, reduction, include_self, accumulate)


def gathered(op: str, src: Tensor, index: Tensor, dim: int) -> Tensor:
    if torch.jit.is_scripting():
        return torch.ops.strew.gather_elements(src, index, dim, "out_of_bounds")
    else:  # noqa: RET505
        return _named.gathered(op, src, index, dim)


def winners(
    op: str, src: Tensor, index: Tensor, dim: int, size: int, out: Tensor | None, reduction: str
) -> tuple[Tensor, Tensor]:
    """The maximum or minimum, whose gradient goes to the first element that gave it, and that element's position."""
    base = out.detach() if out is not None else None
    if torch.jit.is_scripting():
        result, first = torch.ops.strew.scatter_winners(src.detach(), index, dim, size, base, reduction)
    else:
        result, first = _named.winners(op, src, index, dim, size, base, reduction)
    return of_first(src, dim, result, first), first


def of_first(src: Tensor, dim: int, result: Tensor, first: Tensor) -> Tensor:
    """The result as a function of the elements that gave it."""
    if not torch.is_grad_enabled() or not src.requires_grad:
        return result
    count = src.size(dim)
    if src.numel() == 0:
        return result + src.sum() * 0
    return torch.where(first < count, gathered("gather", src, first.clamp(max=count - 1), dim), result)


def written(out: Tensor | None, result: Tensor) -> Tensor:
    """Where the caller gave `out`, the result is written there."""
    return result if out is None else out.copy_(result)


def overwritten(op: str, out: Tensor | None, result: Tensor) -> Tensor:
    """As `written`, where no operator has seen `out`."""
    if out is None:
        return result
    if torch.jit.is_scripting():
        if out.size() != result.size() or out.dtype != result.dtype:
            raise ValueError(f"{op}: out has shape {out.size()}; it must be {result.size()}, with the type of src")
    else:
        _named.check_out(op, out, result)
    return out.copy_(result)

"""What callers of `strew.torch` may give, and what is refused."""

import torch
from torch.autograd import forward_ad


def as_indices(given):
    if isinstance(given, torch.Tensor):
        return given
    indices = torch.as_tensor(given)
    return indices if indices.numel() > 0 else indices.to(torch.int64)


def _kind(dtype):
    """Bool, integer, real, complex: a value may go into data of its own kind or a later one."""
    if dtype.is_complex:
        return 3
    return 2 if dtype.is_floating_point else int(dtype != torch.bool)


def _as_updates(op, given, data, shape):
    """Sequences and scalars take the type of the data; a scalar stands for updates of this shape."""
    updates = torch.as_tensor(given)
    if _kind(updates.dtype) > _kind(data.dtype):
        raise TypeError(f"{op}: updates of type {updates.dtype} cannot go into data of type {data.dtype}")
    updates = torch.as_tensor(given, dtype=data.dtype)
    return updates if updates.dim() > 0 else updates.expand(shape)


def element_updates(given, data, indices):
    if isinstance(given, torch.Tensor):
        return given
    return _as_updates("scatter_elements", given, data, indices.shape)


def slice_updates(given, data, indices):
    if isinstance(given, torch.Tensor):
        return given
    return _as_updates("scatter_nd", given, data, (*indices.shape[:-1], *data.shape[indices.shape[-1] :]))


def needs_copy(*tensors):
    """True where the result must be made apart: for a gradient, or for a view that stands for other values."""
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return True
    # Code that is compiled cannot ask; there torch resolves such updates, and refuses such data.
    return not torch.compiler.is_compiling() and any(tensor.is_conj() or tensor.is_neg() for tensor in tensors)


def refuse_forward_mode(op, *tensors):
    """Torch would take the forward-mode derivative of a custom operator for zero."""
    if getattr(forward_ad, "_current_level", 0) >= 0 and any(
        forward_ad.unpack_dual(t).tangent is not None for t in tensors
    ):
        raise NotImplementedError(f"{op}: there is no forward-mode derivative; use reverse mode (backward, grad)")

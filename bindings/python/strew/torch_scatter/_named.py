"""The operators as a program calls them outside TorchScript: refusals name its function and its arguments."""

import torch

# By their whole names: under the name torch_scatter a submodule is imported a second time.
from strew._errors import refusal
from strew.torch import _segments, _transforms
from strew.torch._arguments import refuse_forward_mode, type_of
from strew.torch.functional import _refusals


def _renamed(op, call, reason=lambda: None, dtype=None, **names):
    return _refusals.in_words_of(op, call, names, reason, dtype=dtype)


def _outside(op, index, dim, operand, shape):
    return lambda: _refusals.outside(op, "index", index, dim, torch.empty(shape, device="meta"), operand=operand)


def scattered(op, out, index, src, dim, *how):
    call = lambda: _transforms.scatter_elements(out, index, src, dim, *how, "out_of_bounds")
    reason = _outside(op, index, dim, "out", out.shape)
    return _renamed(op, call, reason, src.dtype, data="out", indices="index", updates="src")


def gathered(op, src, index, dim):
    call = lambda: _transforms.gather_elements(src, index, dim, "out_of_bounds")
    return _renamed(op, call, _outside(op, index, dim, "src", src.shape), data="src", indices="index")


def winners(op, src, index, dim, size, base, reduction):
    refuse_forward_mode(op, src)
    call = lambda: torch.ops.strew.scatter_winners(src.detach(), index, dim, size, base, reduction)
    reason = _outside(op, index, dim, "out", _segments.resized(src.shape, dim, size))
    return _renamed(op, call, reason, src.dtype, data="src", scatter_index="index", base="out")


def folded(op, src, indptr, reduction):
    return _renamed(
        op, lambda: _segments.fold_segments(src, indptr, reduction), dtype=src.dtype, data="src", row_start="indptr"
    )


def winners_of_segments(op, src, indptr, reduction):
    refuse_forward_mode(op, src)
    call = lambda: torch.ops.strew.segment_csr_winners(src.detach(), indptr, reduction)
    return _renamed(op, call, dtype=src.dtype, data="src", row_start="indptr")


def spread_out(op, src, indptr, size):
    return _renamed(op, lambda: _segments.spread_segments(src, indptr, size))


def check_out(op, out, result):
    if out.shape != result.shape:
        text = f"out has shape {list(out.shape)}; it must be {list(result.shape)}, that of the result"
        raise refusal(ValueError, "invalid argument", text, operator=op, operand="out")
    if out.dtype != result.dtype:
        text = f"out is {type_of(out)} but src is {type_of(result)}; both must have one type; use .to({result.dtype})"
        raise refusal(TypeError, "invalid type", text, operator=op, operand="out")

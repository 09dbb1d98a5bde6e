"""Checks of pointers. Pointers are the positions that bound the segments of an axis."""

import torch

from .._errors import refusal, wrong_value
from ._arguments import check_integers, check_rank


def check_pointers(op, src, indptr):
    """Reject pointers of the wrong type or shape. Sizes that compiled code does not know are not checked.

    The last axis of `indptr` corresponds to the axis of `src` that has the segments.
    """
    check_integers(op, "indptr", indptr)
    check_rank(op, "indptr", indptr)
    check_rank(op, "src", src)
    shape, rank = list(indptr.shape), indptr.dim()
    if rank > src.dim():
        text = f"indptr has shape {shape} of rank {rank}; its rank must be at most {src.dim()}"
        raise wrong_value(op, "indptr", f"{text}, the rank of src, which has shape {list(src.shape)}")
    for axis, (batches, wanted) in enumerate(zip(shape[:-1], src.shape, strict=False)):
        known = isinstance(batches, int) and isinstance(wanted, int)
        if known and batches not in (1, wanted):
            text = f"indptr has shape {shape}: dimension {axis} is {batches}; it must be 1, or {wanted} as in src"
            raise refusal(ValueError, "invalid argument", text, operator=op, operand="indptr", axis=axis)


def check_bounds(indptr, count):
    """Reject bounds that decrease or lie outside [0, count].

    The error names the first bound that is below its predecessor or, if there is none, the first bound outside.
    """
    bounds = indptr.to(torch.int64)
    falls = torch.zeros_like(bounds, dtype=torch.bool)
    falls[..., 1:] = bounds[..., 1:] < bounds[..., :-1]
    kind, code = ValueError, "invalid argument"
    wrong = falls.nonzero()
    if len(wrong) == 0:
        kind, code = IndexError, "index out of range"
        wrong = ((bounds < 0) | (bounds > count)).nonzero()
    if len(wrong) == 0:
        return
    at = tuple(wrong[0].tolist())
    value, before = int(bounds[at]), int(bounds[(*at[:-1], at[-1] - 1)])
    right = f"outside [0, {count}]" if kind is IndexError else f"below the value before it, {before}"
    text = f"indptr{list(at)} = {value} is {right}"
    raise refusal(kind, code, text, operator="segment_csr", operand="indptr", position=at, value=value)

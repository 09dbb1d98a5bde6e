"""Argument checks outside TorchScript, and operator calls whose errors name the function that the user called."""

import torch

# Absolute names, because a second import of this module, as torch_scatter._named, is outside the package strew.
from strew._arguments import article, as_flag as as_flag, as_int
from strew._errors import refusal, wrong_type, wrong_value
from strew import _strew
from strew.torch import _operators, _segments
from strew.torch._transforms import at_once, runs_at_once
from strew.torch._arguments import check_choice as check_choice
from strew.torch._arguments import as_number, check_has_values, check_integers, check_rank, refuse_forward_mode, type_of

_OWN = {"data": "out", "indices": "index", "updates": "src", "scatter_index": "index", "base": "out", "row_start": "indptr"}
_WIDENED = (torch.uint16, torch.uint32, torch.uint64)  # types that torch cannot compute with


def _check_tensor(op, operand, given):
    if not isinstance(given, torch.Tensor):
        raise wrong_type(op, operand, f"{operand} is {article(given)}; it must be a tensor")
    if given.layout is not torch.strided or given.is_nested or given.is_quantized:
        raise wrong_value(op, operand, f"{operand} is a sparse, nested or quantized tensor; it must be a dense tensor")


def check_operands(op, src, name, index, out):
    """Return the index in a type that torch can compute with. Reject non-strided tensors and non-integer indices."""
    _check_tensor(op, "src", src)
    _check_tensor(op, name, index)
    check_integers(op, name, index)
    if out is not None:
        _check_tensor(op, "out", out)
        check_has_values(op, "out", out, src, "src")
    check_has_values(op, name, index, src, "src")
    return index.to(torch.int64) if index.dtype in _WIDENED else index


def arranged(op, src, index, dim, out, dim_size):
    """Check the operands. Return the index, not yet broadcast to the shape of `src`, and the axis."""
    index = check_operands(op, src, "index", index, out)
    rank = src.dim()
    check_rank(op, "src", src)
    if dim is None and not op.startswith("scatter"):
        check_rank(op, "index", index)
        axis = index.dim() - 1
    else:
        axis = as_int(op, "dim", dim)
        if not -rank <= axis < rank:
            text = f"dim {axis} is outside [{-rank}, {rank - 1}] for src of shape {list(src.shape)}"
            raise refusal(IndexError, "invalid argument", text, operator=op, operand="dim", value=axis)
        axis %= rank
    if index.dim() > rank:
        raise _misfit(op, src, index)
    if out is not None:
        check_out(op, out, src, axis)
    elif dim_size is not None and as_int(op, "dim_size", dim_size) < 0:
        raise wrong_value(op, "dim_size", f"dim_size is {dim_size}; it must be 0 or more", dim_size)
    return index, axis


def check_out(op, out, src, axis):
    """Reject an `out` that differs from `src` in type or shape. Its length along `axis` may differ."""
    _check_tensor(op, "out", out)
    wanted = list(src.shape)
    if axis is not None and out.dim() == len(wanted):
        wanted[axis] = out.shape[axis]
    if list(out.shape) != wanted:
        raise wrong_value(op, "out", f"out has shape {list(out.shape)}; it must be {wanted}, the shape of the result")
    if out.dtype != src.dtype:
        text = f"out is {type_of(out)} but src is {type_of(src)}; both must have the same type; use .to({src.dtype})"
        raise wrong_type(op, "out", text)


def check_powers(op, src, eps):
    if not src.is_floating_point():
        raise wrong_value(op, "src", f"src is {type_of(src)}; it must be a tensor of floats")
    if as_number(op, "eps", eps) is None:
        raise wrong_type(op, "eps", "eps is None; it must be a number")


def _misfit(op, src, index):
    shapes = f"index has shape {list(index.shape)} and src {list(src.shape)}"
    text = f"{shapes}; each dimension of index must be 1 or equal that of src (an index of rank 1 runs along dim)"
    return wrong_value(op, "index", text)


def expanded(op, rows, shape, src, index):
    if not torch.compiler.is_compiling() and rows.shape == shape:
        return rows
    # Without the keyword, torch first tries to read the shape as a single size, which takes as long as the call itself.
    return _named_as(lambda error: _misfit(op, src, index), lambda: rows.expand(size=shape))


def check_values(op, name, index, other):
    """Reject an index on the device "meta", which has no values. The error advises passing `other`."""
    if index.is_meta:
        text = f"{name} is a meta tensor, without values from which to compute the size of the result; pass {other}"
        raise wrong_value(op, name, text)


def size_from(op, index):
    """Return the largest index plus 1, at most 2**63 - 1."""
    check_values(op, "index", index, "dim_size")
    index = index.to(torch.int64) if index.dtype in _WIDENED else index
    size = min(int(index.max()) + 1, 2**63 - 1)
    if size <= 0:
        raise _of_value(op, index, index < 0, "is negative; it must be 0 or more")
    return size


def _of_value(op, index, wrong, why, name="index"):
    place = tuple(wrong.nonzero()[0].tolist())
    value = int(index[place])
    subject = f"{name}{list(place) or ''} = {value}"
    return refusal(
        IndexError, "index out of range", f"{subject} {why}", operator=op, operand=name, position=place, value=value
    )


def _too_large(op, index, size, src, axis):
    """Return the error for a result that does not fit in memory. The error names the index value or `dim_size`."""
    shape = list(src.shape)
    shape[axis] = size
    why = f"a result of shape {shape}, which does not fit in memory"
    last = index.to(torch.int64) >= size - 1
    if last.any():
        return _of_value(op, index, last, f"requires {why}")
    return wrong_value(op, "dim_size", f"dim_size {size} requires {why}", size)


def filled(op, src, index, axis, size, value):
    shape = list(src.shape)
    shape[axis] = size
    make = lambda: src.new_full(size=shape, fill_value=value) if value else src.new_zeros(size=shape)
    return _named_as(lambda error: _too_large(op, index, size, src, axis), make)


def _refused(op, error, index, axis, operand, shape):
    """Return the error for the first index out of bounds, or else the operator's error, as an error of `op`."""
    if isinstance(error, IndexError | ValueError) and not torch._C._are_functorch_transforms_active():
        size = shape[axis]
        values = index.to(torch.int64)
        wrong = (values < 0) | (values >= size)
        if wrong.any():
            why = f"is outside [0, {size - 1}]" if size else "is out of bounds"
            found = _of_value(op, values, wrong, f"{why} for dim {axis} of {operand} with shape {list(shape)}")
            found.axis = axis
            return found
    return _renamed(op, error, operand)


def _renamed(op, error, operand):
    if not hasattr(error, "code"):
        return error
    said = vars(error) | {"operator": op}
    code, text, own = said.pop("code"), said.pop("text"), error.operand
    if own == "reduction":
        text = text.partition(";")[0]  # without advice about a parameter that these functions lack
    elif own in _OWN:
        said["operand"] = operand if own == "data" else _OWN[own]
        if text.startswith(own):
            text = said["operand"] + text[len(own) :].replace(" are ", " is ", 1)
    return refusal(type(error), code, text, **said)


def _named_as(refused, call, *given):
    """Return the result of a call. Except in compiled code, `refused` converts an exception of the call."""
    if torch.compiler.is_compiling():
        return call(*given)
    try:
        return call(*given)
    except (IndexError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        failure = refused(error)
    raise failure from None


def scattered(op, out, index, whole, src, axis, reduction, acc_dtype):
    how = (axis, reduction, "error", "out_of_bounds", True, acc_dtype, None, False)
    if (result := at_once("scatter_elements", out, whole, src, *how)) is not None:
        return result
    refused = lambda error: _refused(op, error, index, axis, "out", out.shape)
    return _named_as(refused, _operators.scatter_elements, out, whole, src, *how)


def gathered(op, src, index, whole, axis):
    how = (axis, "error", None, "out_of_bounds")
    if (result := at_once("gather_elements", src, whole, *how)) is not None:
        return result
    refused = lambda error: _refused(op, error, index, axis, "src", src.shape)
    return _named_as(refused, _operators.gather_elements, src, whole, *how)


def winners(op, src, index, whole, axis, size, base, reduction):
    def refused(error):
        if _is_of_memory(error):
            return _too_large(op, index, size, src, axis)
        return _refused(op, error, index, axis, "out", _segments.resized(src.shape, axis, size))

    refuse_forward_mode(op, src)
    return _named_as(refused, _segments.scatter_winners, src, whole, axis, size, base, reduction)


def _is_of_memory(error):
    return isinstance(error, MemoryError) or "memory" in str(error) or "overflow" in str(error)


def winners_of_segments(op, src, indptr, reduction):
    refuse_forward_mode(op, src)
    call = _segments.segment_csr_winners
    return _named_as(lambda error: _renamed(op, error, "src"), call, src, indptr, reduction)


def reduced_segments(op, src, indptr, out, reduction):
    """Return the reduced segments. Checks the operands only if `reduce_at_once` does not return a result."""
    at_once = runs_at_once(src, indptr)
    if at_once and out is None:
        try:
            if (result := _segments.reduce_at_once(src, indptr, reduction)) is not None:
                return result
        except (IndexError, TypeError, ValueError):
            pass  # the code below raises an error that names this function
    indptr = check_operands(op, src, "indptr", indptr, out)
    if not at_once and reduction in ("max", "min"):
        return winners_of_segments(op, src, indptr, reduction)[0]
    call = _segments.reduce_segments if at_once else _segments.segment_csr
    return _named_as(lambda error: _renamed(op, error, "src"), call, src, indptr, reduction)


def small_sum(op, src, index, axis, size, base):
    """Return the sums of a few rows of plain tensors; None for other calls."""
    return _strew._sum_rows(op, src, index, size) if axis == 0 and base is None and runs_at_once(src, index) else None


def softmax(op, src, index, axis, size, eps, is_log):
    """Return a small softmax of plain tensors, or its logarithm; None for other calls."""
    if type(eps) is not float or not runs_at_once(src, index):
        return None
    return _strew._softmax(op, src, index, axis, size, eps, is_log)


def spread_out(op, src, indptr, size):
    def refused(error):
        if not _is_of_memory(error):
            return _renamed(op, error, "src")
        why = f"requires a result of size {size} along dim {indptr.dim() - 1}, which does not fit in memory"
        return _of_value(op, indptr, indptr == size, why, "indptr")

    return _named_as(refused, _segments.gather_csr, src, indptr, size)


def written(op, out, result):
    # The error for an `out` that torch cannot write to, such as an expanded view.
    refused = lambda error: wrong_value(op, "out", f"out cannot be written to: {error}")
    return _named_as(refused, out.copy_, result)

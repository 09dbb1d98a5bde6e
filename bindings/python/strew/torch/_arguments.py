"""Checks and converts the arguments of the functions of `strew.torch`."""

import math

import numpy
import torch
from torch.autograd import forward_ad

from .. import _strew
from .._arguments import article, as_flag, as_int
from .._errors import refusal, wrong_type, wrong_value


def type_of(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def check_tensors(op, *, hint="", **operands):
    for name, given in operands.items():
        if not isinstance(given, torch.Tensor):
            raise wrong_type(op, name, f"{name} is {article(given)}; strew.torch works on tensors{hint}")
        _check_kind(op, name, given)


def _check_kind(op, name, tensor):
    """Reject nested and quantized tensors. PyTorch's own errors for them describe its dispatcher, not the argument."""
    kind = "nested" if tensor.is_nested else "quantized" if tensor.is_quantized else None
    if kind is not None:
        raise wrong_type(op, name, f"{name} is a {kind} tensor, which strew.torch does not support")


def check_has_values(op, name, tensor, data, other="data"):
    """Reject a meta tensor if data has values: PyTorch would otherwise return memory that no kernel wrote."""
    if tensor.is_meta and not data.is_meta:
        text = f"{_strew._with_verb(name, 'is')}on the device meta, without values; {_strew._with_verb(other, 'is')}on {data.device}"
        raise wrong_value(op, name, text)


def check_word(op, name, given):
    if not isinstance(given, str):
        raise wrong_type(op, name, f"{name} is {article(given)}; it must be a str")
    return given


def check_choice(op, name, given, words):
    """Reject anything but one of the words."""
    if not isinstance(given, str) or given not in words:
        check_word(op, name, given)
        legal = f"{', '.join(map(repr, words[:-1]))} or {words[-1]!r}"
        raise wrong_value(op, name, f"{name} is {given!r}; it must be {legal}", given)


def check_rank(op, name, given):
    if given.dim() == 0:
        raise wrong_value(op, name, f"{_strew._with_verb(name, 'has')}shape [] of rank 0; the rank must be 1 or more")


def are_integers(tensor):
    dtype = tensor.dtype
    return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)


def check_integers(op, name, tensor):
    if not are_integers(tensor):
        mask = "; convert a mask to positions with mask.nonzero()" if tensor.dtype == torch.bool else ""
        raise wrong_type(op, name, f"{name} is {type_of(tensor)}; it must hold integers{mask}")


def check_axis(op, data, axis):
    check_rank(op, "data", data)
    rank = data.dim()
    if not -rank <= axis < rank:
        text = f"axis {axis} is outside [{-rank}, {rank - 1}] for data of shape {list(data.shape)}"
        raise wrong_value(op, "axis", text, axis)


def _as_tensor(op, name, given, wanted, device):
    try:
        return torch.as_tensor(given, device=device)
    except ValueError as error:
        raise wrong_value(op, name, f"{name} are not an array: {error}") from None
    except (TypeError, RuntimeError):
        kind = f"of type {given.dtype}" if isinstance(given, numpy.ndarray) else article(given)
        raise wrong_type(op, name, f"{name} are {kind}; they must be {wanted}") from None


def as_indices(op, given, data, name="indices"):
    """Return `given` if it is a tensor; otherwise convert it to a tensor on the device of the data."""
    if isinstance(given, torch.Tensor):
        _check_kind(op, name, given)
        check_has_values(op, name, given, data)
        return given
    indices = _as_tensor(op, name, given, "integers", data.device)
    return indices if indices.numel() > 0 else indices.to(torch.int64)


def _kind(dtype):
    """Return 0 for bool, 1 for integer, 2 for real, 3 for complex. No value is cast to a lower kind."""
    if dtype.is_complex:
        return 3
    return 2 if dtype.is_floating_point else int(dtype != torch.bool)


def _holds_tensors(given, outer=()):
    """Return whether nested lists contain tensors, down to 64 levels. torch rejects deeper and recursive lists."""
    if not isinstance(given, list | tuple):
        return isinstance(given, torch.Tensor)
    if len(outer) == 64 or any(given is each for each in outer):
        return False
    outer = (*outer, given)
    return any(_holds_tensors(each, outer) for each in given)


def _check_kept(op, given, updates, dtype):
    """Reject values that `dtype` cannot hold: torch would wrap integers and round floats to infinity or the maximum."""
    if _kind(dtype) > 1:
        limits = torch.finfo(dtype)
        wide = torch.as_tensor(given, dtype=torch.complex128 if dtype.is_complex else torch.float64)
        # Values between the maximum and `largest` are rounded to the maximum.
        largest = limits.max + limits.eps * 2.0 ** (math.frexp(limits.max)[1] - 2)
        parts = torch.view_as_real(wide).abs().amax(-1) if dtype.is_complex else wide.abs()
        lost = wide.isfinite() & ((parts > largest) | ~wide.to(dtype).to(wide.dtype).isfinite())
        shown, bounds = wide if _kind(updates.dtype) > 1 else updates, f"its largest value is {limits.max}"
    elif _kind(dtype) == 1 and updates.dtype == torch.int64:
        limits, shown = torch.iinfo(dtype), updates
        lost = (updates < limits.min) | (updates > min(limits.max, 2**63 - 1))
        bounds = f"its range is {limits.min} to {limits.max}"
    else:
        return
    if bool(lost.any()):
        value = shown[lost.to(shown.device)][0].item()
        text = f"updates hold {value}, which {str(dtype)[6:]} cannot hold; {bounds}"
        raise refusal(OverflowError, "invalid argument", text, operator=op, operand="updates", value=value)


def _as_updates(op, given, data, shape):
    """Convert sequences and scalars to the type of the data, and expand scalars to `shape`."""
    if _holds_tensors(given):
        text = f"updates are {article(given)} of tensors, whose gradients would be lost; use torch.stack"
        raise wrong_type(op, "updates", text)
    updates = _as_tensor(op, "updates", given, "numbers", data.device)
    if hasattr(given, "__array__") and updates.dim() > 0:
        return updates
    if _kind(updates.dtype) > _kind(data.dtype):
        types = f"updates are {updates.dtype} but data is {data.dtype}"
        raise wrong_type(op, "updates", f"{types}; pass values of type {data.dtype}, or data of type {updates.dtype}")
    if not torch.compiler.is_compiling() and type(updates) is torch.Tensor:  # a fake tensor has no values
        _check_kept(op, given, updates, data.dtype)
    updates = torch.as_tensor(given, dtype=data.dtype, device=data.device)
    return updates if updates.dim() > 0 else updates.expand(shape)


def needs_gradient(*tensors):
    """Return whether autograd records a call with these tensors. None marks an absent argument."""
    return torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors)


def needs_copy(*tensors):
    """Return whether to write a result to a new tensor first: for a gradient, or for a conjugated or negated view."""
    if needs_gradient(*tensors):
        return True
    # Compiled code cannot test for such views, and need not: torch resolves them in updates, and rejects them in data.
    return not torch.compiler.is_compiling() and any(tensor.is_conj() or tensor.is_neg() for tensor in tensors)


def refuse_forward_mode(op, *tensors):
    """Reject forward mode: torch assumes that the forward-mode derivative of a custom operator is zero."""
    if getattr(forward_ad, "_current_level", 0) >= 0 and any(
        forward_ad.unpack_dual(t).tangent is not None for t in tensors
    ):
        text = "there is no forward-mode derivative; use reverse mode (backward, grad)"
        raise refusal(NotImplementedError, "unsupported", text, operator=op)


def as_number(op, name, given):
    """Return `given` as a Python number, which traced code can hold. None is returned unchanged."""
    if isinstance(given, int) and not -(2**63) <= given < 2**64:
        raise wrong_value(op, name, f"{name} {given} does not fit in 64 bits", given)
    if given is None or isinstance(given, bool | int | float | complex | torch.SymInt | torch.SymFloat):
        return given
    if isinstance(given, numpy.number | numpy.bool_):
        return given.item()
    remedy = "; call .item()" if isinstance(given, torch.Tensor) and given.dim() == 0 else ""
    raise wrong_type(op, name, f"{name} is {article(given)}; it must be a number{remedy}")


def cast(op, updates, data, casting):
    """Cast updates by the rule `casting`; "same_kind" is NumPy's rule. Autograd casts the gradient back."""
    _check_kind(op, "updates", updates)
    check_has_values(op, "updates", updates, data)
    check_word(op, "casting", casting)
    if casting not in ("equiv", "same_kind"):
        raise wrong_value(op, "casting", f"casting {casting!r} is not one of 'equiv', 'same_kind'", casting)
    loses_sign = updates.dtype.is_signed and not data.dtype.is_signed
    is_cast = casting == "same_kind" and _kind(updates.dtype) <= _kind(data.dtype) and not loses_sign
    return updates.to(data.dtype) if is_cast else updates


_CHECKS = {
    "gather": lambda data, indices, axis, *how: check_axis("gather", data, axis),
    "gather_nd": lambda data, indices, *how: check_rank("gather_nd", "indices", indices),
}


def _shape_of_slices(op, data, indices):
    check_rank(op, "indices", indices)
    return (*indices.shape[:-1], *data.shape[indices.shape[-1] :])


# For each operator that accepts scalar updates, the function that returns the shape to which they are expanded.
_UPDATE_SHAPES = {"scatter_elements": lambda op, data, indices: indices.shape, "scatter_nd": _shape_of_slices}
_CONVERSIONS = {bool: as_flag, int: as_int, str: check_word, type(None): as_number}


def operands_of(op, inputs, signature):
    """Return a function that checks the arguments of a call and returns the operands of the custom operator.

    `inputs` maps the names of the operands to their roles, in the order of `signature`.
    """
    roles, names = list(inputs.values()), list(inputs)
    shape_of, check = _UPDATE_SHAPES.get(op.rstrip("_")), _CHECKS.get(op.rstrip("_"))
    own = [(name, at) for at, (name, role) in enumerate(inputs.items()) if role == "data" or (role == "updates" and shape_of is None)]
    parameters = list(signature.parameters.values())
    attributes = [(at, one.name, one.default, _CONVERSIONS[type(one.default)]) for at, one in enumerate(parameters) if at >= len(names)]
    of_indices = roles.index("indices")
    of_updates, of_casting = (roles.index("updates"), list(signature.parameters).index("casting")) if "updates" in roles else (None, None)
    may_lack_indices = parameters[of_indices].default is None
    hint = f" (strew.{op.rstrip('_')} takes any array)"

    def prepare(*given):
        operands = list(given)
        data = operands[0]
        check_tensors(op, hint=hint, **{name: operands[at] for name, at in own})
        for at, name, default, convert in attributes:
            if operands[at] is not default:
                operands[at] = convert(op, name, operands[at])
        if operands[of_indices] is not None or not may_lack_indices:
            operands[of_indices] = as_indices(op, operands[of_indices], data, names[of_indices])
        if of_updates is not None:
            updates = operands[of_updates]
            if not isinstance(updates, torch.Tensor):
                updates = _as_updates(op, updates, data, shape_of(op, data, operands[of_indices]))
            operands[of_updates] = cast(op, updates, data, operands.pop(of_casting))
        if check is not None:
            check(*operands)
        return operands

    return prepare

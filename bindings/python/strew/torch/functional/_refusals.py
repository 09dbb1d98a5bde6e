"""What is refused, in the words of PyTorch's functions: their names, and those of their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..._errors import refusal
from .. import _arguments as _given
from .._arguments import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import Tensor


def shaped(tensor: Tensor) -> str:
    return f"shape {list(tensor.shape)} of rank {tensor.dim()}"


def are_integers(tensor: Tensor) -> bool:
    return not (tensor.dtype.is_floating_point or tensor.dtype.is_complex or tensor.dtype == torch.bool)


def not_integers(op: str, name: str, tensor: Tensor) -> TypeError:
    mask = "; a mask becomes positions by mask.nonzero()" if tensor.dtype == torch.bool else ""
    return refusal(
        TypeError,
        "invalid type",
        f"{name} is {type_of(tensor)}; it must hold integers{mask}",
        operator=op,
        operand=name,
    )


def check_integers(op: str, name: str, tensor: Tensor) -> None:
    if not are_integers(tensor):
        raise not_integers(op, name, tensor)


def check_one_type(op: str, name: str, tensor: Tensor, input: Tensor) -> None:
    if tensor.dtype != input.dtype:
        types = f"{type_of(tensor)} but input is {type_of(input)}"
        raise refusal(
            TypeError,
            "invalid type",
            f"{name} is {types}; both must have one type; use .to({input.dtype})",
            operator=op,
            operand=name,
        )


def axis_of(op: str, name: str, dim: int, operand: str, tensor: Tensor) -> int:
    """The axis that `dim` names, from the front. A tensor of rank 0 has one, as in PyTorch."""
    dim, rank = _given.as_int(op, name, dim), max(tensor.dim(), 1)
    if not -rank <= dim < rank:
        shape = list(tensor.shape)
        raise refusal(
            ValueError,
            "invalid argument",
            f"{name} {dim} is outside [{-rank}, {rank - 1}] for {operand} of shape {shape}",
            operator=op,
            operand=name,
            value=dim,
        )
    return dim % rank


def outside(
    op: str, name: str, index: Tensor, dim: int, input: Tensor, lowest: int = 0, operand: str = "input"
) -> IndexError | None:
    """The refusal of the first value of `index` that is outside, or None where there is none."""
    size = input.shape[dim] if input.dim() else 1
    values = index.to(torch.int64)
    bad = ((values < lowest * size) | (values >= size)).nonzero()
    if len(bad) == 0:
        return None
    place = bad[0].tolist()
    value = index[tuple(place)].item()
    subject = f"{name}{place or ''} = {value}"
    where = f"for dim {dim} of {operand} with shape {list(input.shape)}"
    if size == 0:
        text = f"{subject}, but there is no position to choose {where}"
    else:
        text = f"{subject} is outside [{lowest * size}, {size - 1}] {where}"
    return refusal(
        IndexError, "index out of range", text, operator=op, operand=name, axis=dim, position=tuple(place), value=value
    )


def too_large(op: str, index: Tensor, dim: int, input: Tensor) -> ValueError | None:
    """The refusal of an index that is larger than `input` off the dimension, or None where it is not."""
    for d, (wanted, there) in enumerate(zip(index.shape, input.shape, strict=True)):
        if d != dim and wanted > there:
            return refusal(
                ValueError,
                "invalid argument",
                f"index has shape {list(index.shape)}: dimension {d} is {wanted}, more than the {there} of "
                f"input with shape {list(input.shape)}; only dimension {dim} may be longer",
                operator=op,
                operand="index",
                axis=d,
            )
    return None


def in_words_of(
    op: str,
    call: Callable[[], Tensor],
    names: Mapping[str, str],
    reason: Callable[[], Exception | None],
    reduce: str | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """What `call` of an operator gives. A refusal is that of `reason`, or else the operator's own in other words.

    `names` are what the function calls the operator's operands, `dtype` the type that it reduces. In compiled code the operator's words stay.
    """
    if torch.compiler.is_compiling():
        return call()
    try:
        return call()
    except (IndexError, NotImplementedError, TypeError, ValueError) as error:
        refused = error
    found = None
    if isinstance(refused, IndexError | ValueError) and not torch._C._are_functorch_transforms_active():
        found = reason()
    if found is None and hasattr(refused, "code"):
        found = _renamed(op, refused, names, reduce, dtype)
    raise found or refused from None


def _renamed(op: str, error: Any, names: Mapping[str, str], reduce: str | None, dtype: torch.dtype | None) -> Exception:
    """The same refusal with the function's name, and with its own for the operand, which stands first in the text."""
    said = vars(error) | {"operator": op}
    code, text, operand = said.pop("code"), said.pop("text"), error.operand
    if operand == "reduction" and dtype is not None:
        subject = f"reduce {reduce!r}" if reduce else "adding up"
        text = f"{subject} is not supported for {str(dtype).removeprefix('torch.')}"
        said |= {"operand": "reduce" if reduce else None, "value": reduce}
    elif operand in names:
        said["operand"] = names[operand]
        if text.startswith(operand):
            text = names[operand] + text[len(operand) :]
    return refusal(type(error), code, text, **said)

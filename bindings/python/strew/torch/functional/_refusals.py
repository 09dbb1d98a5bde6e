"""What is refused, in the words of PyTorch's functions: their names, and those of their parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import torch

from .. import _arguments as _given

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from torch import Tensor


def type_of(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def shaped(tensor: Tensor) -> str:
    return f"shape {list(tensor.shape)} of rank {tensor.dim()}"


def are_integers(tensor: Tensor) -> bool:
    return not (tensor.dtype.is_floating_point or tensor.dtype.is_complex or tensor.dtype == torch.bool)


def not_integers(op: str, name: str, tensor: Tensor) -> TypeError:
    mask = "; a mask becomes positions by mask.nonzero()" if tensor.dtype == torch.bool else ""
    return TypeError(f"{op}: {name} is {type_of(tensor)}; it must hold integers{mask}")


def check_integers(op: str, name: str, tensor: Tensor) -> None:
    if not are_integers(tensor):
        raise not_integers(op, name, tensor)


def check_one_type(op: str, name: str, tensor: Tensor, input: Tensor) -> None:
    if tensor.dtype != input.dtype:
        types = f"{type_of(tensor)} but input is {type_of(input)}"
        raise TypeError(f"{op}: {name} is {types}; both must have one type; use .to({input.dtype})")


def axis_of(op: str, name: str, dim: int, operand: str, tensor: Tensor) -> int:
    """The axis that `dim` names, from the front. A tensor of rank 0 has one, as in PyTorch."""
    dim, rank = _given.as_int(op, name, dim), max(tensor.dim(), 1)
    if not -rank <= dim < rank:
        shape = list(tensor.shape)
        raise ValueError(f"{op}: {name} {dim} is outside [{-rank}, {rank - 1}] for {operand} of shape {shape}")
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
    value = f"{op}: {name}{place or ''} = {index[tuple(place)].item()}"
    where = f"for dim {dim} of {operand} with shape {list(input.shape)}"
    if size == 0:
        return IndexError(f"{value}, but there is no position to choose {where}")
    return IndexError(f"{value} is outside [{lowest * size}, {size - 1}] {where}")


def too_large(op: str, index: Tensor, dim: int, input: Tensor) -> ValueError | None:
    """The refusal of an index that is larger than `input` off the dimension, or None where it is not."""
    for d, (wanted, there) in enumerate(zip(index.shape, input.shape, strict=True)):
        if d != dim and wanted > there:
            return ValueError(
                f"{op}: index has shape {list(index.shape)}: dimension {d} is {wanted}, more than the {there} of "
                f"input with shape {list(input.shape)}; only dimension {dim} may be longer"
            )
    return None


def in_words_of(
    op: str,
    call: Callable[[], Tensor],
    names: Mapping[str, str],
    reason: Callable[[], Exception | None],
    reduce: str | None = None,
) -> Tensor:
    """What `call` of an operator gives. A refusal is that of `reason`, or else the operator's own in other words.

    `names` are what the function calls the operator's operands. In compiled code the operator's words stay.
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
    raise found or type(refused)(_renamed(op, str(refused), names, reduce)) from None


def _renamed(op: str, text: str, names: Mapping[str, str], reduce: str | None) -> str:
    said = text.partition(": ")[2]
    if unsupported := re.match(r"reduction '\w+' (is not supported for \w+)", said):
        return f"{op}: {f'reduce {reduce!r}' if reduce else 'adding up'} {unsupported[1]}"
    return f"{op}: " + re.sub(r"^\w+", lambda word: names.get(word[0], word[0]), said)

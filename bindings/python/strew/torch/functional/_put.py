"""`index_put`: what ``input[indices]`` chooses."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..._errors import refusal
from .. import _arguments as _given, _transforms as _ops
from ._refusals import are_integers, check_one_type, in_words_of, outside, shaped, type_of

_MASKS = (torch.bool, torch.uint8)


def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False) -> Tensor:
    """Write or add what ``input[indices]`` chooses: `torch.index_put`, by `scatter_nd`.

    Parameters
    ----------
    input : Tensor
    indices : sequence of Tensor or None
        Integers, which are broadcast and of which negative ones count from the end, or masks; None chooses all of its
        axis.
    values : Tensor
        Broadcast to the shape of ``input[indices]``.
    accumulate : bool, default False
        Whether values are added.

    Returns
    -------
    Tensor
        Of the shape of `input`. Of equal places the last counts where nothing is added.

    Raises
    ------
    IndexError
        If an index is outside, or there are too many.
    TypeError, ValueError
        If a type or a shape is not legal.

    Examples
    --------
    >>> import torch, strew.torch.functional as F
    >>> F.index_put(torch.zeros(2, 2), (torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor([5.0, 6.0]), True)
    tensor([[ 0., 11.],
            [ 0.,  0.]])
    """
    _given.check_tensors("index_put", input=input, values=values)
    check_one_type("index_put", "values", values, input)
    data, parts = _by_axis(input, indices)
    addressed = [axis for axis, part in enumerate(parts) if part is not None]
    if not addressed:
        everywhere = torch.ones((), dtype=torch.bool, device=input.device)
        updates = _expanded(values, input.shape)
        return input + updates if accumulate else torch.where(everywhere, updates, input)
    others = [axis for axis in range(data.dim()) if axis not in addressed]
    places = _broadcast([part.to(torch.int64) for part in parts if part is not None])
    # Indices that stand together stay where they stand, others come first.
    together = addressed == list(range(addressed[0], addressed[-1] + 1))
    first, rank = addressed[0] if together else 0, places[0].dim()
    sizes = [data.shape[axis] for axis in others]
    shape = (*sizes[:first], *places[0].shape, *sizes[first:])
    order = [*range(first, first + rank), *range(first), *range(first + rank, len(shape))]
    updates = _expanded(values, shape).permute(order)
    view = [*addressed, *others]
    written = in_words_of(
        "index_put",
        lambda: _ops.scatter_nd(data.permute(view), torch.stack(places, -1), updates, "add" if accumulate else "none"),
        {"data": "input", "updates": "values"},
        lambda: _outside(data, parts, indices),
        dtype=data.dtype,
    )
    return written.permute([view.index(axis) for axis in range(data.dim())]).view(input.shape)


def _by_axis(input: Tensor, indices: Sequence[Tensor | None]) -> tuple[Tensor, list[Tensor | None]]:
    """An index, or None, for each leading axis of `input`. A mask of rank 0 gets an axis of its own."""
    if not isinstance(indices, Sequence):
        given = _given.article(indices)
        raise refusal(
            TypeError,
            "invalid type",
            f"indices is {given}; it must be a tuple of tensors, as (index,)",
            operator="index_put",
            operand="indices",
        )
    parts: list[Tensor | None] = []
    for which, index in enumerate(indices):
        name, axis = f"indices[{which}]", len(parts)
        if index is not None and not isinstance(index, Tensor):
            raise refusal(
                TypeError,
                "invalid type",
                f"{name} is {_given.article(index)}; it must be a tensor or None",
                operator="index_put",
                operand=name,
            )
        if index is None or index.dtype not in _MASKS:
            if index is not None and not are_integers(index):
                raise refusal(
                    TypeError,
                    "invalid type",
                    f"{name} is {type_of(index)}; it must hold integers or be a mask",
                    operator="index_put",
                    operand=name,
                )
            parts.append(index)
            continue
        if index.dim() == 0 and axis <= input.dim():
            input, index = input.unsqueeze(axis), index.unsqueeze(0)
        there = list(input.shape[axis : axis + index.dim()])
        if axis + index.dim() <= input.dim() and list(index.shape) != there:
            shape = f"{list(index.shape)}; it must have {there}, that of input from axis {axis} on"
            raise refusal(
                ValueError, "invalid argument", f"{name} is a mask of shape {shape}", operator="index_put", operand=name
            )
        parts.extend(index.nonzero().unbind(1))
    if len(parts) > input.dim():
        raise refusal(
            IndexError,
            "index out of range",
            f"{len(parts)} indices; input has {shaped(input)}",
            operator="index_put",
            operand="indices",
        )
    return input, parts


def _broadcast(places: list[Tensor]) -> list[Tensor]:
    try:
        return list(torch.broadcast_tensors(*places))
    except RuntimeError:
        shapes = " and ".join(str(list(place.shape)) for place in places)
        raise refusal(
            ValueError,
            "invalid argument",
            f"indices have shapes {shapes}, which do not go together",
            operator="index_put",
            operand="indices",
        ) from None


def _expanded(values: Tensor, shape: Sequence[int]) -> Tensor:
    try:
        return values.expand(shape)
    except RuntimeError:
        shapes = f"{list(values.shape)}; input[indices] has {list(shape)}"
        raise refusal(
            ValueError, "invalid argument", f"values have shape {shapes}", operator="index_put", operand="values"
        ) from None


def _outside(data: Tensor, parts: list[Tensor | None], indices: Sequence[Tensor | None]) -> IndexError | None:
    for axis, part in enumerate(parts):
        which = next((k for k, index in enumerate(indices) if index is part), None)  # None: of a mask
        if part is not None and which is not None:
            found = outside("index_put", f"indices[{which}]", part, axis, data, -1)
            if found is not None:
                return found
    return None

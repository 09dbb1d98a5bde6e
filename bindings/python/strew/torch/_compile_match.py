"""Finds gathered rows, sums of rows, and messages (the rows that are summed) in a joint graph.

A joint graph has the forward and the backward pass of a program, and is functional. Two sizes count as equal only if
PyTorch can prove it without a guard.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.fx import Node

aten, prims = torch.ops.aten, torch.ops.prims
FLOATS = (torch.float32, torch.float64)
_SAME_ELEMENTS = (aten.expand.default, aten.view.default, aten.clone.default, aten.alias.default)
# Operators that scatter, and the position of the scattered values among the arguments of each.
SCATTERS = {aten.index_put.default: 2, aten.scatter_add.default: 3, aten.scatter_reduce.two: 3}
_VIEWS = (aten.view.default, aten.reshape.default, aten.unsqueeze.default)


class Left(Exception):
    """Raised with the reason why a node is not rewritten."""


class Rows(NamedTuple):
    """The node ``data[index]``, where `index` selects rows."""

    data: Any
    index: Any


class Scatter(NamedTuple):
    """The node ``zeros.index_add(0, index, values)``, or its counterpart for another reduction."""

    values: Any
    index: Any
    zeros: Any
    reduction: str


class Message(NamedTuple):
    """The rows that a sum adds: ``relu(data[index] * weight + addend)``."""

    data: Any
    index: Any
    weight: Any = None
    addend: Any = None
    relu: bool = False


def value(node: Any) -> Any:
    return node.meta.get("val") if isinstance(node, Node) else None


def is_on_cpu(node: Any) -> bool:
    return isinstance(value(node), torch.Tensor) and value(node).device.type == "cpu"


def are_equal(one: Any, other: Any) -> bool:
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return statically_known_true(one == other)


def are_shapes_equal(one: Any, other: Any) -> bool:
    return len(one) == len(other) and all(map(are_equal, one, other))


def peeled(node: Any) -> Any:
    """Skip views and copies that change nothing, such as autograd's `expand`, and return the node that they read."""
    while isinstance(node, Node) and node.target in _SAME_ELEMENTS:
        inner = value(node.args[0])
        if inner.dtype != value(node).dtype or not are_shapes_equal(inner.shape, value(node).shape):
            break
        node = node.args[0]
    return node


def users_of(node: Any) -> Any:
    """Yield the nodes that read a node, directly or through views and copies that change nothing."""
    for user in node.users:
        if peeled(user) is node:
            yield from users_of(user)
        else:
            yield user


def is_zeros(node: Any) -> bool:
    """Return whether all elements of a node are +0. If they were -0, rows without messages would have to stay -0."""
    return isinstance(node, Node) and node.target is aten.full.default and str(node.args[1]) in ("0", "0.0", "False")


def is_index(node: Any) -> bool:
    found = value(node)
    return is_on_cpu(node) and found.dim() == 1 and found.dtype in (torch.int64, torch.int32)


def rows_of(index: Any) -> Any:
    """Return the row index from which `index` was made by repetition along all axes but the first, or None."""
    node = index
    while isinstance(value(node), torch.Tensor):
        if is_index(node):
            return node if are_equal(value(node).shape[0], value(index).shape[0]) else None
        if node.target is aten.expand.default:
            repeated = value(node.args[0])
            if repeated.dim() != value(node).dim():
                return None
        elif node.target in _VIEWS:
            repeated = value(node)
        else:
            return None
        if not all(are_equal(size, 1) for size in repeated.shape[1:]):
            return None
        node = node.args[0]
    return None


def is_same_index(one: Any, other: Any) -> bool:
    return one is not None and other is not None and made_of(one) == made_of(other)


def made_of(node: Any) -> Any:
    """Return a key for an index. Equal `select` nodes of one tensor have equal keys."""
    if isinstance(node, Node) and node.target in (aten.select.int, *_VIEWS):
        return node.target, made_of(node.args[0]), str(node.args[1:])
    return node


def gathered(node: Any) -> Any:
    """Return the rows that a node gathers, or None."""
    node = peeled(node)
    if not isinstance(node, Node):
        return None
    args, rows = node.args, None
    if node.target is aten.index.Tensor and len(args[1]) == 1:
        rows = Rows(args[0], args[1][0])
    elif node.target is aten.embedding.default:
        rows = Rows(*args[:2])
    elif node.target is aten.gather.default and args[1] == 0:
        if are_shapes_equal(value(args[0]).shape[1:], value(args[2]).shape[1:]):
            rows = Rows(args[0], rows_of(args[2]))
    return rows if rows is not None and is_index(rows.index) else None


def scattered(node: Any) -> Scatter:
    """Return a scatter as a reduction of rows into zeros, or raise `Left`."""
    args, reduction = node.args, "sum"
    if node.target is aten.index_put.default:
        zeros, (index, *others), values = args[:3]
        if len(args) < 4 or args[3] is not True:
            raise Left("it assigns")
        if others or not is_index(index):
            raise Left("indices that are not one index of rows")
    else:
        zeros, axis, elements, values, reduction = (*args, "sum")[:5]
        if reduction not in ("sum", "mean", "amax", "amin"):
            raise Left(f"reduction {reduction}")
        if reduction != "sum" and node.kwargs.get("include_self", True):
            raise Left(f"reduction {reduction} that includes the data")
        if axis != 0:
            raise Left("an axis that is not the first")
        index = rows_of(elements)
        if index is None or not are_shapes_equal(value(elements).shape, value(values).shape):
            raise Left("an index of elements")
    shape = (value(index).shape[0], *value(node).shape[1:])
    if value(node).dim() == 0 or not are_shapes_equal(value(values).shape, shape):
        raise Left("values that are broadcast")
    if not is_zeros(zeros):
        raise Left("data that are not zeros")
    return Scatter(values, index, zeros, reduction)


def is_scatter(node: Any, index: Any = None) -> bool:
    """Return whether a node reduces rows. With an index, return whether the node sums rows by this index."""
    if node.target not in SCATTERS:
        return False
    try:
        found = scattered(node)
    except Left:
        return False
    return index is None or (found.reduction == "sum" and is_same_index(found.index, index))


def goes_with_rows(node: Any) -> bool:
    """Return whether a node that reads gathered rows is fused: a scatter, part of its gradient, or a dot product."""
    is_of_dot = node.target is aten.mul.Tensor and all(user.target is aten.sum.dim_IntList for user in users_of(node))
    return is_of_dot or node.target is aten.eq.Tensor or is_scatter(node)


def is_term(term: Any, message: Any) -> bool:
    """Return whether `gather_scatter` accepts the term, which is a weight or an addend.

    Its first axis must be as long as the message's, and every other axis must be as long or have length 1. The ranks
    must be equal, because PyTorch pads shapes on the left, and `gather_scatter` on the right.
    """
    found, whole = value(term), value(message)
    if not is_on_cpu(term) or found.dtype != whole.dtype or found.dim() != whole.dim():
        return False
    sizes = zip(found.shape, whole.shape, strict=True)
    return are_equal(found.shape[0], whole.shape[0]) and all(are_equal(a, b) or are_equal(a, 1) for a, b in sizes)


def message_of(values: Any) -> Message:
    """Return the message whose rows a sum adds, or raise `Left`."""
    if value(values).dtype not in FLOATS:
        raise Left(f"rows of {value(values).dtype}")
    node, relu, addend, weight = peeled(values), False, None, None
    if node.target is aten.relu.default:
        node, relu = peeled(node.args[0]), True
    if node.target is aten.add.Tensor and not node.kwargs:
        is_product = lambda rows: rows.target is aten.mul.Tensor and any(map(gathered, rows.args))
        node, addend = _split(node, lambda rows: gathered(rows) or is_product(rows))
    if node.target is aten.mul.Tensor:
        node, weight = _split(node, gathered)
    elif node is peeled(values) and gathered(node) and not all(map(goes_with_rows, users_of(node))):
        raise Left("the gathered rows are also used elsewhere")
    rows = gathered(node)
    if rows is None:
        raise Left(f"no gather produces the message: {node.target}")
    if value(rows.data).dtype != value(values).dtype or value(rows.data).dim() != value(values).dim():
        raise Left("rows of another shape or type")
    return Message(rows.data, rows.index, weight, addend, relu)


def _split(node: Any, is_rows: Any) -> tuple[Any, Any]:
    """Return the operand that `is_rows` accepts and that has the shape of the result, then the other operand."""
    if len(node.users) != 1:
        raise Left("the message is also used elsewhere")  # fusion would compute it a second time
    both = tuple(map(peeled, node.args))
    for rows, term in (both, both[::-1]):
        if isinstance(rows, Node) and is_rows(rows) and is_term(term, node):
            if are_shapes_equal(value(rows).shape, value(node).shape):
                return rows, term
    raise Left("no gather produces the message")


class Gradient(NamedTuple):
    """Nodes: the sum that is the gradient of the data, the gradient of the result, and that of the addend, if any."""

    end: Any
    incoming: Any
    of_addend: Any = None


def gradient_of_relu(scatter: Scatter, message: Message) -> Gradient | None:
    """Find PyTorch's gradient of ``relu(data + addend)``, or return None. It is 0 if the sum is 0 or less."""
    masks = [user for user in users_of(peeled(scatter.values)) if user.target is aten.le.Scalar and user.args[1] == 0]
    is_known = message.addend is not None and message.weight is None
    for node in (user for mask in masks for user in mask.users if is_known):
        if node.target is aten.where.self and is_zeros(node.args[1]):
            incoming = gathered(node.args[2])
            ends = [user for user in users_of(node) if is_scatter(user, message.index)]
            if incoming is not None and is_same_index(incoming.index, scatter.index) and len(ends) == 1:
                if are_shapes_equal(value(ends[0]).shape, value(message.data).shape):
                    return Gradient(ends[0], incoming.data, node)
    return None


def gradient_of_extreme(result: Any, scatter: Scatter, message: Message) -> Gradient | None:
    """Find PyTorch's gradient of the maximum or minimum that `scatter_reduce` computes, or return None.

    Let i be the index of the scatter, which writes into zeros, and g the gradient of its result. PyTorch adds up
    ``(rows == result[i]) * (g / winners)[i]`` by the index of the rows. ``winners`` is the number of elements that
    share g equally, ``(result == 0).scatter_add(i, rows == result[i])``. If a result is 0, the initial 0 counts too.
    """
    index = scatter.index

    def of_targets(node: Any, values: Any = None) -> bool:
        """Return whether a node is ``values[i]``."""
        if not isinstance(node, Node) or node.target is not aten.gather.default:
            return False
        return values in (None, node.args[0]) and is_same_index(rows_of(node.args[2]), index)

    def is_number_of_winners(node: Any) -> bool:
        if node.target is not aten.scatter_add.default or not is_same_index(rows_of(node.args[2]), index):
            return False
        base, counted = _unconverted(node.args[0]), _unconverted(node.args[3])
        return base.target is aten.eq.Tensor and result in base.args and any(map(is_zeros, base.args)) and counted in won

    readers = users_of(peeled(scatter.values)) if message == Message(message.data, message.index) else ()
    compared = [user for user in readers if user.target is aten.eq.Tensor]
    won = {user for user in compared if any(of_targets(each, result) for each in user.args)}
    for product in {user for each in won for user in each.users if user.target is aten.mul.Tensor}:
        shares = [each for each in product.args if of_targets(each)]
        ends = [user for user in product.users if is_scatter(user, message.index)]
        if len(shares) == len(ends) == 1 and shares[0].args[0].target is aten.div.Tensor:
            incoming, winners = shares[0].args[0].args
            if is_number_of_winners(winners):
                return Gradient(ends[0], incoming)
    return None


def _unconverted(node: Any) -> Any:
    while isinstance(node, Node) and node.target is prims.convert_element_type.default:
        node = node.args[0]
    return node

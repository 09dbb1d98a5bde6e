"""Gradients of the fused gather-scatter and of the dot products of edges."""

import math
from typing import NamedTuple

import torch

from . import _operators
from ._edges import Along
from ._graph_operators import (
    detached, edge_dot, gather_scatter, gather_scatter_argmax, gather_scatter_gradients, heads_of, padded, sum_to,
)


def _messages(data, gather_index, weight, addend, relu):
    """Return the messages, one row for each edge. The operator itself never stores messages."""
    messages = _operators.gather(data, gather_index, 0)
    if weight is not None:
        messages = messages * padded(weight, data.dim())
    if addend is not None:
        messages = messages + padded(addend, data.dim())
    return messages.relu() if relu else messages


def _from_front(index, size):
    index = index.to(torch.int64)
    return torch.where(index < 0, index + size, index)


class _How(NamedTuple):
    """The options of a call."""

    target_size: int
    relu: bool
    reduction: str
    acc_dtype: str
    ties: str


def _save(ctx, inputs, output):
    data, gather_index, scatter_index, key, ctx.is_reverse, target_size, weight, addend, *how = inputs
    ctx.how = _How(target_size, *how)
    result = output if ctx.how.reduction in ("max", "min", "mul") else None  # otherwise, the caller may modify it
    ctx.save_for_backward(gather_index, scatter_index, key, data, weight, addend, result)


def _saved(ctx):
    gather_index, scatter_index, key, *rest = ctx.saved_tensors
    return Along(gather_index, scatter_index, key, ctx.is_reverse), *rest


def _backward(ctx, grad):
    along, data, weight, addend, output = _saved(ctx)
    how, wanted = ctx.how, [ctx.needs_input_grad[place] for place in (0, 6, 7)]
    linear = how.reduction in ("add", "mean") and not how.relu
    heads = 1 if weight is None else heads_of(weight, data, along.gather_index.shape[0])
    if how.reduction == "mul":
        messages = _messages(data, along.gather_index, weight, addend, how.relu)
        shares = _shares_of_product(grad, messages, _from_front(along.scatter_index, how.target_size), output)
        gradients = _of_messages(shares, messages, data, along.gather_index, weight, addend, how.relu, wanted)
    elif linear and heads is not None:
        gradients = _of_sums(grad, data, along, weight, addend, how, wanted, heads)
    else:
        how = how.relu, how.reduction, how.acc_dtype, how.ties, wanted
        made = gather_scatter_gradients(grad, data, *along, weight, addend, output, *how)
        gradients = (each if wants else None for each, wants in zip(made, wanted, strict=True))
    of_data, of_weight, of_addend = gradients
    return of_data, *[None] * 5, of_weight, of_addend, *[None] * 4


def _of_sums(grad, data, along, weight, addend, how, wanted, heads):
    """Compute gradients of sums with the fused operators, whose own gradients give the second derivatives."""
    of_data = of_weight = of_addend = None
    if how.reduction == "mean":
        grad = _divided(grad, _degrees(along.scatter_index, how.target_size, grad))
    if wanted[0]:
        back = (weight, None, False, "add", how.acc_dtype, "share")
        of_data = gather_scatter(grad, *along.reverse(), data.shape[0], *back)
    if wanted[1]:
        of_weight = edge_dot(data, grad, *along, heads).reshape(weight.shape)
    if wanted[2]:
        of_edges = grad.index_select(0, _from_front(along.scatter_index, how.target_size))
        of_addend = sum_to(of_edges, addend.shape)
    return of_data, of_weight, of_addend


def _degrees(scatter_index, target_size, like):
    ones = torch.ones(scatter_index.shape[0], dtype=torch.int64)
    degree = torch.zeros(target_size, dtype=torch.int64).index_add_(0, _from_front(scatter_index, target_size), ones)
    return degree.clamp_(min=1).reshape(-1, *[1] * (like.dim() - 1))


def _divided(grad, degree):
    """Divide in float32 or wider and round once: a float16 is at most 65,504, but a target may have more edges."""
    wide = torch.promote_types(grad.dtype, torch.float32)
    return (grad.to(wide) / degree.to(wide)).to(grad.dtype)


def _shares_of_product(grad, messages, target, output):
    """Return the gradient of each message: the gradient of its target times all other messages of that target."""
    columns = math.prod(messages.shape[1:])
    ones = torch.ones_like(output).reshape(output.shape[0], columns)
    others = _operators.products_of_others(ones, target, messages.reshape(target.shape[0], columns))
    return _operators.gather(grad, target, 0) * others.view(messages.shape)


def _of_messages(shares, messages, data, gather_index, weight, addend, relu, wanted):
    """Return the gradients of data, weight and addend from the gradients of the messages."""
    if relu:
        shares = torch.where(messages <= 0, 0, shares)
    of_data = of_weight = of_addend = None
    if wanted[0]:
        rows = shares if weight is None else shares * padded(weight, data.dim())
        of_data = _added(rows, gather_index, data.shape)
    if wanted[1]:
        of_weight = sum_to(shares * _operators.gather(data, gather_index, 0), weight.shape)
    if wanted[2]:
        of_addend = sum_to(shares, addend.shape)
    return of_data, of_weight, of_addend


def _added(rows, index, shape):
    return _operators.scatter_nd(rows.new_zeros(()).expand(shape), index.unsqueeze(-1), rows, "add")


def _parts(messages, target, output, how, operands):
    """Return the part that each message receives of the gradient of its target. The parts have no gradients themselves."""
    ones = torch.ones_like(messages)
    if how.reduction == "add":
        parts = ones
    elif how.reduction == "mean":
        parts = _divided(ones, _degrees(target, how.target_size, messages).index_select(0, target))
    elif how.ties == "first":
        parts = _first_of_each(ones, how, *operands)
    else:
        result = _operators.gather(output, target, 0)
        won = ((messages == result) | (messages.isnan() & result.isnan())).detach()
        start = output == 0 if how.ties == "share_with_zero" else torch.zeros_like(output, dtype=torch.bool)
        winners = start.to(torch.int64).index_add(0, target, won.to(torch.int64))
        parts = _divided(won.to(messages.dtype), winners.clamp(min=1).index_select(0, target))
    return torch.where(messages <= 0, 0, parts) if how.relu else parts


def _part_of(values, parts):
    """Return ``values * parts``, but 0 if a part is 0, even for an infinite value."""
    return torch.where(parts == 0, 0, values * parts)


def _first_of_each(ones, how, data, along, weight, addend):
    terms = (how.target_size, detached(weight), detached(addend), how.relu, how.reduction, "data")
    _, first = gather_scatter_argmax(data.detach(), *along, *terms)
    return ones.new_zeros((ones.shape[0] + 1, *ones.shape[1:])).scatter(0, first, 1.0)[:-1]


def _save_gradients(ctx, inputs, output):
    grad, data, gather_index, scatter_index, key, ctx.is_reverse, weight, addend, result, *how, ctx.wanted = inputs
    ctx.how = _How(grad.shape[0], *how)
    ctx.save_for_backward(gather_index, scatter_index, key, grad, data, weight, addend, result)


def _backward_of_gradients(ctx, along_data, along_weight, along_addend):
    """Return the second derivatives. A share is the gradient that a message receives from its target."""
    edges, grad, data, weight, addend, result = _saved(ctx)
    how, of_inputs = ctx.how, [None] * 14
    gather_index, scatter_index = edges.gather_index, edges.scatter_index
    target = _from_front(scatter_index, how.target_size)
    messages = _messages(*(detached(each) for each in (data, gather_index, weight, addend)), how.relu)
    parts = _parts(messages, target, result, how, (data, edges, weight, addend))
    along_data = _operators.gather(along_data, gather_index, 0) if ctx.wanted[0] else None
    along_weight = padded(along_weight, data.dim()) if ctx.wanted[1] else None
    along_addend = padded(along_addend, data.dim()) if ctx.wanted[2] else None
    shares = _part_of(_operators.gather(grad, target, 0), parts)
    if ctx.needs_input_grad[0]:
        terms = [along_addend]
        if along_data is not None:
            terms.append(along_data if weight is None else along_data * padded(weight, data.dim()))
        if along_weight is not None:
            terms.append(along_weight * _operators.gather(data, gather_index, 0))
        along = sum(term for term in terms if term is not None)
        of_inputs[0] = _added(_part_of(along, parts), scatter_index, grad.shape)
    if ctx.needs_input_grad[1] and along_weight is not None:
        of_inputs[1] = _added(shares * along_weight, gather_index, data.shape)
    if ctx.needs_input_grad[6] and along_data is not None:
        of_inputs[6] = sum_to(shares * along_data, weight.shape)
    return tuple(of_inputs)


def _save_dot(ctx, inputs, output):
    one, other, gather_index, scatter_index, key, ctx.is_reverse, ctx.heads = inputs
    ctx.save_for_backward(gather_index, scatter_index, key, one, other)


def _dot_backward(ctx, grad):
    along, one, other = _saved(ctx)
    how = (grad, None, False, "add", "data", "share")
    if ctx.heads > 1:
        row = (ctx.heads, one[0].numel() // ctx.heads if one.shape[0] else 0)
        one_rows, other_rows = one.reshape(one.shape[0], *row), other.reshape(other.shape[0], *row)
    else:
        one_rows, other_rows = one, other
    of_one = of_other = None
    if ctx.needs_input_grad[0]:
        of_one = gather_scatter(other_rows, *along.reverse(), one.shape[0], *how).reshape(one.shape)
    if ctx.needs_input_grad[1]:
        of_other = gather_scatter(one_rows, *along, other.shape[0], *how).reshape(other.shape)
    return of_one, of_other, *[None] * 5


gather_scatter.gradient(_backward, _save)
gather_scatter_gradients.gradient(_backward_of_gradients, _save_gradients)
edge_dot.gradient(_dot_backward, _save_dot)

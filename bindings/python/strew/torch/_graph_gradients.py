"""Gradients of the fused gather-scatter and of the dot products of edges."""

import math
from typing import NamedTuple

import torch

from . import _graph_operators, _transforms
from ._graph_operators import detached, heads_of, padded, shapes_of_gradients


def _sum_to(gradient, shape):
    padded = (*shape, *[1] * (gradient.dim() - len(shape)))
    axes = [axis for axis, (size, wanted) in enumerate(zip(gradient.shape, padded, strict=True)) if size != wanted]
    return (gradient.sum(axes, keepdim=True) if axes else gradient).reshape(shape)


def _messages(data, gather_index, weight, addend, relu):
    """What the operator never keeps: a row for each edge."""
    messages = _transforms.gather(data, gather_index, 0)
    if weight is not None:
        messages = messages * padded(weight, data.dim())
    if addend is not None:
        messages = messages + padded(addend, data.dim())
    return messages.relu() if relu else messages


def _from_front(index, size):
    index = index.to(torch.int64)
    return torch.where(index < 0, index + size, index)


class _How(NamedTuple):
    """What a call does beside its tensors."""

    target_size: int
    relu: bool
    reduction: str
    acc_dtype: str
    ties: str


def _save(ctx, inputs, output):
    data, gather_index, scatter_index, target_size, weight, addend, *how = inputs
    ctx.how = _How(target_size, *how)
    kept = output if ctx.how.reduction in ("max", "min", "mul") else None  # else the caller may change it
    ctx.save_for_backward(data, gather_index, scatter_index, weight, addend, kept)


def _backward(ctx, grad):
    data, gather_index, scatter_index, weight, addend, output = ctx.saved_tensors
    how, wanted = ctx.how, [ctx.needs_input_grad[place] for place in (0, 4, 5)]
    linear = how.reduction in ("add", "mean") and not how.relu
    heads = 1 if weight is None else heads_of(weight, data)
    if how.reduction == "mul":
        data, weight, addend = _aliases(data, weight, addend)
        inputs = [each if wants else None for each, wants in zip((data, weight, addend), wanted, strict=True)]
        operands = (data, gather_index, scatter_index, weight, addend)
        gradients = _of_messages(grad, *operands, output, how, inputs, torch.is_grad_enabled())
    elif linear and heads is not None:
        gradients = _of_sums(grad, data, gather_index, scatter_index, weight, addend, how, wanted, heads)
    else:
        how = how.relu, how.reduction, how.acc_dtype, how.ties, wanted
        of_data, of_weight, of_addend = gather_scatter_gradients(
            grad, data, gather_index, scatter_index, weight, addend, output, *how
        )
        gradients = (
            of_data if wanted[0] else None,
            _sum_to_term(of_weight, weight, data) if wanted[1] else None,
            _sum_to_term(of_addend, addend, data) if wanted[2] else None,
        )
    of_data, of_weight, of_addend = gradients
    return of_data, None, None, None, of_weight, of_addend, None, None, None, None


def _aliases(*tensors):
    """Views of them, at which differentiation ends: one operand may be computed from another."""
    with torch.enable_grad():
        return [None if tensor is None else tensor.view_as(tensor) for tensor in tensors]


def _sum_to_term(gradient, term, data):
    whole = (gradient.shape[0], *data.shape[1:])
    return _sum_to(gradient, term.shape) if tuple(gradient.shape) == whole else gradient.reshape(term.shape)


def _of_sums(grad, data, gather_index, scatter_index, weight, addend, how, wanted, heads):
    """Made of the fused operators themselves, and so are their own gradients."""
    of_data = of_weight = of_addend = None
    if how.reduction == "mean":
        grad = _divided(grad, _degrees(scatter_index, how.target_size, grad))
    if wanted[0]:
        back = (weight, None, False, "add", how.acc_dtype, "share")
        of_data = gather_scatter(grad, scatter_index, gather_index, data.shape[0], *back)
    if wanted[1]:
        of_weight = edge_dot(data, grad, gather_index, scatter_index, heads).reshape(weight.shape)
    if wanted[2]:
        of_edges = grad.index_select(0, _from_front(scatter_index, how.target_size))
        of_addend = _sum_to(of_edges, addend.shape)
    return of_data, of_weight, of_addend


def _degrees(scatter_index, target_size, like):
    ones = torch.ones(scatter_index.shape[0], dtype=torch.int64)
    degree = torch.zeros(target_size, dtype=torch.int64).index_add_(0, _from_front(scatter_index, target_size), ones)
    return degree.clamp_(min=1).reshape(-1, *[1] * (like.dim() - 1))


def _divided(grad, degree):
    """Rounded once: a half is no more than 65,504, but a target may have more edges."""
    wide = torch.promote_types(grad.dtype, torch.float32)
    return (grad.to(wide) / degree.to(wide)).to(grad.dtype)


def _of_messages(grad, data, gather_index, scatter_index, weight, addend, output, how, inputs, create_graph):
    """Of what the messages are made of, by these themselves: for products, and for second derivatives."""
    with torch.enable_grad():
        messages = _messages(data, gather_index, weight, addend, how.relu)
        target = _from_front(scatter_index, how.target_size)
        operands = (data, gather_index, scatter_index, weight, addend)
        shares = _shares(grad, messages, target, output, how, operands)
        given = [tensor for tensor in inputs if tensor is not None]
        gradients = iter(torch.autograd.grad(messages, given, shares, create_graph=create_graph))
    return [None if tensor is None else next(gradients) for tensor in inputs]


def _shares(grad, messages, target, output, how, operands):
    """The gradient of each message."""
    rows = _transforms.gather(grad, target, 0)
    if how.reduction == "add":
        return rows
    if how.reduction == "mean":
        return _divided(grad, _degrees(target, how.target_size, grad)).index_select(0, target)
    index = target.reshape(-1, *[1] * (messages.dim() - 1)).expand_as(messages)
    if how.reduction == "mul":
        columns = math.prod(messages.shape[1:])
        ones = torch.ones_like(output).reshape(how.target_size, columns)
        others = _transforms.products_of_others(ones, target, messages.reshape(target.shape[0], columns))
        return rows * others.view(messages.shape)
    if how.ties == "first":
        return _shares_of_first(grad, index.shape, how, *operands)
    result = _transforms.gather(output, target, 0)
    won = ((messages == result) | (messages.isnan() & result.isnan())).detach()
    start = output == 0 if how.ties == "share_with_zero" else torch.zeros_like(output)
    winners = _transforms.scatter_elements(start.to(output.dtype), index, won.to(output.dtype), 0, "add")
    return torch.where(won, _transforms.gather(grad / winners.clamp(min=1), target, 0), 0)


def _shares_of_first(grad, shape, how, data, gather_index, scatter_index, weight, addend):
    terms = (how.target_size, detached(weight), detached(addend), how.relu, how.reduction)
    _, first = torch.ops.strew.gather_scatter_argmax(data.detach(), gather_index, scatter_index, *terms)
    return grad.new_zeros((shape[0] + 1, *shape[1:])).scatter(0, first, grad)[:-1]


def _save_gradients(ctx, inputs, output):
    grad, data, gather_index, scatter_index, weight, addend, result, *how, ctx.wanted = inputs
    ctx.how = _How(grad.shape[0], *how)
    ctx.save_for_backward(grad, data, gather_index, scatter_index, weight, addend, result)


def _backward_of_gradients(ctx, *along):
    _, _, gather_index, scatter_index, _, _, result = ctx.saved_tensors
    operands = _aliases(*(ctx.saved_tensors[place] for place in (0, 1, 4, 5)))
    grad, data, weight, addend = operands
    create_graph = torch.is_grad_enabled()
    with torch.enable_grad():
        shapes = shapes_of_gradients(data, weight, addend, gather_index.shape[0])
        weights, weight = _as_its_gradient(weight, data, shapes[0] if ctx.wanted[1] else None)
        addends, addend = _as_its_gradient(addend, data, shapes[1] if ctx.wanted[2] else None)
        inputs = [data if ctx.wanted[0] else None, weights, addends]
        first = _of_messages(grad, data, gather_index, scatter_index, weight, addend, result, ctx.how, inputs, True)
    pairs = [pair for pair in zip(first, along, strict=True) if pair[0] is not None and pair[0].requires_grad]
    places = zip((0, 1, 4, 5), operands, strict=True)
    wanted = {place: operand for place, operand in places if ctx.needs_input_grad[place]}
    gradients = [None] * 12
    if pairs and wanted:
        outputs, along = zip(*pairs, strict=True)
        given = list(wanted.values())
        second = torch.autograd.grad(outputs, given, along, create_graph=create_graph, allow_unused=True)
        for place, gradient in zip(wanted, second, strict=True):
            gradients[place] = gradient
    return tuple(gradients)


def _as_its_gradient(term, data, shape):
    """A term in the shape of its gradient, and what of that goes into the messages."""
    if shape is None:
        return None, term
    if shape[1:] != [*data.shape[1:]]:
        each = term.reshape(shape)
        return each, each.reshape(term.shape)
    each = padded(term, data.dim()).expand(shape)
    return each, each


def _save_dot(ctx, inputs, output):
    one, other, gather_index, scatter_index, ctx.heads = inputs
    ctx.save_for_backward(one, other, gather_index, scatter_index)


def _dot_backward(ctx, grad):
    one, other, gather_index, scatter_index = ctx.saved_tensors
    how = (grad, None, False, "add", "data", "share")
    if ctx.heads > 1:
        row = (ctx.heads, one[0].numel() // ctx.heads if one.shape[0] else 0)
        one_rows, other_rows = one.reshape(one.shape[0], *row), other.reshape(other.shape[0], *row)
    else:
        one_rows, other_rows = one, other
    fold = gather_scatter
    of_one = of_other = None
    if ctx.needs_input_grad[0]:
        of_one = fold(other_rows, scatter_index, gather_index, one.shape[0], *how).reshape(one.shape)
    if ctx.needs_input_grad[1]:
        of_other = fold(one_rows, gather_index, scatter_index, other.shape[0], *how).reshape(other.shape)
    return of_one, of_other, None, None, None


_transforms.register("gather_scatter", _backward, _save, home=_graph_operators)
_transforms.register("gather_scatter_gradients", _backward_of_gradients, _save_gradients, home=_graph_operators)
_transforms.register("edge_dot", _dot_backward, _save_dot, home=_graph_operators)
gather_scatter = _transforms._call("gather_scatter")
gather_scatter_gradients = _transforms._call("gather_scatter_gradients")
edge_dot = _transforms._call("edge_dot")

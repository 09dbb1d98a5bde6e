"""Gradients of the fused gather-scatter and of the dot products of edges."""

import torch

from . import _graph_operators, _transforms
from ._graph_operators import detached


def _padded(term, rank):
    """A weight or an addend with 1s on the right."""
    return term.reshape(*term.shape, *[1] * (rank - term.dim()))


def _sum_to(gradient, shape):
    padded = (*shape, *[1] * (gradient.dim() - len(shape)))
    axes = [axis for axis, (size, wanted) in enumerate(zip(gradient.shape, padded, strict=True)) if size != wanted]
    return (gradient.sum(axes, keepdim=True) if axes else gradient).reshape(shape)


def _messages(data, gather_index, weight, addend, relu):
    """What the operator never keeps: a row for each edge."""
    messages = _transforms.gather(data, gather_index, 0)
    if weight is not None:
        messages = messages * _padded(weight, data.dim())
    if addend is not None:
        messages = messages + _padded(addend, data.dim())
    return messages.relu() if relu else messages


def _from_front(index, size):
    index = index.to(torch.int64)
    return torch.where(index < 0, index + size, index)


def _heads_of(weight, data):
    """Into how many heads rows are cut, each with one weight; None where a weight stands for less than that."""
    if weight.shape[0] != 1 and weight.dim() == 1:
        return 1
    inner = tuple(_padded(weight, data.dim()).shape[1:])
    row = tuple(data.shape[1:])
    for kept in range(len(row) + 1):
        if inner == (*row[:kept], *[1] * (len(row) - kept)) and weight.shape[0] != 1:
            heads = 1
            for size in row[:kept]:
                heads *= size
            return heads if kept < len(row) or not row else None
    return None


def _save(ctx, inputs, output):
    data, gather_index, scatter_index, ctx.target_size, weight, addend, ctx.relu, *how = inputs
    ctx.reduction, ctx.acc_dtype, ctx.ties = how
    kept = output if ctx.reduction in ("max", "min", "mul") else None  # else the caller may change it
    ctx.save_for_backward(data, gather_index, scatter_index, weight, addend, kept)


def _backward(ctx, grad):
    data, gather_index, scatter_index, weight, addend, output = ctx.saved_tensors
    linear = ctx.reduction in ("add", "mean") and not ctx.relu
    heads = 1 if weight is None else _heads_of(weight, data)
    if not linear or heads is None:
        return _backward_of_messages(ctx, grad)
    if ctx.reduction == "mean":
        grad = grad / _degrees(scatter_index, ctx.target_size, grad)
    of_data = of_weight = of_addend = None
    if ctx.needs_input_grad[0]:
        how = (weight, None, False, "add", ctx.acc_dtype, "share")
        of_data = gather_scatter(grad, scatter_index, gather_index, data.shape[0], *how)
    if ctx.needs_input_grad[4]:
        of_weight = edge_dot(data, grad, gather_index, scatter_index, heads).reshape(weight.shape)
    if ctx.needs_input_grad[5]:
        of_edges = grad.index_select(0, _from_front(scatter_index, ctx.target_size))
        of_addend = _sum_to(of_edges, addend.shape)
    return of_data, None, None, None, of_weight, of_addend, None, None, None, None


def _degrees(scatter_index, target_size, like):
    ones = torch.ones(scatter_index.shape[0], dtype=torch.int64)
    degree = torch.zeros(target_size, dtype=torch.int64).index_add_(0, _from_front(scatter_index, target_size), ones)
    return degree.clamp_(min=1).to(like.dtype).reshape(-1, *[1] * (like.dim() - 1))


def _backward_of_messages(ctx, grad):
    """By the messages themselves, for what has no fused gradient: maxima, products, relu, a weight for each element."""
    data, gather_index, scatter_index, weight, addend, output = ctx.saved_tensors
    wanted = [ctx.needs_input_grad[place] for place in (0, 4, 5)]
    with torch.enable_grad():
        inputs = [tensor for tensor, wants in zip((data, weight, addend), wanted, strict=True) if wants]
        messages = _messages(data, gather_index, weight, addend, ctx.relu)
        target = _from_front(scatter_index, ctx.target_size)
        shares = _shares(ctx, grad, messages, target, output)
        gradients = iter(torch.autograd.grad(messages, inputs, shares, create_graph=torch.is_grad_enabled()))
    of_data, of_weight, of_addend = (next(gradients) if wants else None for wants in wanted)
    return of_data, None, None, None, of_weight, of_addend, None, None, None, None


def _shares(ctx, grad, messages, target, output):
    """The gradient of each message."""
    rows = _transforms.gather(grad, target, 0)
    if ctx.reduction == "add":
        return rows
    if ctx.reduction == "mean":
        return (grad / _degrees(target, ctx.target_size, grad)).index_select(0, target)
    index = target.reshape(-1, *[1] * (messages.dim() - 1)).expand_as(messages)
    if ctx.reduction == "mul":
        ones = torch.ones_like(output)
        return rows * torch.ops.strew.products_of_others(
            ones.reshape(ctx.target_size, -1), target, messages.reshape(target.shape[0], -1)
        ).view(messages.shape)
    if ctx.ties == "first":
        return _shares_of_first(ctx, grad, index.shape, output)
    result = _transforms.gather(output, target, 0)
    won = ((messages == result) | (messages.isnan() & result.isnan())).detach()
    start = output == 0 if ctx.ties == "share_with_zero" else torch.zeros_like(output)
    winners = _transforms.scatter_elements(start.to(output.dtype), index, won.to(output.dtype), 0, "add")
    return torch.where(won, _transforms.gather(grad / winners.clamp(min=1), target, 0), 0)


def _shares_of_first(ctx, grad, shape, output):
    data, gather_index, scatter_index, weight, addend, _ = ctx.saved_tensors
    terms = (ctx.target_size, detached(weight), detached(addend), ctx.relu, ctx.reduction)
    _, first = torch.ops.strew.gather_scatter_argmax(data.detach(), gather_index, scatter_index, *terms)
    return grad.new_zeros((shape[0] + 1, *shape[1:])).scatter(0, first, grad)[:-1]


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
_transforms.register("edge_dot", _dot_backward, _save_dot, home=_graph_operators)
gather_scatter = _transforms._call("gather_scatter")
edge_dot = _transforms._call("edge_dot")

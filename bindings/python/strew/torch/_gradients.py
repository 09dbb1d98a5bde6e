"""Gradients of the operators, computed by the operators themselves."""

import math

import torch

from . import _operators as ops
from ._transforms import named_gradient


def _filled(like, shape, value=0):
    """Return a tensor whose elements all share the memory of one value."""
    return like.new_full((), value).expand(shape)


def _accumulated(values):
    """Return the `acc_dtype` of sums and products. 16-bit floats are accumulated in float32 and rounded once."""
    return "float32" if values.dtype in (torch.float16, torch.bfloat16) else "data"


def _widened(values):
    return values.float() if _accumulated(values) == "float32" else values


def _coordinates(indices, axis):
    """Return the positions along `axis` of `indices`, in a shape that broadcasts to the shape of `indices`."""
    shape = [1] * indices.dim()
    shape[axis] = -1
    return torch.arange(indices.shape[axis], device=indices.device).view(shape)


def _rules(given):
    return {name: given[name] for name in ("out_of_bounds", "negative_indices")}


def _of_scatter(rules):
    """Return the index rules of the scatter that computes the gradient of a gather with these rules."""
    return rules | ({"out_of_bounds": "drop"} if rules["out_of_bounds"] == "fill" else {})


def _of_gather(rules):
    return rules | ({"out_of_bounds": "fill"} if rules["out_of_bounds"] == "drop" else {})


def _save_gather(ctx, given, output):
    ctx.where = given.get("axis", given.get("batch_dims"))
    ctx.rules, ctx.shape = _rules(given), given["data"].shape
    ctx.save_for_backward(given["indices"])


def _added(ctx, scatter, shape, indices, updates, *where):
    """Return the gradient of a gather's data: the sum of `updates` for each element. Fill values add nothing."""
    return scatter(
        _filled(updates, shape), indices, updates, *where, "add", acc_dtype=_accumulated(updates), **_of_scatter(ctx.rules)
    )


def _gather_backward(ctx, grad):
    (indices,) = ctx.saved_tensors
    axis, rank = ctx.where % len(ctx.shape), indices.dim()
    if axis == len(ctx.shape) - 1:
        grad = grad.reshape(*ctx.shape[:-1], indices.numel())
        indices = indices.reshape(-1).expand(grad.shape)
        return _added(ctx, ops.scatter_elements, ctx.shape, indices, grad, axis),
    rows = grad.movedim(tuple(range(axis, axis + rank)), tuple(range(rank)))
    shape = (ctx.shape[axis], *ctx.shape[:axis], *ctx.shape[axis + 1 :])
    summed = _added(ctx, ops.scatter_nd, shape, indices.unsqueeze(-1), rows)
    return summed.movedim(0, axis),


def _gather_elements_backward(ctx, grad):
    (indices,) = ctx.saved_tensors
    return _added(ctx, ops.scatter_elements, ctx.shape, indices, grad, ctx.where),


def _gather_nd_backward(ctx, grad):
    (indices,) = ctx.saved_tensors
    if ctx.where > 0:
        batch = [_coordinates(indices, axis).expand(*indices.shape[:-1], 1) for axis in range(ctx.where)]
        indices = torch.cat([*batch, indices.to(torch.int64)], -1)
    return _added(ctx, ops.scatter_nd, ctx.shape, indices, grad),


def _take_elements(ctx, values, indices):
    return ops.gather_elements(values, indices, *ctx.where, **_of_gather(ctx.rules))


def _take_slices(ctx, values, indices):
    if indices.shape[-1] == 0:
        return values.expand(*indices.shape[:-1], *values.shape)
    return ops.gather_nd(values, indices, 0, **_of_gather(ctx.rules))


def _last_elements(ctx, indices):
    """Return a mask of the updates that no later update of the same element overwrites."""
    order = torch.arange(indices.numel(), device=indices.device).view(indices.shape)
    last = ops.scatter_elements(_filled(order, ctx.shape), indices, order, *ctx.where, **ctx.rules)
    return _take_elements(ctx, last, indices) == order


def _last_slices(ctx, indices):
    tuples, length = indices.shape[:-1], indices.shape[-1]
    count = math.prod(tuples)
    order = torch.arange(count, device=indices.device).view(tuples)
    if length == 0:
        last = order == count - 1
    else:
        last = ops.scatter_nd(_filled(order, ctx.shape[:length]), indices, order, **ctx.rules)
        last = _take_slices(ctx, last, indices) == order
    return last.view([*tuples, *[1] * (len(ctx.shape) - length)])


def _position(ctx, indices, size):
    """Return the positions that indices address on an axis of this size, or -1 for a dropped index."""
    rules = _of_gather(ctx.rules)
    positions = torch.arange(size, device=indices.device)
    return ops.gather(positions, indices, 0, **rules, fill_value=-1 if rules["out_of_bounds"] == "fill" else None)


def _element_coordinates(ctx, indices):
    """Return the coordinates of each update's destination, one tensor per axis."""
    axis = ctx.where[0] % len(ctx.shape)
    coordinates = [_coordinates(indices, d) for d in range(len(ctx.shape))]
    coordinates[axis] = _position(ctx, indices, ctx.shape[axis])
    return coordinates


def _slice_coordinates(ctx, indices):
    sizes = ctx.shape[: indices.shape[-1]]
    return [_position(ctx, one, size) for one, size in zip(indices.unbind(-1), sizes, strict=True)]


def _inside(ctx, coordinates, updates):
    """Return a mask of the updates whose indices are in bounds."""
    inside = torch.ones((), dtype=torch.bool, device=updates.device)
    for coordinate in coordinates:
        inside = inside & (coordinate >= 0)
    return inside.view([*inside.shape, *[1] * (updates.dim() - inside.dim())])


def _others(ctx, coordinates, inside, data, updates):
    """Return, for each update, the product of the data and all other updates at its destination."""
    if data.numel() == 0 or updates.numel() == 0:
        return torch.zeros_like(updates)
    places = torch.zeros((), dtype=torch.int64, device=updates.device)
    for size, coordinate in zip(ctx.shape, coordinates, strict=False):
        places = places * size + coordinate.clamp(min=0)
    rank = len(coordinates)
    length = math.prod(ctx.shape[rank:])
    count = updates.numel() // length
    factors = torch.where(inside, updates, 1).reshape(count, length)
    rows = updates.shape[: updates.dim() - (len(ctx.shape) - rank)]
    others = ops.products_of_others(data.reshape(-1, length), places.expand(rows).reshape(-1), factors)
    return others.view(updates.shape)


def _same(values, results):
    """Return a mask of the values that equal the result; a NaN equals a NaN."""
    return (values == results) | (values.isnan() & results.isnan())


def _save_scatter(ctx, given, output):
    data, indices, updates = given["data"], given["indices"], given["updates"]
    ctx.where = [given["axis"]] if "axis" in given else []
    ctx.reduction, ctx.include_self, ctx.alpha = given["reduction"], given["include_self"], given["alpha"]
    ctx.shape, ctx.update_shape, ctx.rules = data.shape, updates.shape, _rules(given)
    needed = {"mul": (data, updates)} | dict.fromkeys(("div", "max", "min"), (data, updates, output))
    ctx.save_for_backward(indices, *needed.get(ctx.reduction, ()))


def _register_scatter(name, take, last, coordinates):
    """Register gradients. `take` gathers at the indices; `last` and `coordinates` find last updates and destinations.

    The functions in `rules` receive updates that are already multiplied by alpha.
    """

    def scatter(ctx, data, indices, updates, reduction):
        acc_dtype = "data" if reduction == "none" else _accumulated(updates)
        return getattr(ops, name)(data, indices, updates, *ctx.where, reduction, acc_dtype=acc_dtype, **ctx.rules)

    def none(ctx, grad, indices):
        def of_updates():
            return torch.where(last(ctx, indices), take(ctx, grad, indices), 0)

        return lambda: unreached(ctx, grad, indices), of_updates

    def unreached(ctx, grad, indices):
        """Return the gradient of data if updates replace elements: 0 for each element with an update."""
        return scatter(ctx, grad, indices, _filled(grad, ctx.update_shape), "none")

    def of_kept(ctx, grad, indices):
        return grad if ctx.include_self else unreached(ctx, grad, indices)

    def add(ctx, grad, indices):
        return lambda: of_kept(ctx, grad, indices), lambda: take(ctx, grad, indices)

    def sub(ctx, grad, indices):
        if ctx.include_self:
            return lambda: grad, lambda: -take(ctx, grad, indices)
        raise NotImplementedError('there is no derivative of reduction "sub" with include_self=False')

    def mean(ctx, grad, indices):
        wide = _widened(grad)
        terms = _filled(wide, ctx.shape, int(ctx.include_self))
        count = scatter(ctx, terms, indices, _filled(wide, ctx.update_shape, 1), "add")
        share = (wide / torch.where(count == 0, 1, count)).to(grad.dtype)  # 0 would give infinite second derivatives
        return (lambda: share if ctx.include_self else unreached(ctx, grad, indices), lambda: take(ctx, share, indices))

    def mul(ctx, grad, indices, data, updates):
        def of_data():
            if not ctx.include_self:
                return unreached(ctx, grad, indices)
            ones = _filled(updates, ctx.shape, 1)
            return grad * scatter(ctx, ones, indices, updates, "mul").conj()

        def of_updates():
            first = _widened(data if ctx.include_self else torch.ones_like(data))
            places = coordinates(ctx, indices)
            inside = _inside(ctx, places, updates)
            others = _others(ctx, places, inside, first, _widened(updates))
            return torch.where(inside, take(ctx, grad, indices) * others.conj(), 0).to(grad.dtype)

        return of_data, of_updates

    def div(ctx, grad, indices, data, updates, result):
        if not ctx.include_self:
            raise NotImplementedError('there is no derivative of reduction "div" with include_self=False')
        ones = _filled(updates, ctx.shape, 1)

        def of_updates():
            each = -take(ctx, grad * result.conj(), indices) / updates.conj()
            return torch.where(_inside(ctx, coordinates(ctx, indices), updates), each, 0)

        return lambda: grad * scatter(ctx, ones, indices, updates, "div").conj(), of_updates

    def extreme(ctx, grad, indices, data, updates, result):
        data_won = _same(data, result)
        if not ctx.include_self:
            data_won = unreached(ctx, torch.ones_like(data_won), indices)
        update_won = _same(updates, take(ctx, result, indices))
        winners = scatter(ctx, data_won.int(), indices, update_won.int(), "add")
        share = grad / winners
        return lambda: torch.where(data_won, share, 0), lambda: torch.where(update_won, take(ctx, share, indices), 0)

    rules = {rule.__name__: rule for rule in (none, add, sub, mean, mul, div)} | {"max": extreme, "min": extreme}

    def backward(ctx, grad):
        indices, *saved = ctx.saved_tensors
        alpha = None if ctx.alpha is None else torch.full((), ctx.alpha, dtype=grad.dtype, device=grad.device)
        if saved and alpha is not None:
            saved[1] = saved[1] * alpha
        of_data, of_terms = rules[ctx.reduction](ctx, grad, indices, *saved)

        def of_updates():
            return of_terms() if alpha is None else of_terms() * alpha.conj()

        wants_data, _, wants_updates = ctx.needs_input_grad[:3]
        return of_data() if wants_data else None, None, of_updates() if wants_updates else None

    named_gradient(ops, name, backward, _save_scatter)


def _save_tensor_scatter(ctx, given, output):
    ctx.axis, ctx.mode, ctx.update_shape = given["axis"], given["mode"], given["update"].shape
    ctx.save_for_backward(given["write_indices"])


def _tensor_scatter_backward(ctx, grad):
    (write_indices,) = ctx.saved_tensors
    axis, shape = ctx.axis % grad.dim(), ctx.update_shape
    of_cache = of_update = None
    if ctx.needs_input_grad[0]:
        of_cache = ops.tensor_scatter(grad, _filled(grad, shape), write_indices, axis, ctx.mode)
    if ctx.needs_input_grad[1]:
        if write_indices is None:
            of_update = grad.narrow(axis, 0, shape[axis])
        else:
            start = write_indices.to(torch.int64) % max(grad.shape[axis], 1)
            ahead = torch.arange(shape[axis], device=grad.device)
            places = (start.unsqueeze(-1) + ahead) % max(grad.shape[axis], 1)
            once = [shape[d] if d in (0, axis) else 1 for d in range(grad.dim())]
            of_update = ops.gather_elements(grad, places.view(once).expand(shape), axis)
    return of_cache, of_update


def _products_backward(ctx, grad):
    raise NotImplementedError('there are no second derivatives of reduction "mul"')


named_gradient(ops, "gather", _gather_backward, _save_gather)
named_gradient(ops, "gather_elements", _gather_elements_backward, _save_gather)
named_gradient(ops, "gather_nd", _gather_nd_backward, _save_gather)
_register_scatter("scatter_elements", _take_elements, _last_elements, _element_coordinates)
_register_scatter("scatter_nd", _take_slices, _last_slices, _slice_coordinates)
named_gradient(ops, "tensor_scatter", _tensor_scatter_backward, _save_tensor_scatter)
ops.products_of_others.gradient(_products_backward, lambda ctx, inputs, output: None)

"""Gradients of the operators, made of the operators themselves."""

import math

import torch

from . import _transforms as ops


def _filled(like, shape, value=0):
    """A tensor of one value, in the memory of one."""
    return like.new_full((), value).expand(shape)


def _coordinates(indices, axis):
    """The coordinate along `axis` of each position of `indices`, to be broadcast."""
    shape = [1] * indices.dim()
    shape[axis] = -1
    return torch.arange(indices.shape[axis], device=indices.device).view(shape)


def _save_indices(ctx, inputs, output):
    data, indices, ctx.where, *_ = inputs
    ctx.shape = data.shape
    ctx.save_for_backward(indices)


def _gather_backward(ctx, grad):
    (indices,) = ctx.saved_tensors
    axis, rank = ctx.where % len(ctx.shape), indices.dim()
    if axis == len(ctx.shape) - 1:
        grad = grad.reshape(*ctx.shape[:-1], indices.numel())
        indices = indices.reshape(-1).expand(grad.shape)
        return ops.scatter_elements(_filled(grad, ctx.shape), indices, grad, axis, "add"), None, None, None
    rows = grad.movedim(tuple(range(axis, axis + rank)), tuple(range(rank)))
    shape = (ctx.shape[axis], *ctx.shape[:axis], *ctx.shape[axis + 1 :])
    summed = ops.scatter_nd(_filled(grad, shape), indices.unsqueeze(-1), rows, "add")
    return summed.movedim(0, axis), None, None, None


def _gather_elements_backward(ctx, grad):
    (indices,) = ctx.saved_tensors
    return ops.scatter_elements(_filled(grad, ctx.shape), indices, grad, ctx.where, "add"), None, None, None


def _gather_nd_backward(ctx, grad):
    (indices,) = ctx.saved_tensors
    if ctx.where > 0:
        batch = [_coordinates(indices, axis).expand(*indices.shape[:-1], 1) for axis in range(ctx.where)]
        indices = torch.cat([*batch, indices.to(torch.int64)], -1)
    return ops.scatter_nd(_filled(grad, ctx.shape), indices, grad, "add"), None, None, None


def _take_elements(values, indices, axis):
    return ops.gather_elements(values, indices, axis)


def _take_slices(values, indices):
    if indices.shape[-1] == 0:
        return values.expand(*indices.shape[:-1], *values.shape)
    return ops.gather_nd(values, indices, 0)


def _last_elements(shape, indices, axis):
    """True where no later index goes to the same place."""
    order = torch.arange(indices.numel(), device=indices.device).view(indices.shape)
    last = ops.scatter_elements(_filled(order, shape), indices, order, axis, "none")
    return ops.gather_elements(last, indices, axis) == order


def _last_slices(shape, indices):
    tuples, length = indices.shape[:-1], indices.shape[-1]
    count = math.prod(tuples)
    order = torch.arange(count, device=indices.device).view(tuples)
    if length == 0:
        last = order == count - 1
    else:
        last = ops.scatter_nd(_filled(order, shape[:length]), indices, order, "none")
        last = ops.gather_nd(last, indices, 0) == order
    return last.view([*tuples, *[1] * (len(shape) - length)])


def _places(shape, coordinates, device):
    """Row-major positions in `shape`; negative coordinates count from the end."""
    place = torch.zeros((), dtype=torch.int64, device=device)
    for size, coordinate in zip(shape, coordinates, strict=True):
        coordinate = coordinate.to(torch.int64)
        place = place * size + torch.where(coordinate < 0, coordinate + size, coordinate)
    return place


def _element_rows(shape, indices, axis):
    """The row of each update, and how many rows of what length the data has: here single elements."""
    rank = len(shape)
    coordinates = [indices if d == axis % rank else _coordinates(indices, d) for d in range(rank)]
    return _places(shape, coordinates, indices.device).reshape(-1), (math.prod(shape), 1)


def _slice_rows(shape, indices):
    length = indices.shape[-1]
    places = _places(shape[:length], indices.unbind(-1), indices.device).expand(indices.shape[:-1])
    return places.reshape(-1), (math.prod(shape[:length]), math.prod(shape[length:]))


def _others(rows, data, indices, updates, where):
    """For each update: the product of the data and all other updates at its place."""
    places, (count, length) = rows(data.shape, indices, *where)
    others = ops.products_of_others(data.reshape(count, length), places, updates.reshape(places.numel(), length))
    return others.view(updates.shape)


def _same(values, results):
    """True where a value is the result, a NaN for a NaN."""
    return (values == results) | (values.isnan() & results.isnan())


def _save_scatter(ctx, inputs, output):
    data, indices, updates, *ctx.where, ctx.reduction, ctx.include_self, _, _ = inputs
    ctx.shape, ctx.update_shape = data.shape, updates.shape
    needed = {
        "mul": (data, updates),
        "div": (data, updates, output),
        "max": (data, updates, output),
        "min": (data, updates, output),
    }
    ctx.save_for_backward(indices, *needed.get(ctx.reduction, ()))


def _register_scatter(name, take, last, rows):
    """Registers the gradients of one of the two scatters, given its gather and what tells its places apart."""

    scatter = getattr(ops, name)

    def none(ctx, grad, indices):
        def of_updates():
            return torch.where(last(ctx.shape, indices, *ctx.where), take(grad, indices, *ctx.where), 0)

        return lambda: unreached(ctx, grad, indices), of_updates

    def unreached(ctx, grad, indices):
        """The gradient where no update goes, else 0: of data whose value an update replaces."""
        return scatter(grad, indices, _filled(grad, ctx.update_shape), *ctx.where, "none")

    def of_kept(ctx, grad, indices):
        return grad if ctx.include_self else unreached(ctx, grad, indices)

    def add(ctx, grad, indices):
        return lambda: of_kept(ctx, grad, indices), lambda: take(grad, indices, *ctx.where)

    def sub(ctx, grad, indices):
        if ctx.include_self:
            return lambda: grad, lambda: -take(grad, indices, *ctx.where)
        raise NotImplementedError('there is no derivative of reduction "sub" with include_self=False')

    def mean(ctx, grad, indices):
        terms = _filled(grad, ctx.shape, int(ctx.include_self))
        count = scatter(terms, indices, _filled(grad, ctx.update_shape, 1), *ctx.where, "add")
        share = grad / torch.where(count == 0, 1, count)  # 0 where nothing goes: no infinities in second derivatives
        return (
            lambda: share if ctx.include_self else unreached(ctx, grad, indices),
            lambda: take(share, indices, *ctx.where),
        )

    def mul(ctx, grad, indices, data, updates):
        def of_data():
            if not ctx.include_self:
                return unreached(ctx, grad, indices)
            ones = _filled(updates, ctx.shape, 1)
            return grad * scatter(ones, indices, updates, *ctx.where, "mul").conj()

        def of_updates():
            first = data if ctx.include_self else torch.ones_like(data)
            return take(grad, indices, *ctx.where) * _others(rows, first, indices, updates, ctx.where).conj()

        return of_data, of_updates

    def div(ctx, grad, indices, data, updates, result):
        if not ctx.include_self:
            raise NotImplementedError('there is no derivative of reduction "div" with include_self=False')
        ones = _filled(updates, ctx.shape, 1)
        return (
            lambda: grad * scatter(ones, indices, updates, *ctx.where, "div").conj(),
            lambda: -take(grad * result.conj(), indices, *ctx.where) / updates.conj(),
        )

    def extreme(ctx, grad, indices, data, updates, result):
        data_won = _same(data, result)
        if not ctx.include_self:
            data_won = unreached(ctx, torch.ones_like(data_won), indices)
        update_won = _same(updates, take(result, indices, *ctx.where))
        winners = scatter(data_won.int(), indices, update_won.int(), *ctx.where, "add")
        share = grad / winners
        return (
            lambda: torch.where(data_won, share, 0),
            lambda: torch.where(update_won, take(share, indices, *ctx.where), 0),
        )

    rules = {
        "none": none,
        "add": add,
        "sub": sub,
        "mean": mean,
        "mul": mul,
        "div": div,
        "max": extreme,
        "min": extreme,
    }

    def backward(ctx, grad):
        of_data, of_updates = rules[ctx.reduction](ctx, grad, *ctx.saved_tensors)
        wants_data, _, wants_updates = ctx.needs_input_grad[:3]
        return (
            of_data() if wants_data else None,
            None,
            of_updates() if wants_updates else None,
            *[None] * (len(ctx.where) + 4),
        )

    ops.register(name, backward, _save_scatter)


def _save_tensor_scatter(ctx, inputs, output):
    _, update, write_indices, ctx.axis, ctx.mode = inputs
    ctx.update_shape = update.shape
    ctx.save_for_backward(write_indices)


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
    return of_cache, of_update, None, None, None


def _products_backward(ctx, grad):
    raise NotImplementedError('there are no second derivatives of reduction "mul"')


ops.register("gather", _gather_backward, _save_indices)
ops.register("gather_elements", _gather_elements_backward, _save_indices)
ops.register("gather_nd", _gather_nd_backward, _save_indices)
_register_scatter("scatter_elements", _take_elements, _last_elements, _element_rows)
_register_scatter("scatter_nd", _take_slices, _last_slices, _slice_rows)
ops.register("tensor_scatter", _tensor_scatter_backward, _save_tensor_scatter)
ops.register("products_of_others", _products_backward, lambda ctx, inputs, output: None)

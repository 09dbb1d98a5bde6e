"""The operators that `strew` has too, for tensors in CPU memory and on CUDA devices."""

from typing import Any

import torch

from .. import _strew as _module
from .._errors import refusal
from ._arguments import check_axis, check_rank, type_of
from ._transforms import define

_strew: Any = _module
_GATHER_HOW = 'str negative_indices="from_end", str out_of_bounds="error", Scalar? fill_value=None'
_SCATTER_HOW = (
    'str reduction="none", bool include_self=True, str acc_dtype="data", str negative_indices="from_end", '
    'str out_of_bounds="error", Scalar? alpha=None, bool reject_duplicates=False'
)


def _gather(name, axis, fake):
    function = getattr(_strew, name)

    def run(data, indices, at, negative_indices, out_of_bounds, fill_value):
        how = {"negative_indices": negative_indices, "out_of_bounds": out_of_bounds, "fill_value": fill_value}
        return function(data, indices, at, **how)

    return define(name, f"(Tensor data, Tensor indices, SymInt {axis}=0, {_GATHER_HOW}) -> Tensor", run, fake)


def _refused(wrong, data, updates):
    """Return the error of a scatter without advice that only direct callers of `strew` can follow."""
    name = getattr(wrong, "operand", None)
    if name not in ("updates", "update") or updates.dtype == data.dtype:
        return wrong
    verb, of = ("are", "data") if name == "updates" else ("is", "past_cache")
    text = f"{name} {verb} {type_of(updates)} but {of} is {type_of(data)}; both must have one type; use .to({data.dtype})"
    return refusal(TypeError, wrong.code, text, operator=wrong.operator, operand=name)


def _scatter(name, axis):
    """Return the scatter and its form that writes into its first argument. `axis` declares one."""
    function = getattr(_strew, name)

    def run_into(out, data, indices, updates, *given):
        *at, reduction, include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates = given
        try:
            return function(
                data,
                indices,
                updates,
                *at,
                reduction,
                out,
                include_self=include_self,
                acc_dtype=acc_dtype,
                negative_indices=negative_indices,
                out_of_bounds=out_of_bounds,
                alpha=alpha,
                reject_duplicates=reject_duplicates,
            )
        except TypeError as error:
            wrong = error
        raise _refused(wrong, data, updates)

    return _both(name, "data", f"Tensor indices, Tensor updates, {axis}{_SCATTER_HOW}", run_into)


def _both(name, data, operands, run_into, options=None):
    """Return an operator and its form that writes; `options` has the names in the second one."""
    new = define(name, f"(Tensor {data}, {operands}) -> Tensor", lambda *given: run_into(None, *given), _like)
    write = lambda *given: run_into(given[0], *given)
    schema = f"(Tensor(a!) {data}, {options or operands}) -> ()"
    return new, define(f"{name}_", schema, write, lambda *given: None, mutates={data})


def _like(data, *how):
    return torch.empty_like(data, memory_format=torch.contiguous_format)


def _write(out, past_cache, update, write_indices, axis, mode):
    try:
        return _strew.tensor_scatter(past_cache, update, write_indices, axis, mode, out)
    except TypeError as error:
        wrong = error
    raise _refused(wrong, past_cache, update)


def _rows_like(data, indices, axis=0, *how):
    check_axis("gather", data, axis)
    axis %= data.dim()
    return data.new_empty((*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :]))


def _slices_like(data, indices, batch_dims=0, *how):
    check_rank("gather_nd", "indices", indices)
    return data.new_empty((*indices.shape[:-1], *data.shape[batch_dims + int(indices.shape[-1]) :]))


gather = _gather("gather", "axis", _rows_like)
gather_elements = _gather("gather_elements", "axis", lambda data, indices, *how: data.new_empty(indices.shape))
gather_nd = _gather("gather_nd", "batch_dims", _slices_like)
scatter_elements, scatter_elements_ = _scatter("scatter_elements", "SymInt axis=0, ")
scatter_nd, scatter_nd_ = _scatter("scatter_nd", "")
# A parameter named `mode` would collide with a parameter of torch's tracing of operators that write.
_CACHE = 'Tensor update, Tensor? write_indices=None, SymInt axis=-2, str {}="linear"'
tensor_scatter, tensor_scatter_ = _both(
    "tensor_scatter", "past_cache", _CACHE.format("mode"), _write, _CACHE.format("write_mode")
)


def _products_of_others(data, places, updates):
    """Return, for each row of `updates`, the row of `data` at its place times all other updates of that place.

    It does not divide, so zeros, infinities and NaN are as in the product.
    """
    order = torch.argsort(places, stable=True)
    places, factors = places[order], updates[order]
    others = _like(factors)
    others[order] = data[places] * _products_before(places, factors) * _products_after(places, factors)
    return others


def _products_before(places, factors):
    """Return the product of the earlier factors in each run of equal places: a scan with doubling steps."""
    products = torch.cat([torch.ones_like(factors[:1]), factors[:-1]])
    products[1:][places[1:] != places[:-1]] = 1
    step = 1
    while step < len(places) and (same := places[step:] == places[:-step]).any():
        further = products[step:] * products[:-step]
        products[step:] = torch.where(same.unsqueeze(-1), further, products[step:])
        step *= 2
    return products


def _products_after(places, factors):
    return _products_before(places.flip(0), factors.flip(0)).flip(0)


products_of_others = define(
    "products_of_others",
    "(Tensor data, Tensor places, Tensor updates) -> Tensor",
    _products_of_others,
    lambda data, places, updates: _like(updates),
)

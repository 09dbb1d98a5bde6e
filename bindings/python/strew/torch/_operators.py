"""The custom operators ``strew::...``: kernels for tensors in CPU memory and on CUDA devices, and shapes for tracing."""

from typing import Any

import torch
from torch import Tensor
from torch.types import Number

from .. import _strew as _module
from .._errors import refusal
from ._arguments import check_axis, check_rank, type_of

# Torch reads the annotations below, and has no annotation for a choice of words; the kernels check the words.
_strew: Any = _module


def _gather_how(negative_indices, out_of_bounds, fill_value):
    return {"negative_indices": negative_indices, "out_of_bounds": out_of_bounds, "fill_value": fill_value}


def _scatter_how(include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates):
    return {
        "include_self": include_self,
        "acc_dtype": acc_dtype,
        "negative_indices": negative_indices,
        "out_of_bounds": out_of_bounds,
        "alpha": alpha,
        "reject_duplicates": reject_duplicates,
    }


def _run(function, data, *operands, **options):
    """Call a function of `strew`; its error drops advice that only direct callers can follow."""
    try:
        return function(data, *operands, **options)
    except TypeError as error:
        wrong, name = error, getattr(error, "operand", None)
    given = {"updates": operands[1], "update": operands[0]}.get(name)
    if given is None or given.dtype == data.dtype:
        raise wrong
    verb, of = ("are", "data") if name == "updates" else ("is", "past_cache")
    text = f"{name} {verb} {type_of(given)} but {of} is {type_of(data)}; both must have one type; use .to({data.dtype})"
    raise refusal(TypeError, wrong.code, text, operator=wrong.operator, operand=name)


def _like(data):
    return torch.empty_like(data, memory_format=torch.contiguous_format)


@torch.library.custom_op("strew::gather", mutates_args=())
def gather(
    data: Tensor,
    indices: Tensor,
    axis: int = 0,
    negative_indices: str = "from_end",
    out_of_bounds: str = "error",
    fill_value: Number | None = None,
) -> Tensor:
    return _strew.gather(data.detach(), indices, axis, **_gather_how(negative_indices, out_of_bounds, fill_value))


@gather.register_fake
def _(data, indices, axis=0, *how):
    check_axis("gather", data, axis)
    axis %= data.dim()
    return data.new_empty((*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :]))


@torch.library.custom_op("strew::gather_elements", mutates_args=())
def gather_elements(
    data: Tensor,
    indices: Tensor,
    axis: int = 0,
    negative_indices: str = "from_end",
    out_of_bounds: str = "error",
    fill_value: Number | None = None,
) -> Tensor:
    return _strew.gather_elements(data.detach(), indices, axis, **_gather_how(negative_indices, out_of_bounds, fill_value))


@gather_elements.register_fake
def _(data, indices, axis=0, *how):
    return data.new_empty(indices.shape)


@torch.library.custom_op("strew::gather_nd", mutates_args=())
def gather_nd(
    data: Tensor,
    indices: Tensor,
    batch_dims: int = 0,
    negative_indices: str = "from_end",
    out_of_bounds: str = "error",
    fill_value: Number | None = None,
) -> Tensor:
    return _strew.gather_nd(data.detach(), indices, batch_dims, **_gather_how(negative_indices, out_of_bounds, fill_value))


@gather_nd.register_fake
def _(data, indices, batch_dims=0, *how):
    check_rank("gather_nd", "indices", indices)
    return data.new_empty((*indices.shape[:-1], *data.shape[batch_dims + int(indices.shape[-1]) :]))


@torch.library.custom_op("strew::scatter_elements", mutates_args=())
def scatter_elements(
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    axis: int = 0,
    reduction: str = "none",
    include_self: bool = True,
    acc_dtype: str = "data",
    negative_indices: str = "from_end",
    out_of_bounds: str = "error",
    alpha: Number | None = None,
    reject_duplicates: bool = False,
) -> Tensor:
    how = _scatter_how(include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates)
    return _run(_strew.scatter_elements, data.detach(), indices, updates.detach(), axis, reduction, **how)


@scatter_elements.register_fake
def _(data, indices, updates, *how):
    return _like(data)


@torch.library.custom_op("strew::scatter_nd", mutates_args=())
def scatter_nd(
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    reduction: str = "none",
    include_self: bool = True,
    acc_dtype: str = "data",
    negative_indices: str = "from_end",
    out_of_bounds: str = "error",
    alpha: Number | None = None,
    reject_duplicates: bool = False,
) -> Tensor:
    how = _scatter_how(include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates)
    return _run(_strew.scatter_nd, data.detach(), indices, updates.detach(), reduction, **how)


@scatter_nd.register_fake
def _(data, indices, updates, *how):
    return _like(data)


@torch.library.custom_op("strew::tensor_scatter", mutates_args=())
def tensor_scatter(
    past_cache: Tensor, update: Tensor, write_indices: Tensor | None = None, axis: int = -2, mode: str = "linear"
) -> Tensor:
    return _run(_strew.tensor_scatter, past_cache.detach(), update.detach(), write_indices, axis, mode)


@tensor_scatter.register_fake
def _(past_cache, update, write_indices=None, axis=-2, mode="linear"):
    return _like(past_cache)


@torch.library.custom_op("strew::scatter_elements_", mutates_args={"data"})
def scatter_elements_(
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    axis: int = 0,
    reduction: str = "none",
    include_self: bool = True,
    acc_dtype: str = "data",
    negative_indices: str = "from_end",
    out_of_bounds: str = "error",
    alpha: Number | None = None,
    reject_duplicates: bool = False,
) -> None:
    written = data.detach()
    how = _scatter_how(include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates)
    _run(_strew.scatter_elements, written, indices, updates.detach(), axis, reduction, out=written, **how)


@torch.library.custom_op("strew::scatter_nd_", mutates_args={"data"})
def scatter_nd_(
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    reduction: str = "none",
    include_self: bool = True,
    acc_dtype: str = "data",
    negative_indices: str = "from_end",
    out_of_bounds: str = "error",
    alpha: Number | None = None,
    reject_duplicates: bool = False,
) -> None:
    written = data.detach()
    how = _scatter_how(include_self, acc_dtype, negative_indices, out_of_bounds, alpha, reject_duplicates)
    _run(_strew.scatter_nd, written, indices, updates.detach(), reduction, out=written, **how)


# A parameter named `mode` would collide with a parameter of torch's tracing of operators that write.
@torch.library.custom_op("strew::tensor_scatter_", mutates_args={"past_cache"})
def tensor_scatter_(
    past_cache: Tensor,
    update: Tensor,
    write_indices: Tensor | None = None,
    axis: int = -2,
    write_mode: str = "linear",
) -> None:
    written = past_cache.detach()
    _run(_strew.tensor_scatter, written, update.detach(), write_indices, axis, write_mode, out=written)


@torch.library.custom_op("strew::products_of_others", mutates_args=())
def products_of_others(data: Tensor, places: Tensor, updates: Tensor) -> Tensor:
    """Return, for each row of `updates`, the row of `data` at its place times all other updates of that place.

    It does not divide, so zeros, infinities and NaN are as in the product.
    """
    order = torch.argsort(places, stable=True)
    places, factors = places[order], updates[order]
    others = _like(factors)
    others[order] = data[places] * _products_before(places, factors) * _products_after(places, factors)
    return others


@products_of_others.register_fake
def _(data, places, updates):
    return _like(updates)


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

"""Fake kernels of the operators in compiled programs. The real kernels are in bindings/torch/src/compiled.cc."""

import torch
from torch.library import register_fake

from ._library import load_library

load_library()  # registers the C++ kernels

@register_fake("strew_torch::sort_edges")
def _(gather_index, scatter_index, source_size, target_size):
    return gather_index.new_empty(1, dtype=torch.uint8)


@register_fake("strew_torch::gather_scatter")
def _(data, gather_index, scatter_index, sorted_edges, size, *how):
    return data.new_empty((size, *data.shape[1:]))


@register_fake("strew_torch::message_gradients")
def _(gradient, data, gather_index, scatter_index, sorted_edges, addend, needs_addend, *how):
    count = gather_index.shape[0] if needs_addend else 0
    return data.new_empty(data.shape), data.new_empty((count, *data.shape[1:]))


@register_fake("strew_torch::edge_dot")
def _(one, other, gather_index, scatter_index, sorted_edges, heads, where):
    count = gather_index.shape[0]
    return one.new_empty((count,) if heads == 1 else (count, heads))


@register_fake("strew_torch::add_rows")
def _(values, index, size, where):
    return values.new_empty((size, *values.shape[index.dim() :]))


@register_fake("strew_torch::add_at")
@register_fake("strew_torch::scatter_add")
def _(data, *how):
    return data.new_empty(data.shape)


@register_fake("strew_torch::rows")
def _(data, index, where):
    return data.new_empty((index.shape[0], *data.shape[1:]))

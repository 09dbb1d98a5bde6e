"""Fake kernels of the operators in compiled programs. The real kernels are in bindings/torch/src/compiled.cc."""

from typing import Any

import torch
from torch.library import register_fake

from ._graph_operators import dots_like
from ._library import load_library

load_library()  # registers the C++ kernels


def _message_gradients(gradient, data, gather_index, scatter_index, sorted_edges, addend, needs_addend, *how):
    count = gather_index.shape[0] if needs_addend else 0
    return data.new_empty(data.shape), data.new_empty((count, *data.shape[1:]))


_FAKES: dict[str, Any] = {
    "sort_edges": lambda gather_index, *how: gather_index.new_empty(1, dtype=torch.uint8),
    "gather_scatter": lambda data, source, target, edges, size, *how: data.new_empty((size, *data.shape[1:])),
    "message_gradients": _message_gradients,
    "edge_dot": lambda *given: dots_like(*given[:-1]),  # the last argument is the line of the program that the call replaces
    "add_rows": lambda values, index, size, where: values.new_empty((size, *values.shape[index.dim() :])),
    "index_add": lambda data, *how: data.new_empty(data.shape),
    "add_at": lambda data, *how: data.new_empty(data.shape),
    "scatter_add": lambda data, *how: data.new_empty(data.shape),
    "rows": lambda data, index, where: data.new_empty((index.shape[0], *data.shape[1:])),
}
for _name, _fake in _FAKES.items():
    register_fake(f"strew_torch::{_name}", _fake)

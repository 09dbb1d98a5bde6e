"""PyTorch: index_select, gather, scatter, index_add, index_put, and their forms with `out=` and in place."""

import ml_dtypes
import numpy as np
import torch

from libraries import copy_like, tuple_of, write_steps

REDUCES = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def tensor_of(array):
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def make_call(op, attributes, inputs, threads, mode):
    torch.set_num_threads(threads)
    data, *rest = [tensor_of(x) for x in inputs]
    if op.startswith("Gather"):
        return gather(op, attributes, data, rest[0], mode)
    write = writer(op, attributes, data, rest)
    if write is None:
        return None
    if mode == "fresh":
        return lambda: write(data.clone())
    output = tensor_of(copy_like(inputs[0]))
    if mode == "in_place":
        return lambda: write(output)
    return lambda: write(output.copy_(data))


def gather(op, attributes, data, indices, mode):
    kept = {}
    if op == "GatherND":
        places = tuple_of(indices.long())
        if attributes.get("batch_dims"):
            places = (torch.arange(data.shape[0])[:, None], *places)
        if mode == "fresh":
            return lambda: data[places]
        kept["out"] = data[places]
        return lambda: torch.ops.aten.index.Tensor_out(data, places, **kept)
    if op == "GatherElements":
        indices = indices.long()
    function = torch.index_select if op == "Gather" else torch.gather
    if op == "Gather" and indices.dim() != 1:
        return None
    if mode == "kept":
        kept["out"] = function(data, attributes["axis"], indices)
    return lambda: function(data, attributes["axis"], indices, **kept)


def writer(op, attributes, data, rest):
    if op == "TensorScatter":
        starts = rest[1].tolist()
        return lambda output: write_steps(output, rest[0], starts)
    indices, updates = rest[0].long(), rest[1]
    reduction = attributes["reduction"]
    if op == "ScatterND":
        return tuple_writer(reduction, data, indices, updates)
    axis = attributes["axis"]
    if reduction == "add" and axis == 0 and data.dim() == 2 and bool((indices == indices[:, :1]).all()):
        rows = indices[:, 0].contiguous()  # PyTorch programs index whole rows; exporters expand the index
        return lambda output: output.index_add_(0, rows, updates)
    return element_writer(reduction, axis, indices, updates)


def element_writer(reduction, axis, indices, updates):
    if reduction == "none":
        return lambda output: output.scatter_(axis, indices, updates)
    if reduction == "add":
        return lambda output: output.scatter_add_(axis, indices, updates)
    return lambda output: output.scatter_reduce_(axis, indices, updates, REDUCES[reduction])


def tuple_writer(reduction, data, indices, updates):
    if reduction in ("none", "add"):
        places = tuple_of(indices)
        if reduction == "add" and len(places) == 1 and data.dim() > 1:
            rows = places[0].contiguous()
            return lambda output: output.index_add_(0, rows, updates)
        return lambda output: output.index_put_(places, updates, accumulate=reduction == "add")
    if indices.shape[-1] != 1 or indices.dim() != 2:
        return None
    rows = indices[:, 0].contiguous()
    if data.dim() == 1:
        return element_writer(reduction, 0, rows, updates)
    return lambda output: output.index_reduce_(0, rows, updates, REDUCES[reduction])

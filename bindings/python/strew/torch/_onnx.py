"""Translations for ``torch.onnx.export``: each operator becomes the ONNX operator of the same name."""

import onnx_ir
import torch
from onnxscript.onnx_opset import opset18 as op, opset24

_INDEX_TYPES = (onnx_ir.DataType.INT32, onnx_ir.DataType.INT64)


def _indices(given):
    return given if given.dtype in _INDEX_TYPES else op.Cast(given, to=onnx_ir.DataType.INT64)


def _check_onnx(**attributes):
    """Reject an attribute that ONNX lacks, unless it has the value that ONNX's operator implies."""
    default = {"out_of_bounds": "error", "include_self": True, "acc_dtype": "data", "reject_duplicates": False}
    for name, value in attributes.items():
        if value != default.get(name):
            raise NotImplementedError(f"ONNX has no equivalent of {name}={value!r}; export the call without it")


def _gather(data, indices, axis=0, out_of_bounds="error", fill_value=None, negative_indices="from_end"):
    _check_onnx(out_of_bounds=out_of_bounds, fill_value=fill_value)
    return op.Gather(data, _indices(indices), axis=axis)


def _gather_elements(data, indices, axis=0, out_of_bounds="error", fill_value=None, negative_indices="from_end"):
    _check_onnx(out_of_bounds=out_of_bounds, fill_value=fill_value)
    return op.GatherElements(data, _indices(indices), axis=axis)


def _gather_nd(data, indices, batch_dims=0, out_of_bounds="error", fill_value=None, negative_indices="from_end"):
    _check_onnx(out_of_bounds=out_of_bounds, fill_value=fill_value)
    return op.GatherND(data, op.Cast(indices, to=onnx_ir.DataType.INT64), batch_dims=batch_dims)


def _check_scatter(
    reduction, out_of_bounds="error", negative_indices="from_end", include_self=True, acc_dtype="data", alpha=None, reject_duplicates=False
):
    if reduction not in ("none", "add", "mul", "max", "min"):
        raise NotImplementedError(f"ONNX has no reduction {reduction!r}")
    _check_onnx(
        include_self=include_self, acc_dtype=acc_dtype, out_of_bounds=out_of_bounds, alpha=alpha,
        reject_duplicates=reject_duplicates,
    )


def _scatter_elements(data, indices, updates, axis=0, reduction="none", *how, **named):
    _check_scatter(reduction, *how, **named)
    return op.ScatterElements(data, _indices(indices), updates, axis=axis, reduction=reduction)


def _scatter_nd(data, indices, updates, reduction="none", *how, **named):
    _check_scatter(reduction, *how, **named)
    return op.ScatterND(data, op.Cast(indices, to=onnx_ir.DataType.INT64), updates, reduction=reduction)


def _tensor_scatter(past_cache, update, write_indices=None, axis=-2, mode="linear"):
    if write_indices is not None:
        write_indices = op.Cast(write_indices, to=onnx_ir.DataType.INT64)
    return opset24.TensorScatter(past_cache, update, write_indices, axis=axis, mode=mode)


onnx_translation = {
    torch.ops.strew.gather.default: _gather,
    torch.ops.strew.gather_elements.default: _gather_elements,
    torch.ops.strew.gather_nd.default: _gather_nd,
    torch.ops.strew.scatter_elements.default: _scatter_elements,
    torch.ops.strew.scatter_nd.default: _scatter_nd,
    torch.ops.strew.tensor_scatter.default: _tensor_scatter,
}

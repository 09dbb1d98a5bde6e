"""The operators as ``torch.onnx.export`` writes them: each as the ONNX operator of its name."""

import onnx_ir
import torch
from onnxscript.onnx_opset import opset18 as op, opset24

_INDEX_TYPES = (onnx_ir.DataType.INT32, onnx_ir.DataType.INT64)


def _indices(given):
    return given if given.dtype in _INDEX_TYPES else op.Cast(given, to=onnx_ir.DataType.INT64)


def _gather(data, indices, axis=0, negative_indices="from_end"):
    return op.Gather(data, _indices(indices), axis=axis)


def _gather_elements(data, indices, axis=0, negative_indices="from_end"):
    return op.GatherElements(data, _indices(indices), axis=axis)


def _gather_nd(data, indices, batch_dims=0, negative_indices="from_end"):
    return op.GatherND(data, op.Cast(indices, to=onnx_ir.DataType.INT64), batch_dims=batch_dims)


def _check_onnx(reduction, include_self, acc_dtype):
    if reduction not in ("none", "add", "mul", "max", "min") or not include_self or acc_dtype != "data":
        raise NotImplementedError(
            f"ONNX has no reduction {reduction!r} with include_self={include_self} and acc_dtype={acc_dtype!r}"
        )


def _scatter_elements(data, indices, updates, axis=0, reduction="none", include_self=True, acc_dtype="data", negative_indices="from_end"):
    _check_onnx(reduction, include_self, acc_dtype)
    return op.ScatterElements(data, _indices(indices), updates, axis=axis, reduction=reduction)


def _scatter_nd(data, indices, updates, reduction="none", include_self=True, acc_dtype="data", negative_indices="from_end"):
    _check_onnx(reduction, include_self, acc_dtype)
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

"""Writes one operator example as an ONNX backend-test folder: model.onnx and test_data_set_0/*.pb."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "conformance"))
from gather_scatter_conformance.arrays import as_type as tensor  # noqa: E402
from gather_scatter_conformance.arrays import fits  # noqa: E402, F401


def to_proto(value, name):
    """A TensorProto named `name` of an array, or of a TensorProto, which is copied."""
    if isinstance(value, TensorProto):
        proto = TensorProto()
        proto.CopyFrom(value)
        proto.name = name
        return proto
    return numpy_helper.from_array(np.asarray(value), name)


def write_tensors(folder, prefix, tensors):
    """Writes (name, value) pairs as PREFIX_0.pb, PREFIX_1.pb, ... A value of None is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for position, (name, value) in enumerate(tensors):
        if value is not None:
            (folder / f"{prefix}_{position}.pb").write_bytes(to_proto(value, name).SerializeToString())


def write_case(folder, op_type, opset, inputs, output=None, error=None, **attributes):
    """Writes a model of one node, its inputs (pairs of name and array) and its output, or the text that its
    refusal must contain."""
    node = helper.make_node(op_type, [name for name, _ in inputs], ["output"], **attributes)
    protos = {name: to_proto(value, name) for name, value in inputs}
    output_shape = None if error else output.shape
    graph = helper.make_graph(
        [node],
        f"{op_type}-{opset}",
        [helper.make_tensor_value_info(name, proto.data_type, proto.dims) for name, proto in protos.items()],
        [helper.make_tensor_value_info("output", next(iter(protos.values())).data_type, output_shape)],
    )
    opsets = [helper.make_opsetid("", opset)]
    ir_version = helper.find_min_ir_version_for(opsets, ignore_unknown=True)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=ir_version, producer_name="strew")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    data = folder / "test_data_set_0"
    write_tensors(data, "input", inputs)
    if error is None:
        write_tensors(data, "output", [("output", output)])
    else:
        (folder / "expect_error.txt").write_text(error + "\n")

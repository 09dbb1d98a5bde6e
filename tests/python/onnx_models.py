"""Small ONNX models for tests."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

GATHER = "rows (float[N, 2] data, int64[K] indices) => (float[K, 2] picked) { picked = Gather(data, indices) }"
DATA = np.arange(8, dtype=np.float32).reshape(4, 2)
INDICES = np.array([3, -4, 3])


def model_of(graph, opset=18, ir_version=10):
    """Return a model with this graph, which is written in ONNX's text format."""
    return parser.parse_model(f'<ir_version: {ir_version}, opset_import: ["" : {opset}]> {graph}')


def one_node(op_type, inputs, output_type, opset=18, **attributes):
    """Return a model of one node. Its inputs have these element types and no declared shapes."""
    values = [helper.make_tensor_value_info(name, type_, None) for name, type_ in inputs.items()]
    node = helper.make_node(op_type, list(inputs), ["output"], **attributes)
    outputs = [helper.make_tensor_value_info("output", output_type, None)]
    graph = helper.make_graph([node], "one", values, outputs)
    return helper.make_model(graph, ir_version=13, opset_imports=[helper.make_operatorsetid("", opset)])


def with_external_data(folder):
    """Write a model that gathers rows of a constant in the file data.bin beside it. Return the model's path."""
    proto = model_of(GATHER)
    proto.graph.initializer.append(numpy_helper.from_array(DATA, "data"))
    del proto.graph.input[0]
    path = folder / "model.onnx"
    onnx.save(proto, path, save_as_external_data=True, location="data.bin", size_threshold=0)
    return path


def gather_model(element_type, opset=18, **attributes):
    return one_node("Gather", {"data": element_type, "indices": TensorProto.INT64}, element_type, opset, **attributes)

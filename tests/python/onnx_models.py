"""Small ONNX models for tests."""

import numpy as np
from onnx import TensorProto, helper, parser

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


def gather_model(element_type, opset=18, **attributes):
    return one_node("Gather", {"data": element_type, "indices": TensorProto.INT64}, element_type, opset, **attributes)

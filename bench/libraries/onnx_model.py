"""One operator as an ONNX model."""

from onnx import helper


def model_of(op, attributes, inputs):
    """Return the names of the inputs, and a model with inputs named data, indices and updates and an output named output."""
    names = ["data", "indices", "updates"][: len(inputs)]
    types = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in inputs]
    node = helper.make_node(op, names, ["output"], **attributes)
    graph = helper.make_graph(
        [node],
        "workload",
        [helper.make_tensor_value_info(n, t, x.shape) for n, t, x in zip(names, types, inputs)],
        [helper.make_tensor_value_info("output", types[0], None)],
    )
    opset = 24 if op == "TensorScatter" else 18
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return names, model

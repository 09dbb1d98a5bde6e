"""Nodes that the ONNX pages of GatherND, Scatter and ScatterND make illegal, as folders that must fail to run."""

import numpy as np
from onnx_case import tensor, write_case

SQUARE = [[0, 1], [2, 3]]
CUBE = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
ROW = [[1.0, 2.0, 3.0, 4.0, 5.0]]
LINE = [1, 2, 3, 4, 5, 6, 7, 8]

# name: operator, opset, data, indices, attributes, text of the refusal.
GATHERS = {
    "gathernd_index_above": ("GatherND", 13, SQUARE, [[0, 0], [1, 2]], {}, "indices[1, 1] = 2 is outside [-2, 1]"),
    "gathernd_index_below": ("GatherND", 11, SQUARE, [[0, -3], [1, 1]], {}, "indices[0, 1] = -3 is outside [-2, 1]"),
    "gathernd_index_in_batch": (
        "GatherND", 12, CUBE, [[1], [2]], {"batch_dims": 1}, "indices[1, 0] = 2 is outside [-2, 1]",
    ),
    "gathernd_tuple_longer_than_rank": ("GatherND", 13, SQUARE, [[0, 0, 0]], {}, "GatherND-13"),
    "gathernd_tuple_longer_than_rank_less_batch": ("GatherND", 12, SQUARE, [[0, 0], [0, 0]], {"batch_dims": 1},
                                                   "GatherND-12"),
    "gathernd_unequal_batch": ("GatherND", 13, CUBE, [[1], [0], [1]], {"batch_dims": 1}, "GatherND-13"),
    "gathernd_batch_dims_too_many": ("GatherND", 13, CUBE, [[1], [0]], {"batch_dims": 2}, "batch_dims"),
    "gathernd_batch_dims_in_version_11": ("GatherND", 11, CUBE, [[1], [0]], {"batch_dims": 1}, "batch_dims"),
}  # fmt: skip

# name: operator, opset, data, indices, updates, attributes, text of the refusal.
SCATTERS = {
    "scatter_deprecated": ("Scatter", 11, ROW, [[1, 3]], [[1.1, 2.1]], {"axis": 1}, "deprecated"),
    "scatter_deprecated_without_axis": (
        "Scatter", 13, [[0.0] * 3] * 3, [[1, 0, 2], [0, 2, 1]], [[1.0, 1.1, 1.2], [2.0, 2.1, 2.2]], {}, "deprecated",
    ),
    "scatter_index_above": (
        "Scatter", 10, ROW, [[1, 5]], [[1.1, 2.1]], {"axis": 1}, "indices[0, 1] = 5 is outside [-5, 4]",
    ),
    "scatter_axis_outside": ("Scatter", 9, ROW, [[1, 3]], [[1.1, 2.1]], {"axis": 2}, "axis"),
    "scatter_updates_of_another_shape": ("Scatter", 10, ROW, [[1, 3]], [[1.1]], {"axis": 1}, "updates"),
    "scatter_indices_of_another_rank": ("Scatter", 10, ROW, [1, 3], [1.1, 2.1], {"axis": 1}, "rank"),
    "scatternd_index_above": (
        "ScatterND", 18, LINE, [[4], [8]], [9, 10], {}, "indices[1, 0] = 8 is outside [-8, 7]",
    ),
    "scatternd_index_below": (
        "ScatterND", 11, LINE, [[-9], [3]], [9, 10], {}, "indices[0, 0] = -9 is outside [-8, 7]",
    ),
    "scatternd_updates_of_another_shape": ("ScatterND", 13, LINE, [[4], [3]], [9, 10, 11], {}, "updates"),
    "scatternd_updates_are_not_broadcast": ("ScatterND", 18, SQUARE, [[0], [1]], [[7], [8]], {}, "updates"),
    "scatternd_tuple_longer_than_rank": ("ScatterND", 16, LINE, [[4, 0]], [9], {}, "ScatterND-16"),
    "scatternd_max_in_version_16": ("ScatterND", 17, LINE, [[4]], [9], {"reduction": "max"}, "max"),
    "scatternd_min_in_version_16": ("ScatterND", 16, LINE, [[4]], [9], {"reduction": "min"}, "min"),
    "scatternd_reduction_in_version_13": ("ScatterND", 13, LINE, [[4]], [9], {"reduction": "add"}, "reduction"),
    "scatternd_unknown_reduction": ("ScatterND", 18, LINE, [[4]], [9], {"reduction": "mean"}, "mean"),
}  # fmt: skip

# name: operator, opset, type of data, type of indices, text of the refusal.
WRONG_TYPES = {
    "gathernd_int32_indices": ("GatherND", 13, "float32", "int32", "int32"),
    "gathernd_bfloat16_in_version_12": ("GatherND", 12, "bfloat16", "int64", "bfloat16"),
    "scatter_bfloat16_in_version_9": ("Scatter", 10, "bfloat16", "int64", "bfloat16"),
    "scatter_float_indices": ("Scatter", 10, "float32", "float32", "float32"),
    "scatternd_int32_indices": ("ScatterND", 18, "float32", "int32", "int32"),
    "scatternd_bfloat16_in_version_11": ("ScatterND", 12, "bfloat16", "int64", "bfloat16"),
    "scatternd_float8": ("ScatterND", 18, "float8_e4m3fn", "int64", "float8"),
}


def write_refused(target):
    """Writes all of them under `target` and returns how many there are."""
    for name, (op_type, opset, data, indices, attributes, text) in GATHERS.items():
        inputs = [("data", tensor(data, "float32")), ("indices", np.array(indices, np.int64))]
        write_case(target / name, op_type, opset, inputs, error=text, **attributes)
    for name, (op_type, opset, data, indices, updates, attributes, text) in SCATTERS.items():
        inputs = [("data", tensor(data, "float32")), ("indices", np.array(indices, np.int64)),
                  ("updates", tensor(updates, "float32"))]  # fmt: skip
        write_case(target / name, op_type, opset, inputs, error=text, **attributes)
    for name, (op_type, opset, dtype, index_type, text) in WRONG_TYPES.items():
        inputs = [("data", tensor([[1, 2], [3, 4]], dtype)), ("indices", tensor([[0, 1]], index_type))]
        if op_type != "GatherND":
            inputs.append(("updates", tensor([[5, 6]] if op_type == "Scatter" else [5], dtype)))
        write_case(target / name, op_type, opset, inputs, error=text)
    return len(GATHERS) + len(SCATTERS) + len(WRONG_TYPES)

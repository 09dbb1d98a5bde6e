"""Writes every example of the ONNX pages of GatherND, Scatter and ScatterND as folders for `strew test`.

Usage: make_examples.py FOLDER

Expected outputs are literals taken from the pages; no implementation computes them. An example is written for
every operator version whose page has it: once for every opset that selects the version, and once for every
element type of the version that holds its values. The refusals that the pages ask for are in refused_examples.
"""

import pathlib
import shutil
import sys

import numpy as np
from onnx_case import fits, tensor, write_case
from refused_examples import write_refused

LAST_OPSET = 28
TYPES_15 = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32",
            "float64", "string", "bool", "complex64", "complex128"]  # fmt: skip
TYPES_16 = [*TYPES_15, "bfloat16"]
ANY_VALUE = {"float16", "float32", "float64", "bfloat16", "complex64", "complex128", "string"}

# Operator version: its opsets and its element types.
VERSIONS = {
    ("GatherND", 11): ([11], TYPES_15),
    ("GatherND", 12): ([12], TYPES_15),
    ("GatherND", 13): (range(13, LAST_OPSET + 1), TYPES_16),
    ("Scatter", 9): ([9, 10], TYPES_15),
    ("ScatterND", 11): ([11, 12], TYPES_15),
    ("ScatterND", 13): ([13, 14, 15], TYPES_16),
    ("ScatterND", 16): ([16, 17], TYPES_16),
    ("ScatterND", 18): (range(18, LAST_OPSET + 1), TYPES_16),
}

# GatherND: name, versions, type stated by the page, batch_dims, data, indices, output.
SQUARE = [[0, 1], [2, 3]]
CUBE = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
GATHER_ND = [
    ("example_1", [11, 12, 13], None, 0, SQUARE, [[0, 0], [1, 1]], [0, 3]),
    ("example_2", [11, 12, 13], None, 0, SQUARE, [[1], [0]], [[2, 3], [0, 1]]),
    ("example_3", [11, 12, 13], None, 0, CUBE, [[0, 1], [1, 0]], [[2, 3], [4, 5]]),
    ("example_4", [11, 12, 13], None, 0, CUBE, [[[0, 1]], [[1, 0]]], [[[2, 3]], [[4, 5]]]),
    ("example_5", [12, 13], None, 1, CUBE, [[1], [0]], [[2, 3], [4, 5]]),
    ("int32", [11, 12, 13], "int32", 0, SQUARE, [[0, 0], [1, 1]], [0, 3]),
    ("float32", [11, 12, 13], "float32", 0, CUBE, [[[0, 1]], [[1, 0]]], [[[2, 3]], [[4, 5]]]),
    ("int32_batchdim_1", [12, 13], "int32", 1, CUBE, [[1], [0]], [[2, 3], [4, 5]]),
]

# Scatter: name, axis (None: not given), data, indices, updates, output.
ROW = [[1.0, 2.0, 3.0, 4.0, 5.0]]
SCATTERED_ROW = [[1.0, 1.1, 3.0, 2.1, 5.0]]
ZEROS = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
TWO_ROWS = [[1.0, 1.1, 1.2], [2.0, 2.1, 2.2]]
FILLED = [[2.0, 1.1, 0.0], [1.0, 0.0, 2.2], [0.0, 2.1, 1.2]]
SCATTER = [
    ("example_1", None, ZEROS, [[1, 0, 2], [0, 2, 1]], TWO_ROWS, FILLED),
    ("example_2", 1, ROW, [[1, 3]], [[1.1, 2.1]], SCATTERED_ROW),
    ("scatter_without_axis", None, ZEROS, [[1, 0, 2], [0, 2, 1]], TWO_ROWS, FILLED),
    ("scatter_with_axis", 1, ROW, [[1, 3]], [[1.1, 2.1]], SCATTERED_ROW),
]

# ScatterND: name, versions, reduction (None: not given), data, indices, updates, output.
# The comments on the page of the four reductions show block 2 as ones to fours, but their indices, [[0], [0]],
# leave it as it was, and so do the outputs that the ONNX project publishes for them.
UP = [[1, 2, 3, 4], [5, 6, 7, 8], [8, 7, 6, 5], [4, 3, 2, 1]]
DOWN = [[8, 7, 6, 5], [4, 3, 2, 1], [1, 2, 3, 4], [5, 6, 7, 8]]
HIGH = [[5, 5, 5, 5], [6, 6, 6, 6], [7, 7, 7, 7], [8, 8, 8, 8]]
LOW = [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4]]
BLOCKS = [UP, UP, DOWN, DOWN]
ADDED = [[7, 8, 9, 10], [13, 14, 15, 16], [18, 17, 16, 15], [16, 15, 14, 13]]
MULTIPLIED = [[5, 10, 15, 20], [60, 72, 84, 96], [168, 147, 126, 105], [128, 96, 64, 32]]
MAXIMA = [[5, 5, 5, 5], [6, 6, 7, 8], [8, 7, 7, 7], [8, 8, 8, 8]]
MINIMA = [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 3, 2, 1]]
LINE = [1, 2, 3, 4, 5, 6, 7, 8]
ALL = [11, 13, 16, 18]
SCATTER_ND = [
    ("example_1", ALL, None, LINE, [[4], [3], [1], [7]], [9, 10, 11, 12], [1, 11, 3, 10, 9, 6, 7, 12]),
    ("example_2", ALL, None, BLOCKS, [[0], [2]], [HIGH, LOW], [HIGH, UP, LOW, DOWN]),
    ("scatternd", ALL, None, BLOCKS, [[0], [2]], [HIGH, LOW], [HIGH, UP, LOW, DOWN]),
    ("scatternd_add", [16, 18], "add", BLOCKS, [[0], [0]], [HIGH, LOW], [ADDED, UP, DOWN, DOWN]),
    ("scatternd_multiply", [16, 18], "mul", BLOCKS, [[0], [0]], [HIGH, LOW], [MULTIPLIED, UP, DOWN, DOWN]),
    ("scatternd_max", [18], "max", BLOCKS, [[0], [0]], [HIGH, LOW], [MAXIMA, UP, DOWN, DOWN]),
    ("scatternd_min", [18], "min", BLOCKS, [[0], [0]], [HIGH, LOW], [MINIMA, UP, DOWN, DOWN]),
]


def holds(dtype, reduction, literals):
    """True if the example means the same in `dtype`: any mapping of values keeps a move, but not a sum."""
    if reduction is None:
        return dtype in ANY_VALUE or dtype == "bool" or all(fits(values, dtype) for values in literals)
    if dtype in ("bool", "string") or (reduction in ("max", "min") and dtype.startswith("complex")):
        return False
    return all(fits(values, dtype) for values in literals)


def write_example(target, op_type, version, name, inputs, output, stated=None, index_types=("int64",), **attributes):
    """Writes one example of one operator version; `inputs` are the literals by name. Returns how many folders."""
    opsets, types = VERSIONS[op_type, version]
    attributes = {key: value for key, value in attributes.items() if value is not None}
    literals = [values for key, values in inputs.items() if key != "indices"] + [output]
    variants = [(opset, stated or "float32", "int64") for opset in opsets]
    if stated is None:
        variants += [
            (opsets[0], dtype, index_type)
            for dtype in types
            for index_type in index_types
            if (dtype, index_type) != ("float32", "int64") and holds(dtype, attributes.get("reduction"), literals)
        ]
    for opset, dtype, index_type in variants:
        folder = target / f"{op_type}-{version}" / f"{name}_opset{opset}_{dtype}_{index_type}"
        arrays = [
            (key, np.array(values, dtype=index_type) if key == "indices" else tensor(values, dtype))
            for key, values in inputs.items()
        ]
        write_case(folder, op_type, opset, arrays, tensor(output, dtype), **attributes)
    return len(variants)


def main(target):
    shutil.rmtree(target, ignore_errors=True)
    count = 0
    for name, versions, stated, batch_dims, data, indices, output in GATHER_ND:
        for version in versions:
            inputs = {"data": data, "indices": indices}
            # Example 1 to 4 of versions 12 and 13 state the default, version 11 has no such attribute.
            given = batch_dims if version > 11 and (batch_dims or name.startswith("example")) else None
            count += write_example(target, "GatherND", version, name, inputs, output, stated, batch_dims=given)
    for name, axis, data, indices, updates, output in SCATTER:
        inputs = {"data": data, "indices": indices, "updates": updates}
        count += write_example(target, "Scatter", 9, name, inputs, output, index_types=("int32", "int64"), axis=axis)
    for name, versions, reduction, data, indices, updates, output in SCATTER_ND:
        for version in versions:
            inputs = {"data": data, "indices": indices, "updates": updates}
            count += write_example(target, "ScatterND", version, name, inputs, output, reduction=reduction)
    refused = write_refused(target / "refused")
    print(f"{count} examples of the operator pages and {refused} refusals in {target}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

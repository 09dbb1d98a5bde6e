"""Writes every example of the ONNX pages of GatherND, Scatter and ScatterND as folders for `strew test`.

Usage: make_examples.py FOLDER

Expected outputs are literals taken from the pages (conformance/gather_scatter_conformance/pages.py). An example is written for
every operator version whose page has it: once for every opset that selects the version, and once for every
element type of the version that holds its values. Nodes that the pages make illegal must fail to run, with a given text.
"""

import pathlib
import shutil
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "conformance"))
from gather_scatter_conformance.arrays import as_type, fits  # noqa: E402
from gather_scatter_conformance.case import Case  # noqa: E402
from gather_scatter_conformance.pages import GATHER_ND, SCATTER, SCATTER_ND  # noqa: E402
from gather_scatter_conformance.standard import VERSIONS  # noqa: E402

ANY_VALUE = {"float16", "float32", "float64", "bfloat16", "complex64", "complex128", "string"}
SQUARE = [[0, 1], [2, 3]]
CUBE = [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
ROW = [[1.0, 2.0, 3.0, 4.0, 5.0]]
LINE = [1, 2, 3, 4, 5, 6, 7, 8]
BATCHED = {"batch_dims": 1}

# Name, operator, opset, data, indices, updates (None for a gather), attributes, text of the refusal.
REFUSED = [
    ("index_above", "GatherND", 13, SQUARE, [[0, 0], [1, 2]], None, {}, "indices[1, 1] = 2 is outside [-2, 1]"),
    ("index_below", "GatherND", 11, SQUARE, [[0, -3], [1, 1]], None, {}, "indices[0, 1] = -3 is outside [-2, 1]"),
    ("index_in_batch", "GatherND", 12, CUBE, [[1], [2]], None, BATCHED, "indices[1, 0] = 2 is outside [-2, 1]"),
    ("tuple_longer_than_rank", "GatherND", 13, SQUARE, [[0, 0, 0]], None, {}, "GatherND-13"),
    ("tuple_longer_than_rank_less_batch", "GatherND", 12, SQUARE, [[0, 0], [0, 0]], None, BATCHED, "GatherND-12"),
    ("unequal_batch", "GatherND", 13, CUBE, [[1], [0], [1]], None, BATCHED, "GatherND-13"),
    ("batch_dims_too_many", "GatherND", 13, CUBE, [[1], [0]], None, {"batch_dims": 2}, "batch_dims"),
    ("batch_dims_in_version_11", "GatherND", 11, CUBE, [[1], [0]], None, BATCHED, "batch_dims"),
    ("deprecated", "Scatter", 11, ROW, [[1, 3]], [[1.1, 2.1]], {"axis": 1}, "deprecated"),
    ("deprecated_without_axis", "Scatter", 13, [[0.0] * 3] * 3, [[1, 0, 2], [0, 2, 1]],
     [[1.0, 1.1, 1.2], [2.0, 2.1, 2.2]], {}, "deprecated"),
    ("index_above", "Scatter", 10, ROW, [[1, 5]], [[1.1, 2.1]], {"axis": 1}, "indices[0, 1] = 5 is outside [-5, 4]"),
    ("axis_outside", "Scatter", 9, ROW, [[1, 3]], [[1.1, 2.1]], {"axis": 2}, "axis"),
    ("updates_of_another_shape", "Scatter", 10, ROW, [[1, 3]], [[1.1]], {"axis": 1}, "updates"),
    ("indices_of_another_rank", "Scatter", 10, ROW, [1, 3], [1.1, 2.1], {"axis": 1}, "rank"),
    ("index_above", "ScatterND", 18, LINE, [[4], [8]], [9, 10], {}, "indices[1, 0] = 8 is outside [-8, 7]"),
    ("index_below", "ScatterND", 11, LINE, [[-9], [3]], [9, 10], {}, "indices[0, 0] = -9 is outside [-8, 7]"),
    ("updates_of_another_shape", "ScatterND", 13, LINE, [[4], [3]], [9, 10, 11], {}, "updates"),
    ("updates_are_not_broadcast", "ScatterND", 18, SQUARE, [[0], [1]], [[7], [8]], {}, "updates"),
    ("tuple_longer_than_rank", "ScatterND", 16, LINE, [[4, 0]], [9], {}, "ScatterND-16"),
    ("max_in_version_16", "ScatterND", 17, LINE, [[4]], [9], {"reduction": "max"}, "max"),
    ("min_in_version_16", "ScatterND", 16, LINE, [[4]], [9], {"reduction": "min"}, "min"),
    ("reduction_in_version_13", "ScatterND", 13, LINE, [[4]], [9], {"reduction": "add"}, "reduction"),
    ("unknown_reduction", "ScatterND", 18, LINE, [[4]], [9], {"reduction": "mean"}, "mean"),
]  # fmt: skip

# Operator, opset, type of data, type of indices, text of the refusal.
WRONG_TYPES = [
    ("GatherND", 13, "float32", "int32", "int32"),
    ("GatherND", 12, "bfloat16", "int64", "bfloat16"),
    ("Scatter", 10, "bfloat16", "int64", "bfloat16"),
    ("Scatter", 10, "float32", "float32", "float32"),
    ("ScatterND", 18, "float32", "int32", "int32"),
    ("ScatterND", 12, "bfloat16", "int64", "bfloat16"),
    ("ScatterND", 18, "float8_e4m3fn", "int64", "float8"),
]


def holds(dtype, reduction, literals):
    """True if the example means the same in `dtype`: any mapping of values keeps a move, but not a sum."""
    if reduction is None:
        return dtype in ANY_VALUE or dtype == "bool" or all(fits(values, dtype) for values in literals)
    if dtype in ("bool", "string") or (reduction in ("max", "min") and dtype.startswith("complex")):
        return False
    return all(fits(values, dtype) for values in literals)


def typed(inputs, dtype, index_type):
    return {key: as_type(values, index_type if key == "indices" else dtype) for key, values in inputs.items()}


def write_example(target, op_type, version, name, inputs, output, stated=None, index_types=("int64",), **attributes):
    """Writes one example of one operator version; `inputs` are the literals by name. Returns how many folders."""
    opsets, types = VERSIONS[op_type, version].opsets, VERSIONS[op_type, version].types
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
        folder, arrays = f"{name}_opset{opset}_{dtype}_{index_type}", typed(inputs, dtype, index_type)
        case = Case(op_type, version, opset, "page", folder, arrays, attributes, as_type(output, dtype))
        case.write(target)
    return len(variants)


def write_refused(target, op_type, opset, name, inputs, attributes, text):
    case = Case(op_type, opset, opset, "page", name, inputs, attributes, refused="check")
    case.write(target)
    (target / case.path / "expect_error.txt").write_text(text + "\n")


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
    for name, op_type, opset, data, indices, updates, attributes, text in REFUSED:
        inputs = {"data": data, "indices": indices} | ({} if updates is None else {"updates": updates})
        write_refused(target, op_type, opset, name, typed(inputs, "float32", "int64"), attributes, text)
    for op_type, opset, dtype, index_type, text in WRONG_TYPES:
        updates = {"GatherND": {}, "Scatter": {"updates": [[5, 6]]}, "ScatterND": {"updates": [5]}}[op_type]
        inputs = typed({"data": [[1, 2], [3, 4]], "indices": [[0, 1]]} | updates, dtype, index_type)
        write_refused(target, op_type, opset, f"{dtype}_with_{index_type}_indices", inputs, {}, text)
    print(f"{count} examples of the operator pages and {len(REFUSED) + len(WRONG_TYPES)} refusals in {target}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

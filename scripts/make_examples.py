"""Writes every example of the ONNX pages of GatherND, Scatter and ScatterND as folders for `strew test`.

Usage: make_examples.py FOLDER

Expected outputs are literals taken from the pages (conformance/gather_scatter_conformance/pages.py). An example is written for
every operator version whose page has it: once for every opset that selects the version, and once for every
element type of the version that holds its values. The refusals that the pages ask for are in refused_examples.
"""

import pathlib
import shutil
import sys

import numpy as np
from onnx_case import fits, tensor, write_case
from refused_examples import write_refused

# onnx_case has put the suite's folder in the path.
from gather_scatter_conformance.pages import GATHER_ND, SCATTER, SCATTER_ND
from gather_scatter_conformance.standard import VERSIONS

ANY_VALUE = {"float16", "float32", "float64", "bfloat16", "complex64", "complex128", "string"}


def holds(dtype, reduction, literals):
    """True if the example means the same in `dtype`: any mapping of values keeps a move, but not a sum."""
    if reduction is None:
        return dtype in ANY_VALUE or dtype == "bool" or all(fits(values, dtype) for values in literals)
    if dtype in ("bool", "string") or (reduction in ("max", "min") and dtype.startswith("complex")):
        return False
    return all(fits(values, dtype) for values in literals)


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

"""Writes the official ONNX node tests of the gather and scatter operators, as folders for `strew test`.

Usage: make_node_tests.py FOLDER
"""

import pathlib
import shutil
import sys
import warnings

import onnx
from onnx.backend.test.loader import load_model_tests
from onnx_case import write_tensors

OPERATORS = {"Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "TensorScatter"}
EXPECTED = 29  # onnx 1.23.2


def main(target):
    shutil.rmtree(target, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, about infinities in tests of other operators
        cases = [
            case
            for case in load_model_tests(kind="node")
            if [node.op_type in OPERATORS for node in case.model.graph.node] == [True]
        ]
    for case in cases:
        folder = target / case.name
        folder.mkdir(parents=True)
        onnx.save(case.model, folder / "model.onnx")
        for number, (inputs, outputs) in enumerate(case.data_sets):
            data = folder / f"test_data_set_{number}"
            write_tensors(data, "input", zip([i.name for i in case.model.graph.input], inputs, strict=True))
            write_tensors(data, "output", zip([o.name for o in case.model.graph.output], outputs, strict=True))
    if len(cases) != EXPECTED:
        sys.exit(f"onnx {onnx.__version__} has {len(cases)} node tests of these operators, expected {EXPECTED}")
    print(f"{len(cases)} official node tests in {target}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

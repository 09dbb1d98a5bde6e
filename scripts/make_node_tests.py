"""Writes ONNX's node tests for gathers and scatters as folders for `strew test`. Usage: make_node_tests.py FOLDER"""

import pathlib
import shutil
import sys
import warnings

import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.loader import load_model_tests

OPERATORS = {"Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "TensorScatter"}
EXPECTED = 29  # onnx 1.23.2


def write_tensors(folder, prefix, infos, values):
    """Writes the values (TensorProtos or arrays) as PREFIX_0.pb, PREFIX_1.pb, ... with their names in the graph."""
    for position, (info, value) in enumerate(zip(infos, values, strict=True)):
        tensor = TensorProto()
        tensor.CopyFrom(value if isinstance(value, TensorProto) else numpy_helper.from_array(value))
        tensor.name = info.name
        (folder / f"{prefix}_{position}.pb").write_bytes(tensor.SerializeToString())


def main(target):
    shutil.rmtree(target, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's warnings about infinities in tests of other operators
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
            data.mkdir()
            write_tensors(data, "input", case.model.graph.input, inputs)
            write_tensors(data, "output", case.model.graph.output, outputs)
    if len(cases) != EXPECTED:
        sys.exit(f"onnx {onnx.__version__} has {len(cases)} node tests of these operators, expected {EXPECTED}")
    print(f"{len(cases)} official node tests in {target}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

"""Writes the workload scatter_elements_add_issue: an ONNX model with `data` in an external file, and its inputs.

Usage: make_workload.py FOLDER

ScatterElements, axis 0, reduction add: data float32 [556416, 80] (178 MB), indices int64 and updates float32
[481385, 80] (308 MB and 154 MB), uniform random with a fixed seed. Files that are there already are kept.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

NODES, EDGES, FEATURES = 556416, 481385, 80
CHUNK_ROWS = 16384
SEED = 28584
DATA_FILE = "scatter_elements_add_issue.data"


def random_chunks(rows, make):
    """Arrays of at most CHUNK_ROWS rows, `rows` in all, each made by make(shape)."""
    for start in range(0, rows, CHUNK_ROWS):
        yield make((min(CHUNK_ROWS, rows - start), FEATURES))


def write_npy(path, dtype, chunks):
    """Writes the chunks of EDGES rows as one .npy file."""
    with path.open("wb") as file:
        header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False}
        np.lib.format.write_array_header_1_0(file, {**header, "shape": (EDGES, FEATURES)})
        for chunk in chunks:
            chunk.tofile(file)


def write_model(path):
    """Writes the model, whose initializer `data` lies in DATA_FILE beside it."""
    data = TensorProto(
        name="data", data_type=TensorProto.FLOAT, dims=[NODES, FEATURES], data_location=TensorProto.EXTERNAL
    )
    for key, value in {"location": DATA_FILE, "offset": 0, "length": NODES * FEATURES * 4}.items():
        data.external_data.add(key=key, value=str(value))
    node = helper.make_node("ScatterElements", ["data", "indices", "updates"], ["output"], axis=0, reduction="add")
    graph = helper.make_graph(
        [node],
        "scatter_elements_add_issue",
        [
            helper.make_tensor_value_info("indices", TensorProto.INT64, [EDGES, FEATURES]),
            helper.make_tensor_value_info("updates", TensorProto.FLOAT, [EDGES, FEATURES]),
        ],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [NODES, FEATURES])],
        initializer=[data],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8, producer_name="strew")
    path.write_bytes(model.SerializeToString())
    onnx.checker.check_model(str(path))


def main(folder):
    model = folder / "scatter_elements_add_issue.onnx"
    if model.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(SEED)

    def floats(shape):
        return random.uniform(0.5, 1.5, shape).astype(np.float32)

    with (folder / DATA_FILE).open("wb") as file:
        for chunk in random_chunks(NODES, floats):
            chunk.tofile(file)
    write_npy(folder / "indices.npy", "<i8", random_chunks(EDGES, lambda shape: random.integers(0, NODES, shape)))
    write_npy(folder / "updates.npy", "<f4", random_chunks(EDGES, floats))
    write_model(model)  # last, so that a model that is there has its inputs


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

"""Every example of every help text runs."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
import pytest

ROOT = pathlib.Path(__file__).parents[2]
COMMANDS = ["", "run", "op", "check", "test", "ops", "bench", "tune", "make", "doctor", "help", "completion"]


def examples_of(command):
    program = [sys.executable, "-m", "strew", "help", *command.split()]
    text = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (.+)$", re.search(r"^Examples:\n((?:  .+\n)+)", text, re.M)[1], re.M)


EXAMPLES = [example for command in COMMANDS for example in examples_of(command)]


def model(*nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(
        nodes,
        "examples",
        [helper.make_tensor_value_info(name, *of) for name, of in inputs.items()],
        [helper.make_tensor_value_info(name, next(iter(inputs.values()))[0], None) for name in outputs],
        [onnx.numpy_helper.from_array(np.array(values), name) for name, values in constants],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


FLOAT, INT64, BFLOAT16 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BFLOAT16
SCATTER = model(
    helper.make_node("ScatterND", ["data", "indices", "updates"], ["y"], "/conv/ScatterElements"),
    inputs={"data": (FLOAT, [2, 4, 8]), "indices": (INT64, [1, 1]), "updates": (FLOAT, [1, 4, 8])},
    outputs=["y"],
)
# Part of a command -> the model.onnx of commands with this part. Other commands use SCATTER.
MODELS = {
    "bfloat16": model(
        helper.make_node("Gather", ["x", "rows"], ["y"]), inputs={"x": (BFLOAT16, [4, 2])}, outputs=["y"], constants=[("rows", [3, 0])]
    ),
    "/layers.0/Gather": model(
        helper.make_node("Gather", ["table", "rows"], ["y"], "/layers.0/Gather"),
        helper.make_node("Relu", ["y"], ["z"]),
        inputs={"table": (FLOAT, [4, 2])},
        outputs=["z"],
        constants=[("rows", [3, 0])],
    ),
    "/conv/ScatterElements": model(
        helper.make_node("ScatterElements", ["x", "to", "messages"], ["y"], "/conv/ScatterElements", reduction="add"),
        inputs={"x": (FLOAT, ["atoms", 4]), "to": (INT64, ["edges", 4]), "messages": (FLOAT, ["edges", 4])},
        outputs=["y"],
    ),
}


def write_files(folder, example):
    """Write all files that the examples name. Index 0 and axes of length 1 are legal for each operator."""
    column, zeros = np.ones((4, 1), "f4"), np.zeros((4, 1), "i8")
    arrays = {"data": column, "indices": zeros, "updates": column, "table": np.ones((4, 2), "f4"), "ids": np.array([3, 7])}
    arrays |= {"cache": np.zeros((2, 4, 8), "f4"), "update": np.ones((2, 1, 8), "f4"), "write_indices": np.array([3, 0])}
    arrays |= {"slots": np.array([[1]]), "new": np.ones((1, 4, 8), "f4"), "order": np.array([[1, 0]]), "x": np.zeros((4, 2), "V2")}
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
    np.savez(folder / "all.npz", data=arrays["table"], rows=np.array([3, 0]))
    onnx.save(next((model for part, model in MODELS.items() if part in example), SCATTER), folder / "model.onnx")
    for name in ("test_scatternd", "test_gather_0"):
        shutil.copytree(next((ROOT / "examples/tests").iterdir()), folder / "tests" / name)


@pytest.fixture
def programs(tmp_path):
    """Make a folder for PATH with the programs strew, and man, which only reads its input."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in {"strew": f'exec "{sys.executable}" -m strew "$@"', "man": "exec cat >/dev/null"}.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example, programs, tmp_path):
    write_files(tmp_path, example)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(tmp_path)}
    script = f"set -euo pipefail\n{example}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    if example.startswith("strew tune") and "busy" in done.stderr:
        assert done.returncode == 1
    else:
        assert done.returncode == 0, done.stderr

"""examples/python/onnxruntime_session.py runs: an exported network with Strew gives what ONNX Runtime gives."""

import pathlib
import subprocess
import sys

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/python/onnxruntime_session.py"


def test_the_session_of_the_example_gives_what_onnx_runtime_gives():
    done = subprocess.run([sys.executable, "-P", EXAMPLE, "500"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("500 nodes: ONNX Runtime ")

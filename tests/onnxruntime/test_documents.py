"""The code that docs/onnxruntime.md, the package's README and examples/onnxruntime show does what they say."""

import os
import pathlib
import shlex
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import onnxruntime_ep_strew
import pytest
from onnx import TensorProto
from support import VERSION, in_ort_format, one_node, run_python

ROOT = pathlib.Path(__file__).parents[2]
HEADERS = pathlib.Path(os.environ.get("ONNXRUNTIME_INCLUDE", ROOT / "build/onnxruntime/usr/include/onnxruntime"))
sys.path.append(str(ROOT / "tests/support"))
from document_blocks import all_blocks, commands  # noqa: E402

DOCUMENTS = ["docs/onnxruntime.md", "bindings/onnxruntime/README.md"]
BLOCKS = [block for block in all_blocks(ROOT) if block.page in DOCUMENTS]
MODEL = one_node(
    "ScatterND",
    {
        "data": (TensorProto.FLOAT, ["rows", 4]),
        "indices": (TensorProto.INT64, ["count", 1]),
        "updates": (TensorProto.FLOAT, ["count", 4]),
    },
)


@pytest.mark.parametrize(
    "block",
    [block for block in BLOCKS if block.language == "python"],
    ids=[f"{block.page}:{block.section}" for block in BLOCKS if block.language == "python"],
)
def test_a_block_of_python_runs(block, tmp_path):
    onnx.save(MODEL, tmp_path / "model.onnx")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    feeds = {"data": np.zeros((3, 4), np.float32), "indices": np.array([[1]]), "updates": np.ones((1, 4), np.float32)}
    np.savez(tmp_path / "feeds.npz", **feeds)
    prologue = f"import os\nos.chdir({str(tmp_path)!r})\nimport numpy\nfeeds = dict(numpy.load('feeds.npz'))\n"
    output = run_python(prologue + block.text + "\nprint(session.get_providers())")
    *printed, providers = map(str.rstrip, output.splitlines())
    assert providers == "['StrewExecutionProvider', 'CPUExecutionProvider']"
    shown = [line for other in BLOCKS if (other.language, other.section) == ("text", block.section) for line in other.text.splitlines()]
    assert not shown or printed == shown or VERSION < (1, 27)  # older versions may simplify graphs differently


@pytest.mark.skipif(not (HEADERS / "onnxruntime_cxx_api.h").exists(), reason="ONNX Runtime's headers are not here")
@pytest.mark.skipif(VERSION < (1, 27), reason="the headers are newer than this ONNX Runtime")
def test_the_example_in_cpp_prints_the_placement(tmp_path):
    library = next((pathlib.Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.1.*"))
    (tmp_path / "libonnxruntime.so.1").symlink_to(library)
    onnx.save(MODEL, tmp_path / "model.onnx")
    shown = next(command for block in BLOCKS if block.language == "sh" for command in commands(block.text) if "placement.cc" in command)
    here = {
        "build/onnxruntime/usr/include/onnxruntime": str(HEADERS),
        "RELEASE/lib/libonnxruntime.so": str(tmp_path / "libonnxruntime.so.1"),
        "placement": str(tmp_path / "placement"),
    }
    build = [here.get(word, word) for word in shlex.split(shown)]
    subprocess.run([*build, f"-Wl,-rpath,{tmp_path}"], cwd=ROOT, check=True)
    program = [tmp_path / "placement", onnxruntime_ep_strew.get_library_path(), tmp_path / "model.onnx"]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    assert done.stdout == "StrewExecutionProvider: 1\n"
    program[2] = in_ort_format(MODEL, tmp_path)
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "no node was recorded, as with every model in ORT format (.ort)\n"

"""Tests the wheel of the plug-in, the example of a session, and the official node tests of ONNX."""

import importlib.metadata
import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import onnxruntime_ep_strew
import pytest
from onnx.backend.test.loader import load_model_tests
from support import OPERATORS, VERSION, assert_all_on_strew, refuses, run_python, strew_session

INSTALLED = importlib.metadata.distribution("onnxruntime-ep-strew")


def test_the_licence_is_named_and_those_of_the_libraries_inside_are_there():
    assert INSTALLED.metadata["License-Expression"] == "Apache-2.0"
    assert "Apache License" in INSTALLED.read_text("licenses/LICENSE")
    assert "CC0" in INSTALLED.read_text("licenses/third_party/expected.txt")
    assert "Apache-2.0" in INSTALLED.read_text("licenses/third_party/highway.txt")


def test_the_bill_of_materials_names_these():
    bill = json.loads(INSTALLED.read_text("sboms/strew.cdx.json"))
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/onnxruntime-ep-strew@{INSTALLED.version}"
    inside = {library["bom-ref"] for library in bill["components"]}
    licences = {path.stem for path in INSTALLED.files if "licenses/third_party/" in str(path)}
    assert inside == licences >= {"expected", "highway"}


def test_another_version_of_strew_is_refused(monkeypatch):
    versions = {"strew": "0.0.9", "onnxruntime-ep-strew": INSTALLED.version}
    monkeypatch.setattr(importlib.metadata, "version", versions.__getitem__)
    words = f"^onnxruntime-ep-strew {INSTALLED.version} does not match strew 0.0.9: both must have the same version$"
    refuses(RuntimeError, words, onnxruntime_ep_strew.register)


def test_without_onnx_runtime_the_error_names_the_package_to_install():
    code = """
import sys
sys.modules["onnxruntime"] = None
try:
    import onnxruntime_ep_strew
except ModuleNotFoundError as error:
    print(error.name, error)
"""
    assert run_python(code).startswith("onnxruntime onnxruntime_ep_strew needs ONNX Runtime 1.24 or newer: pip install onnxruntime (")


EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/python/onnxruntime_session.py"


def test_the_session_of_the_example_gives_what_onnx_runtime_gives():
    done = subprocess.run([sys.executable, "-P", EXAMPLE, "500"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("500 nodes: ONNX Runtime ")


NEEDS_1_25 = {"TensorScatter"}


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # NumPy warns of infinities in tests of other operators
    CASES = load_model_tests(kind="node")
CASES = [case for case in CASES if [n.op_type in OPERATORS for n in case.model.graph.node] == [True]]


def test_there_are_as_many_official_cases_as_known():
    assert len(CASES) == 29


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_official_case_passes_on_strew(case):
    op_type = case.model.graph.node[0].op_type
    if op_type in NEEDS_1_25 and VERSION < (1, 25):
        pytest.skip("this ONNX Runtime does not know the operator")
    session = strew_session(case.model)
    assert_all_on_strew(session, op_type)
    names = [value.name for value in case.model.graph.input]
    for inputs, outputs in case.data_sets:
        results = session.run(None, dict(zip(names, inputs, strict=True)))
        for result, wanted in zip(results, outputs, strict=True):
            assert result.dtype == wanted.dtype
            np.testing.assert_array_equal(result, wanted)

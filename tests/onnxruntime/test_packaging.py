"""Contents of an installation of the plug-in's wheel."""

import importlib.metadata
import json

import onnxruntime_ep_strew
import pytest
from support import run_python

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
    with pytest.raises(RuntimeError) as refusal:
        onnxruntime_ep_strew.register()
    assert str(refusal.value) == (
        f"onnxruntime-ep-strew {INSTALLED.version} does not fit strew 0.0.9: both have to be of one version"
    )


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

"""What an installation of the plug-in's wheel is made of."""

import importlib.metadata

INSTALLED = importlib.metadata.distribution("onnxruntime-ep-strew")


def test_the_licence_is_named_and_those_of_the_libraries_inside_are_there():
    assert INSTALLED.metadata["License-Expression"] == "Apache-2.0"
    assert "Apache License" in INSTALLED.read_text("licenses/LICENSE")
    assert "CC0" in INSTALLED.read_text("licenses/third_party/expected.txt")
    assert "Apache-2.0" in INSTALLED.read_text("licenses/third_party/highway.txt")

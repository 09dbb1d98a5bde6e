"""The suite's list of operators is Strew's."""

import json
import subprocess

from conftest import ROOT
from gather_scatter_conformance.standard import TABLE


KEYS = ["operator", "version", "deprecated", "inputs", "output", "types", "index_types", "attributes"]


def of_the_standard(value):
    """Return ONNX's part of the table of operators, without Strew's documentation and extensions."""
    if isinstance(value, list):
        return [of_the_standard(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: of_the_standard(one) for key, one in value.items() if key != "doc" and (key in KEYS or "version" not in value)}


def test_the_table_is_what_strew_prints_of_its_own():
    printed = subprocess.run([ROOT / "build" / "strew", "ops", "--json"], capture_output=True, check=True)
    assert of_the_standard(json.loads(printed.stdout)) == TABLE

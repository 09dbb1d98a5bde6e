"""The suite's list of operators is Strew's."""

import json
import subprocess

from conftest import ROOT
from gather_scatter_conformance.standard import TABLE


def test_the_table_is_what_strew_prints_of_its_own():
    """After a change: build/strew ops --json > conformance/gather_scatter_conformance/operators.json"""
    printed = subprocess.run([ROOT / "build" / "strew", "ops", "--json"], capture_output=True, check=True)
    assert json.loads(printed.stdout) == TABLE

"""Tests the suite from its source, not from an installed package."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "conformance"))


@pytest.fixture(scope="session")
def cases():
    from gather_scatter_conformance import suite

    return suite.all_cases()

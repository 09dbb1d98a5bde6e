"""Public names and signatures of the package equal docs/interface/python.txt."""

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/public_interface.py"


def test_names_and_signatures_are_those_that_are_written_down():
    pytest.importorskip("dask")
    done = subprocess.run([sys.executable, "-P", SCRIPT, "python", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

"""PyTorch's own tests of compiled scatters pass on Strew, if STREW_TEST_PYTORCH names a checkout of PyTorch's version."""

import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = os.environ.get("STREW_TEST_PYTORCH")
NAMES = "scatter index_add index_put index_select index_tensor embedding gather".split()


@pytest.mark.skipif(not SOURCE, reason="set STREW_TEST_PYTORCH to a checkout of PyTorch")
def test_pytorchs_tests_of_compiled_scatters_pass():
    program = pathlib.Path(SOURCE, "test", "inductor", "test_torchinductor.py")
    names = [word for name in NAMES for word in ("-k", f"*.CpuTests.test_*{name}*")]
    options = "--min-elements", "1"
    subprocess.run([sys.executable, "-m", "strew.torch", *options, program.name, *names], cwd=program.parent, check=True)

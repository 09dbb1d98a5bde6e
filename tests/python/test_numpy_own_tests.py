"""NumPy's own tests pass with the functions of strew.numpy in place of NumPy's."""

import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import numpy_own_tests
import pytest

# Tests that fail, and the reasons. All other tests pass.
FAILING = {
    "test_ufunc.TestUfunc::test_ufunc_at_inner_loops[multiply-e]": "Strew does not warn of an overflow",
    "test_multiarray.TestTextSignatures::test_c_func_dispatcher_signature[bincount]": "reads NumPy's C function",
}
# The tests' indices are random, and a product may overflow if an index repeats often.
SEED = """
import numpy, pytest
@pytest.fixture(autouse=True)
def seed():
    numpy.random.seed(1)
"""


@pytest.mark.skipif(np.__version__ < "2.3", reason="before 2.3 take_along_axis has another default")
def test_numpys_own_tests_pass_or_are_listed(tmp_path):
    pytest.importorskip("numpy.testing")
    tests = numpy_own_tests.write(tmp_path)
    (tmp_path / "conftest.py").write_text(SEED)
    assert len(tests) > 50
    report = tmp_path / "report.xml"
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=."]
    command = [*command, f"--junitxml={report}", *tests]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    assert len(cases) > 100, done.stdout + done.stderr
    failed = {
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }
    assert failed == set(FAILING), done.stdout

"""NumPy's own tests pass with the functions of strew.numpy in place of NumPy's."""

import ast
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

FILES = {
    "numpy.lib.tests": ["test_shape_base.py", "test_function_base.py"],
    "numpy._core.tests": [
        "test_ufunc.py",
        "test_multiarray.py",
        "test_item_selection.py",
        "test_numeric.py",
        "test_regression.py",
        "test_mem_overlap.py",
        "test_indexing.py",
        "test_deprecations.py",
    ],
}
FUNCTIONS = {"take", "take_along_axis", "put", "put_along_axis", "bincount"}

PRELUDE = """\
import functools as _strew_functools, numpy as _strew_np, strew.numpy as _strew_numpy
_strew_ufuncs = {getattr(_strew_np, name): ours for name, ours in vars(_strew_numpy).items() if hasattr(ours, "at")}
def _strew_at(ufunc):
    return _strew_ufuncs.get(ufunc, ufunc).at
def _strew_method(given, name):
    if type(given) is not _strew_np.ndarray:
        return getattr(given, name)
    return _strew_functools.partial(getattr(_strew_numpy, name), given)
"""

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


class Calls(ast.NodeTransformer):
    """Replaces NumPy's functions by strew.numpy's. `places` has the functions and classes with replaced calls."""

    def __init__(self, package):
        self.package = package
        self.place = []
        self.places = set()

    def visit_scope(self, node):
        self.place.append(node.name)
        self.generic_visit(node)
        self.place.pop()
        return node

    visit_FunctionDef = visit_ClassDef = visit_scope

    def visit_ImportFrom(self, node):
        if node.level == 1:
            node.module, node.level = f"{self.package}.{node.module}" if node.module else self.package, 0
        return node

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in ("take_along_axis", "put_along_axis"):
            return self.replaced(ast.Attribute(ast.Name("_strew_numpy", ast.Load()), node.id, ast.Load()))
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        of_numpy = isinstance(node.value, ast.Name) and node.value.id == "np"
        if of_numpy and node.attr in FUNCTIONS:
            return self.replaced(ast.Attribute(ast.Name("_strew_numpy", ast.Load()), node.attr, ast.Load()))
        if node.attr in ("take", "put"):
            return self.call("_strew_method", node.value, ast.Constant(node.attr))
        if node.attr == "at" and not of_numpy:
            return self.call("_strew_at", node.value)
        return node

    def call(self, function, *operands):
        return self.replaced(ast.Call(ast.Name(function, ast.Load()), list(operands), []))

    def replaced(self, node):
        self.places.add(tuple(self.place))
        return node


def selected(tree, places):
    """Yield the tests with replaced calls: methods of a class, or the whole class if a helper method has such a call."""
    for node in tree.body:
        inside = {place for place in places if place[:1] == (getattr(node, "name", None),)}
        methods = sorted({place[1] for place in inside if isinstance(node, ast.ClassDef) and len(place) > 1})
        if not inside:
            continue
        if methods and all(name.startswith("test") for name in methods):
            yield from (f"{node.name}::{name}" for name in methods)
        else:
            yield node.name


def write(folder):
    """Write NumPy's own tests with calls of strew.numpy, and return the tests with such calls as pytest names them."""
    tests = []
    for package, files in FILES.items():
        home = pathlib.Path(np.__file__).parents[1].joinpath(*package.split("."))
        for file in files:
            if not (home / file).exists():
                continue
            calls = Calls(package)
            tree = ast.fix_missing_locations(calls.visit(ast.parse((home / file).read_text())))
            future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
            assert not future, file
            (folder / file).write_text(PRELUDE + ast.unparse(tree))
            tests += [f"{file}::{test}" for test in selected(tree, calls.places)]
    return tests


@pytest.mark.skipif(np.__version__ < "2.3", reason="before 2.3 take_along_axis has another default")
def test_numpys_own_tests_pass_or_are_listed(tmp_path):
    pytest.importorskip("numpy.testing")
    tests = write(tmp_path)
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

"""In every row of docs/migrating.md's tables of NumPy, PyTorch and JAX, both calls give the same result."""

import importlib
import pathlib
import re
from importlib.util import find_spec

import numpy as np
import pytest

import strew

DOCUMENT = (pathlib.Path(__file__).parents[2] / "docs/migrating.md").read_text()
LIBRARIES = {"NumPy": ("numpy", 19), "PyTorch": ("torch", 27), "JAX": ("jax", 16)}


def chapter(name):
    return DOCUMENT.split(f"## Coming from {name}")[1].split("\n## ")[0]


def rows(name):
    return re.findall(r"^\| `(.+?)` \| `(strew.+?)` \|$", chapter(name), re.M)


CASES = [
    pytest.param(name, theirs, ours, id=f"{name} {theirs}")
    for name, (library, _) in LIBRARIES.items()
    if find_spec(library) is not None
    for theirs, ours in rows(name)
]


def settings(name):
    """Return the variables that the rows of a chapter use."""
    blocks = re.findall(r"```pycon\n((?:>>> .*\n)+)\n?```", chapter(name))
    block = next(block for block in blocks if re.search(r"^>>> \w+(, \w+)* = ", block, re.M))
    names = {"strew": strew, "np": np}
    if name == "PyTorch":
        importlib.import_module("torch").manual_seed(7)
    exec(block.replace(">>> ", ""), names)
    return names


def result(expression, names):
    """Return the result of a call, or the array that it has written if it returns nothing."""
    try:
        value = eval(expression, names)
    except SyntaxError:
        exec(expression, names)
        value = None
    return names[re.search(r"\b(data|cache|i)\b", expression)[0]] if value is None else value


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_tables_are_found(name):
    assert len(rows(name)) >= LIBRARIES[name][1]


@pytest.mark.parametrize(("name", "theirs", "ours"), CASES)
def test_both_sides_give_the_same(name, theirs, ours):
    values = [np.asarray(result(side, settings(name))).reshape(-1) for side in (ours, theirs)]
    np.testing.assert_allclose(*values, rtol=1e-6)

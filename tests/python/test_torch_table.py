"""Both sides of every row of docs/python.md's tables of PyTorch give the same tensor."""

import pathlib
import re

import pytest

import strew

torch = pytest.importorskip("torch")

DOCUMENT = (pathlib.Path(__file__).parents[2] / "docs/python.md").read_text()
CHAPTER = DOCUMENT.split("## Coming from PyTorch")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| `(.+?)` \| `(strew.+?)` \|$", CHAPTER, re.M)
SETTING = re.search(r"```pycon\n(.*?)```", CHAPTER, re.S)[1].replace(">>> ", "")


def result(expression, names):
    names = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in names.items()}
    return eval(expression, names)


def test_the_tables_are_found():
    assert len(ROWS) >= 20


@pytest.mark.parametrize(("theirs", "ours"), ROWS, ids=[ours for _, ours in ROWS])
def test_both_sides_give_the_same(theirs, ours):
    names = {"strew": strew}
    torch.manual_seed(7)
    exec(SETTING, names)
    torch.testing.assert_close(result(ours, names), result(theirs, names))

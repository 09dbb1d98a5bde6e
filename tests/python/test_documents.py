"""Every Python example shown in README.md, the package's README and docs/ gives what the document says."""

import doctest
import pathlib
import re
import sys
from importlib.util import find_spec

import device_support
import device_torch
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "bindings/python/README.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS = [path for path in PAGES if "```pycon" in path.read_text()]

# A word of a block, and the package without which it cannot be run.
NEEDS = {
    "torch": "torch",
    "jax": "jax",
    "onnx": "onnx",
    "strew.torch.install": "strew_torch",
    "strew.dask": "dask",
    "xarray": "xarray",
}


def play_device(monkeypatch):
    """Examples of arrays on a device run on the one that the host plays, as tensors of a stand-in for PyTorch."""
    played = device_support.play()
    played.set()
    monkeypatch.setitem(sys.modules, "torch", device_torch.Torch(played))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_of_a_document_give_what_it_says(document, monkeypatch):
    on_device = document.name == "cuda.md"
    if on_device:
        play_device(monkeypatch)
    names, missing = {}, set()
    for block in re.findall(r"```pycon\n(.*?)```", document.read_text(), re.S):
        needs = {library for word, library in NEEDS.items() if word in block and not (on_device or find_spec(library))}
        if needs:
            missing |= needs
            continue
        example = doctest.DocTestParser().get_doctest(block, names, document.name, str(document), 0)
        results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, clear_globs=False)
        assert results.attempted > 0 and results.failed == 0
        names = example.globs
    if missing:
        pytest.skip(f"all other examples are right; those that need {', '.join(sorted(missing))} did not run")

"""The programs of examples/python that need NumPy or pandas run, and the index lists all examples."""

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def run_example(name, size):
    """Return the output of a program. Its folder is not on the path, because examples have names of packages."""
    command = [sys.executable, "-P", EXAMPLES / "python" / name, str(size)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        ("particles.py", 5000, "5,000 particles: NumPy "),
        ("remap_image.py", 45, "45 x 80: NumPy "),
        ("kv_cache.py", 20, "20 steps; row 8 of sequence 0 was written last"),
        ("group_sums.py", 5000, "5,000 rows: pandas "),
    ],
)
def test_an_example_runs_as_a_program(name, size, said):
    if name == "group_sums.py":
        pytest.importorskip("pandas")
    assert run_example(name, size).startswith(said)


def test_the_index_lists_every_example():
    listed = set(re.findall(r"\]\(([^)#]+)\)", (EXAMPLES / "README.md").read_text("utf-8")))
    files = (path.relative_to(EXAMPLES) for path in EXAMPLES.rglob("*") if path.suffix in (".py", ".cc", ".c", ".onnx"))
    programs = {str(path) for path in files if path.parts[0] != "tests"}
    assert programs == {path for path in listed if not path.startswith("..")}

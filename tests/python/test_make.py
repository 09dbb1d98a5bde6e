"""Output and actions of make before it builds a wheel: interpreters and pip are stand-ins, so that nothing is built."""

import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]

# A Python that records the requests to pip.
STAND_IN = """#!/bin/sh
case "$*" in
  *find_spec*) exit {no_torch} ;;
  *SOABI*) echo {abi} ;;
  *) echo "{abi} $*" >>{log} ;;
esac
"""


@pytest.fixture
def checkout(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "scripts").mkdir()
    for name in ("build_wheel.sh", "build_conformance.sh", "ccache.sh", "fetch_onnxruntime_headers.sh"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    build = tmp_path / "scripts/build.sh"  # of the library's objects, which the stand-in for pip does not take
    build.write_text("#!/bin/sh\n")
    build.chmod(0o755)
    return tmp_path


def add_python(checkout, folder, abi, has_torch=False):
    path = checkout / folder / "bin/python"
    path.parent.mkdir(parents=True)
    path.write_text(STAND_IN.format(no_torch=int(not has_torch), abi=abi, log=checkout / "pip.txt"))
    path.chmod(0o755)


def make(checkout, *words):
    return subprocess.run(["make", *words, "SKIP_DEPS=1"], cwd=checkout, capture_output=True, text=True)


def asked_of_pip(checkout):
    """The interpreter, the command and the package or wheel of each call of pip."""
    lines = [line.split() for line in (checkout / "pip.txt").read_text().splitlines()]
    return [(words[0], words[3], "--no-build-isolation" in words) for words in lines]


@pytest.mark.parametrize("venv", [False, True], ids=["without .venv", "with .venv"])
def test_without_torch_nothing_is_built_and_the_command_that_works_is_named(checkout, venv):
    if venv:
        add_python(checkout, ".venv", "cpython-311")
    done = make(checkout, "torch")
    assert done.returncode != 0 and not (checkout / "pip.txt").exists()
    assert ".venv/bin/python has no PyTorch." in done.stderr
    assert "make torch PYTHON=venv/bin/python\n" in done.stderr


@pytest.mark.parametrize("target", ["python", "ort", "conformance"])
def test_without_the_environment_that_builds_wheels_it_is_named(checkout, target):
    done = make(checkout, target)
    assert done.returncode != 0
    assert f"There is no {checkout}/.venv/bin/python, which builds the wheel" in done.stderr


def test_the_package_is_built_by_pip_of_an_interpreter_of_another_version(checkout):
    add_python(checkout, ".venv", "cpython-311")
    add_python(checkout, "venv", "cpython-312", has_torch=True)
    done = make(checkout, "torch", "PYTHON=venv/bin/python")
    assert done.returncode == 0, done.stderr
    assert asked_of_pip(checkout) == [
        ("cpython-312", "wheel", False),  # strew
        ("cpython-311", "wheel", True),  # strew-torch, which is for every version
        ("cpython-312", "install", False),
    ]


def test_the_package_is_built_without_pips_isolation_for_the_same_version(checkout):
    add_python(checkout, ".venv", "cpython-311")
    add_python(checkout, "venv", "cpython-311", has_torch=True)
    done = make(checkout, "torch", "PYTHON=venv/bin/python")
    assert done.returncode == 0, done.stderr
    assert asked_of_pip(checkout)[0] == ("cpython-311", "wheel", True)


def test_an_interpreter_that_is_not_there_is_named(checkout):
    add_python(checkout, ".venv", "cpython-311")
    done = make(checkout, "cuda", "PYTHON=venv/bin/python")
    assert done.returncode != 0 and "There is no venv/bin/python\n" in done.stderr

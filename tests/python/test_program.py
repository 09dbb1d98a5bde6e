"""Tests the program `strew` as a command of the package, and how make builds packages."""

import json
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig

import numpy as np
import pytest
import strew

SCRIPT = pathlib.Path(sysconfig.get_path("scripts")) / "strew"
STARTS = {"module": [sys.executable, "-m", "strew"], "script": [str(SCRIPT)]}


@pytest.fixture(params=STARTS)
def program(request, tmp_path):
    if request.param == "script" and not SCRIPT.exists():
        pytest.skip("the package is not installed")

    def start(*arguments, **options):
        command = [*STARTS[request.param], *arguments]
        return subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=60, check=False, **options)

    start.command = STARTS[request.param]
    return start


def test_the_doctor_names_versions_and_no_paths(program):
    found = json.loads(program("doctor", "--json").stdout)
    assert (found["version"], found["commit"]) == (strew.__version__, strew.__commit__)
    assert found["packages"]["numpy"] == np.__version__ and found["packages"]["python"].startswith(platform.python_version())
    text = program("doctor").stdout.decode()
    assert f"\npackages.numpy {' ' * 6}" in text
    assert not any(word in text for word in ("/home", "/work", "/tmp", platform.node()))


def test_the_version_is_that_of_the_package(program):
    done = program("--version")
    assert done.returncode == 0 and done.stderr == b""
    commit = f" (commit {strew.__commit__[:12]})" if strew.__commit__ else ""  # unknown outside a repository
    assert done.stdout.decode() == f"strew {strew.__version__}{commit}\n"


def test_a_missing_file_is_one_line_on_stderr_and_exit_code_2(program):
    done = program("check", "missing.onnx")
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.count(b"\n") == 1 and b"missing.onnx" in done.stderr


def test_arguments_come_through_as_they_are(program):
    done = program("a  b", "--x")
    assert done.returncode == 2 and b"'a  b'" in done.stderr


def test_file_names_need_not_be_text(program):
    done = program("check", b"\xff.onnx")
    assert done.returncode == 2 and b"\xff.onnx" in done.stderr


def test_a_closed_pipe_ends_it_quietly(program):
    process = subprocess.Popen([*program.command, "ops"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == -signal.SIGPIPE


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
    build = tmp_path / "scripts/build.sh"  # the stand-in for pip needs no objects of the library
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
    """Return, for each call of pip, the interpreter, the command, and whether build isolation is off."""
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
        ("cpython-311", "wheel", True),  # strew-torch, one wheel for every version of Python
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

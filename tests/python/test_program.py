"""The program, started as `python -m strew` and as the script `strew`: its streams and exit codes come through."""

import json
import pathlib
import platform
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
    commit = f" (commit {strew.__commit__[:12]})" if strew.__commit__ else ""  # outside a repository it is not known
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

"""Runs Strew with the suite's own runner, and by the command in Strew's package."""

import json
import os
import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT
from gather_scatter_conformance import runner

pytest.importorskip("strew")
pytest.importorskip("strew.onnx_backend")


def test_the_runner_finds_every_hundredth_case_right(cases, tmp_path):
    chosen = dict(list(cases.items())[::100])
    for case in chosen.values():
        case.write(tmp_path)
    (tmp_path / "cases.json").write_text(json.dumps({path: case.facts() for path, case in chosen.items()}))
    answer = runner.run(tmp_path, "strew.onnx_backend", threads=2, repeat=3, settings=["strew:set_num_threads"])
    assert len(chosen) > 90
    assert {path: told for path, told in answer["results"].items() if told["verdict"] != "right"} == {}


def door(*arguments, **environment):
    command = [sys.executable, "-m", "strew.conformance", *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def test_strews_package_has_a_command_for_the_suite():
    done = door("--help", PYTHONPATH=str(ROOT / "conformance"))
    assert done.returncode == 0 and "--runtime NAME" in done.stdout, done.stderr


def test_the_command_names_what_to_install(tmp_path):
    (tmp_path / "gather_scatter_conformance.py").write_text("raise ModuleNotFoundError('No module of this name')")
    done = door(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == (
        "No module of this name; in Strew's source, run 'make conformance' "
        "and pip install build/wheel/conformance/*.whl\n"
    )


def test_the_suite_needs_onnx_and_numpy_alone():
    project = tomllib.loads((ROOT / "conformance" / "pyproject.toml").read_text())["project"]
    assert [needed.split(">")[0] for needed in project["dependencies"]] == ["numpy", "onnx"]

"""The runner detects each kind of error, survives crashes of runtimes, and does not depend on Strew."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from gather_scatter_conformance import __main__ as command
from gather_scatter_conformance import report, runner, scripts

HERE = pathlib.Path(__file__).parent
LEGAL = "legal/ScatterElements-18/equation/SE1_float32_int64"
NEXT = "legal/ScatterElements-18/smaller-off-axis/SE10_float32_int64"
ILLEGAL = "illegal/ScatterElements-18/index-range/SE19_above_float32_int64"
NAN = "legal/ScatterElements-18/nan-in-max-and-min/SE5_max_float32_int64"


@pytest.fixture(scope="module")
def folder(cases, tmp_path_factory):
    root = tmp_path_factory.mktemp("cases")
    chosen = {path: cases[path] for path in (LEGAL, NEXT, ILLEGAL, NAN)}
    for case in chosen.values():
        case.write(root)
    (root / "cases.json").write_text(json.dumps({path: case.facts() for path, case in chosen.items()}))
    return root


@pytest.fixture(autouse=True)
def find_the_fakes(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), str(ROOT / "conformance")]))
    monkeypatch.syspath_prepend(str(HERE))


def verdicts(folder, name, paths, **options):
    answer = runner.run(folder, f"fake_runtimes:{name}", paths=paths, **options)
    return [answer["results"][path]["verdict"] for path in paths]


@pytest.mark.parametrize(
    ("name", "path", "verdict"),
    [
        ("Right", LEGAL, "right"),
        ("Right", ILLEGAL, "right"),
        ("Wrong", LEGAL, "wrong value"),
        ("OtherType", LEGAL, "wrong value"),
        ("ChangesInput", LEGAL, "wrong value"),
        ("Refuses", LEGAL, "refused though legal"),
        ("Refuses", ILLEGAL, "right"),
        ("Unsupported", LEGAL, "not supported"),
        ("Unsupported", ILLEGAL, "not supported"),
        ("Accepts", ILLEGAL, "accepted though illegal"),
        ("WritesFirst", ILLEGAL, "wrote before refusing"),
    ],
)
def test_each_verdict(folder, name, path, verdict):
    assert verdicts(folder, name, [path]) == [verdict]


def test_a_crash_ends_one_case_and_not_the_next(folder):
    assert verdicts(folder, "Crashes", [LEGAL, ILLEGAL, NEXT]) == ["crashed", "right", "crashed"]


def test_a_hang_ends_one_case_and_not_the_next(folder):
    assert verdicts(folder, "Hangs", [LEGAL, ILLEGAL], seconds=1.0) == ["timed out", "right"]


def test_a_wrong_third_run_is_a_wrong_value(folder):
    assert verdicts(folder, "Raced", [LEGAL], repeat=2) == ["right"]
    answer = runner.run(folder, "fake_runtimes:Raced", paths=[LEGAL], repeat=5)["results"][LEGAL]
    assert answer["verdict"] == "wrong value"
    assert answer["detail"].startswith("run 3 of 5: ")


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("no_such_backend_at_all", LEGAL, "did not start: .*No module named"),
        ("json", LEGAL, "did not start: .*json has no function prepare"),
        ("fake_runtimes:NotDerived", LEGAL, "did not start: .*NotDerived is not a subclass of .*adapters.Runtime"),
        ("fake_runtimes:NoList", LEGAL, f"{LEGAL}: .* failed: TypeError: run returned an object of type ndarray"),
        ("fake_runtimes:Right", "legal/none", "legal/none: .* failed: "),
    ],
)
def test_a_wrong_runtime_or_case_is_an_error_of_the_run_and_not_a_verdict(folder, name, path, words):
    with pytest.raises(RuntimeError, match=words):
        runner.run(folder, name, paths=[path])


def test_a_plug_in_that_rejects_its_options_is_an_error_of_the_run(folder):
    pytest.importorskip("onnxruntime_ep_strew")
    with pytest.raises(RuntimeError, match="did not start: .*no option 'thread'"):
        runner.run(folder, "onnxruntime+onnxruntime_ep_strew?thread=2", paths=[ILLEGAL])


@pytest.mark.parametrize("name", ["onnxruntime", "onnxruntime+onnxruntime_ep_strew"])
def test_a_script_lends_memory(cases, tmp_path, name):
    pytest.importorskip(name.rpartition("+")[2])
    text = scripts.text(cases[ILLEGAL], {"verdict": "wrote before refusing"}, name, "1.0")
    file = tmp_path / "legal.py"
    file.write_text(re.sub("^indices = .*", "indices = np.zeros((1, 3), np.int64)", text, flags=re.MULTILINE))
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert "got:      array([[1., 1., 1.]" in done.stdout, done.stdout + done.stderr


def test_the_command_reports_a_broken_runtime_in_one_line(folder, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["--cases", str(folder), "--runtime", "fake_runtimes:NoSuchClass", "--threads", "1"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("the runtime fake_runtimes:NoSuchClass did not start: ")


def test_the_command_writes_results_a_table_a_scoreboard_and_a_script_that_shows_the_finding(folder, tmp_path, capsys):
    given = ["--cases", folder, "--runtime", "reference", "--threads", "1", "--json", tmp_path / "r.json", "--table", tmp_path / "t.md",
             "--svg", tmp_path / "s.svg", "--scripts", tmp_path / "scripts"]  # fmt: skip
    assert command.main([str(word) for word in given]) == 1
    [outcome] = json.loads((tmp_path / "r.json").read_text())
    assert {answer["verdict"] for answer in outcome["results"].values()} == {"right", "wrong value"}
    assert "| nan-in-max-and-min | 0/1 w1 |" in (tmp_path / "t.md").read_text()
    assert (tmp_path / "s.svg").read_text().startswith("<svg")
    [script] = (tmp_path / "scripts" / "reference").iterdir()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env={}, check=False)
    assert done.returncode == 1 and done.stdout.endswith("seen\n"), done.stderr
    assert "gather_scatter" not in script.read_text()
    assert "seen  " in capsys.readouterr().out


def test_a_script_of_a_right_case_shows_nothing(cases, tmp_path):
    answer = {"verdict": "wrong value", "detail": "made up"}
    for number, path in enumerate((LEGAL, "legal/TensorScatter-24/bits-kept/TS14_int4_int64",
                                   "legal/ScatterND-18/large/hot_rows_max_uint8_int64",
                                   "legal/Gather-13/tensor-encoding/L16_float_data_float32_int64",
                                   "legal/ScatterND-18/functional/SE21_float32_int64",
                                   "legal/ScatterElements-18/bits-kept/payloads_float32_int64")):  # fmt: skip
        file = tmp_path / f"{number}.py"
        file.write_text(scripts.text(cases[path], answer, "reference", "onnx"))
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout[-9:]) == (0, "not seen\n"), (path, done.stdout, done.stderr)


def test_the_worst_run_counts(folder):
    runs = [{"runtime": "x", "versions": {}, "threads": threads, "results": {"a": {"verdict": verdict}}}
            for threads, verdict in ((1, "right"), (2, "wrong value"))]  # fmt: skip
    [results] = report.merge(runs).values()
    assert results["a"] == {"verdict": "wrong value", "threads": 2}


def test_the_suite_knows_nothing_of_strew():
    for path in (ROOT / "conformance" / "gather_scatter_conformance").glob("*.py"):
        assert "strew" not in path.read_text().lower(), path


@pytest.mark.parametrize(
    "given, words",
    [
        (["--runtime", "nope"], "--runtime nope: the module nope is not installed; known names: onnxruntime, openvino"),
        (["--runtime", "tract"], "--runtime tract: the module tract is not installed"),
        (["--runtime", "onnxruntime+nope?a=1"], "--runtime onnxruntime+nope?a=1: the module nope is not installed"),
        (["--runtime", "reference", "--cases", "nowhere"], "--cases nowhere: no cases.json in this folder"),
        (["--runtime", "reference", "--only", "nosuchrule"], "no path of a case contains 'nosuchrule'"),
    ],
)
def test_an_impossible_call_gives_the_reason_in_one_line(given, words):
    command_line = [sys.executable, "-m", "gather_scatter_conformance", *given]
    answer = subprocess.run(command_line, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 2
    assert words in answer.stderr.splitlines()[-1]

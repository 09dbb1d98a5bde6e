"""Runs every stage of bench/gpu.py in tiny sizes on an emulated device, so that the script keeps working."""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import device_support
import numpy as np
import pytest

PROGRAM = pathlib.Path(__file__).parents[2] / "bench" / "gpu.py"
FOLDER = PROGRAM.parent / "device"
STAGES = ["pairs", "random", "refusals", "arrays", "examples", "sanitizer", "times", "cpu"]

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="bench is not here")


def run(*arguments):
    return subprocess.run([sys.executable, "-P", PROGRAM, *arguments], capture_output=True, text=True)


def part(name):
    """Import a file of the script as a module."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    device_support.play()
    path = tmp_path_factory.mktemp("gpu") / "gpu.json"
    done = run("--host", device_support.LIBRARY, "--json", path, "--only", *STAGES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " of a copy" not in done.stdout and "GB/s" not in done.stdout  # times on the host mean nothing
    return path


def test_every_stage_has_something_to_say(report):
    stages = json.loads(report.read_text())["stages"]
    assert list(stages) == STAGES
    assert stages["pairs"]["pairs"] > 1000
    assert stages["random"]["calls"] == 60
    assert stages["refusals"]["said"].startswith("the CPU's error, nothing written")
    who = [row["who"] for row in stages["times"]["rows"]]
    assert set(who) == {"strew", "strew, waiting", "strew, a new result", "strew, kept indices"}
    assert who.count("strew") == len(part("times").WORKLOADS)
    assert all(" 90 indices" in row["workload"] for row in stages["times"]["rows"])
    assert "the small cases ran" in stages["sanitizer"]["left_out"]
    assert stages["cpu"]["seconds"].keys() == {"tiny_gathernd", "tiny_scatternd"}


@pytest.mark.skipif(not (PROGRAM.parents[1] / ".git").exists(), reason="git lists the files; this is no git checkout")
def test_what_travels_to_a_device_has_less_than_64_mib_and_missing_tools_are_named_before_a_build():
    command = [PROGRAM.parents[1] / "scripts/pack_gpu.sh", "--check", sys.executable]
    done = subprocess.run([*command, PROGRAM.parents[1] / "build/gpu-wheels"], capture_output=True, text=True)
    missing = done.stderr.splitlines()
    assert all(line.startswith("missing: ") for line in missing) and done.returncode == bool(missing), done.stderr
    checkout, wheels, limit = map(int, re.findall(r"\d+", done.stdout)[:3])
    assert checkout > 1 << 20 and checkout + wheels < limit == 64 << 20


def test_what_is_too_large_to_travel_is_an_error(tmp_path):
    with open(tmp_path / "strew.whl", "wb") as file:
        file.truncate(64 << 20)
    command = [PROGRAM.parents[1] / "scripts/pack_gpu.sh", "--check", sys.executable, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"FAILED: more than {64 << 20} bytes would travel" in done.stderr


def test_without_a_device_it_says_so_in_one_line_and_exits_with_a_code_of_its_own():
    if part("memory").find_device() is not None:
        pytest.skip("there is a device here")
    done = run()
    assert done.returncode == 3
    assert done.stdout == "There is no CUDA device or no libcudart here: nothing was run.\n"


@pytest.mark.parametrize("made", [False, True])
def test_what_is_no_library_is_named_once(tmp_path, made):
    library = tmp_path / "door.so"
    if made:
        library.write_text("no library")
    done = run("--host", library, "--json", tmp_path / "gpu.json")
    assert done.returncode == 1
    assert done.stdout.count(str(library)) == 1 and "pairs:" not in done.stdout


def test_a_result_with_other_bits_is_found():
    checks, memory = part("checks"), sys.modules["memory"]
    device_support.play()
    machine = memory.Host(device_support.LIBRARY)
    values = np.arange(3.0)
    checks.same(values, machine.array(values).fetch(), "equal")
    with pytest.raises(checks.Wrong, match="^here: the bits differ from the CPU's, first in byte 16, in 1 bytes$"):
        checks.same(values, machine.array(np.nextafter(values, [0, 1, 3])).fetch(), "here")


@pytest.mark.parametrize("kind", ["gather", "add", "none"])
def test_what_stands_beside_strew_makes_the_same_call(kind):
    torch = pytest.importorskip("torch")
    calls = part("calls")
    workload = part("times").Workload(kind, "float32", 3, 5, 4, "uniform")
    maker = part("operands").OnTorch(torch)
    maker.place = {"device": "cpu"}
    at = torch.tensor([3, 0, 4, 1])
    data, updates = maker.numbers((5, 3), "float32"), maker.numbers((4, 3), "float32")
    results = {}
    names = calls.torchs(torch, workload, data, at, updates).keys()
    for name in names:
        copies = data.clone(), at, updates.clone()
        calls.torchs(torch, workload, *copies)[name]()
        results[name] = copies[2 if kind == "gather" else 0].numpy().tobytes()
    assert len(set(results.values())) == 1 and len(results) > 1
    assert next(iter(results.values())) != (updates if kind == "gather" else data).numpy().tobytes()


@pytest.mark.parametrize("pattern", ["uniform", "sorted", "zipf", "half hot", "one"])
def test_index_values_lie_inside_and_have_their_pattern(pattern):
    operands = part("operands")
    maker = operands.OnHost.__new__(operands.OnHost)
    maker.rng = np.random.default_rng(1)
    at = operands.places(maker, pattern, 1000, 20000)
    assert at.dtype == np.int64 and at.min() >= 0 and at.max() < 1000
    most = np.bincount(at, minlength=1000).max() / 20000
    assert {"uniform": 0 < most < 0.01, "zipf": most > 0.05, "half hot": 0.45 < most < 0.55, "one": most == 1}.get(
        pattern, (np.diff(at) >= 0).all()
    )

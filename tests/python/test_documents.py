"""Every Python example of every document prints the output that the document shows, and every command of `strew` runs.

tests/documented_commands.py runs other commands. tests/documented_code.py describes the tests of other languages.
"""

import contextlib
import doctest
import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import types
from importlib.util import find_spec

import device_support
import numpy as np
import pytest
from device_support import DeviceArray

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/support"))
from document_blocks import all_blocks, commands, is_quick  # noqa: E402

BLOCKS = all_blocks(ROOT)
OF_ONNXRUNTIME = {"docs/onnxruntime.md", "bindings/onnxruntime/README.md"}  # tests/onnxruntime/test_documents.py runs them
PYTHON = [block for block in BLOCKS if block.language in ("pycon", "python") and block.page not in OF_ONNXRUNTIME]
ON_DEVICE = {"docs/cuda.md", "bindings/cuda/README.md"}

# Words of blocks, and the package that a block with the word needs.
NEEDS = {
    "torch": "torch",
    "torch_geometric": "torch_geometric",
    "jax": "jax",
    "jnp": "jax",
    "onnx": "onnx",
    "onnx_translation": "onnxscript",
    "strew.torch.install": "strew_torch",
    "strew.dask": "dask",
    "xarray": "xarray",
    "zarr": "zarr",
}


class Tensor(DeviceArray):
    __module__ = "torch"
    __array_namespace__ = None

    def tolist(self):
        return self.values.tolist()

    def to(self, device):
        return self


class CUDAGraph:
    def replay(self):
        self.launch()


class Torch(types.ModuleType):
    """The part of PyTorch that docs/cuda.md uses, on the emulated device."""

    uint8 = np.uint8
    Tensor = type("Tensor", (), {})  # for isinstance; no object has this type

    def __init__(self, played):
        super().__init__("torch")
        self._played, self._stream = played, 0
        self.cuda = types.SimpleNamespace(
            CUDAGraph=CUDAGraph,
            current_stream=lambda device=None: types.SimpleNamespace(cuda_stream=self._stream),
            graph=self._capture,
            synchronize=lambda: None,
        )

    def tensor(self, values, device):
        values = np.asarray(values)
        return Tensor(values.astype(np.float32) if values.dtype == np.float64 else values)

    def zeros(self, *shape, device):
        return Tensor(np.zeros(shape, np.float32))

    def empty(self, shape, dtype, device):
        return Tensor(np.full(shape, 0, dtype))

    def from_numpy(self, values):
        return Tensor(values.copy())

    @contextlib.contextmanager
    def _capture(self, graph):
        with self._played.captures() as captured:
            self._stream = captured.stream
            yield
            self._stream = 0
        graph.launch = captured.launch


def play_device(monkeypatch):
    """Let examples with arrays on a device run on the emulated device, with a stand-in for PyTorch."""
    played = device_support.play()
    played.set()
    monkeypatch.setitem(sys.modules, "torch", Torch(played))


def write_zarr():
    import zarr

    arrays = {"bins": np.zeros(1000, "f4"), "where": np.arange(60).reshape(-1, 1), "mass": np.ones(60, "f4")}
    for name, values in arrays.items():
        zarr.save_array(f"{name}.zarr", values)


def run_block(block, names):
    """Run one block, and return the names that it defines."""
    if block.language == "python":
        exec(compile(block.text, f"{block.page}:{block.line}", "exec"), names)
        return names
    example = doctest.DocTestParser().get_doctest(block.text, names, block.page, block.page, block.line)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, clear_globs=False)
    assert results.attempted > 0 and results.failed == 0
    return example.globs


@pytest.mark.parametrize("page", dict.fromkeys(block.page for block in PYTHON))
def test_the_examples_of_a_document_give_what_it_says(page, monkeypatch, tmp_path):
    if page in ON_DEVICE:
        play_device(monkeypatch)
    monkeypatch.chdir(tmp_path)
    names, missing = {"__name__": "__main__"}, set()
    for block in [block for block in PYTHON if block.page == page]:
        needed = {package for word, package in NEEDS.items() if word in block.text} - ({"torch"} if page in ON_DEVICE else set())
        if absent := {package for package in needed if not find_spec(package)}:
            missing |= absent
            continue
        if "zarr" in needed:
            write_zarr()
        names = run_block(block, names)
    if missing:
        pytest.skip(f"all other examples are right; those that need {', '.join(sorted(missing))} did not run")


def test_the_number_of_examples_is_that_of_the_suite(monkeypatch):
    pytest.importorskip("onnx")
    monkeypatch.syspath_prepend(ROOT / "conformance")
    from gather_scatter_conformance import suite

    count = len(suite.all_cases(only="page-example"))
    for page in ("README.md", "Makefile"):
        said = re.findall(r"(\d+)\sexamples\b", (ROOT / page).read_text())
        assert said and set(said) == {str(count)}, page


@functools.cache
def bench(command):
    """Run a command once: two documents show the same command, which takes a second."""
    return run_command(command, None)


def run_command(command, folder):
    words = shlex.split(command, comments=True)
    program = {"strew": [sys.executable, "-m", "strew"], "python": [sys.executable]}[words[0]]
    return subprocess.run([*program, *words[1:]], cwd=folder, capture_output=True, text=True)


def make_test(folder):
    """Write a test in the layout of ONNX: examples/gather.onnx gathers rows 3 and 0 of a table."""
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").symlink_to(ROOT / "examples/gather.onnx")
    np.save(data / "all.npy", np.arange(4))
    np.save(data / "rows.npy", np.array([3, 0]))
    np.save(data / "data.npy", np.ones((4, 2), "f4"))
    for operands, to in (("data.npy all.npy", "input_0"), ("rows.npy rows_order.npy", "input_1"), ("data.npy rows.npy", "output_0")):
        np.save(data / "rows_order.npy", np.array([0, 1]))
        done = run_command(f"strew op Gather {operands} -o {to}.pb", data)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "block",
    [block for block in BLOCKS if block.language == "sh" and any(map(is_quick, commands(block.text)))],
    ids=lambda block: f"{block.page}:{block.section}",
)
def test_the_commands_of_a_block_run_in_order(block, tmp_path):
    os.symlink(ROOT / "examples", tmp_path / "examples")
    make_test(tmp_path / "FOLDER")
    for command in filter(is_quick, commands(block.text)):
        done = bench(command) if command.startswith("strew bench") else run_command(command, tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"

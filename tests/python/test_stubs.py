"""The type stubs match the module, and type checkers infer the documented type of every function."""

import ast
import inspect
import pathlib
import re
import shutil
import sys
from importlib.util import find_spec

import pytest
import strew
from strew import _strew

STUB = ast.parse(pathlib.Path(strew.__file__).with_name("_strew.pyi").read_text())

TYPED = """\
from pathlib import Path
from typing import Any

import numpy as np
import strew
from numpy.typing import NDArray

floats: NDArray[np.float32] = np.zeros((2, 3), np.float32)
matrix = np.zeros((2, 3), np.float64)
indices = np.zeros((2, 1), np.int32)


class Tensor:
    def __dlpack__(self, stream: int | None = None) -> Any: ...


tensor = Tensor()
reveal_type(strew.gather(floats, indices))  # ndarray[float32]
reveal_type(strew.gather([1, 2], 0, -1))  # ndarray[Any]
reveal_type(strew.gather(tensor, [0, -1]))  # Tensor
reveal_type(strew.gather(floats, indices, out=tensor))  # Tensor
reveal_type(strew.gather(tensor, indices, 0, floats))  # ndarray[float32]
reveal_type(strew.gather(floats, indices, out_of_bounds="fill", fill_value=-1))  # ndarray[float32]
reveal_type(strew.gather_elements(floats, tensor, axis=1))  # ndarray[float32]
reveal_type(strew.gather_elements(tensor, tensor, axis=1))  # Tensor
reveal_type(strew.gather_nd(floats, [[0], [1]], batch_dims=1))  # ndarray[float32]
reveal_type(strew.gather_nd("text", [[0], [1]]))  # ndarray[Any]
reveal_type(strew.scatter_elements(floats, indices, 1.0, 0, "mul"))  # ndarray[float32]
reveal_type(strew.scatter_elements(tensor, indices, tensor, reduction="max"))  # Tensor
reveal_type(strew.scatter_nd(floats, [[0]], [1.0], reduction="add", out=floats))  # ndarray[float32]
reveal_type(strew.scatter_nd([1], [[0]], [1.0], "min"))  # ndarray[Any]
reveal_type(strew.scatter_nd(tensor, [[0]], 1, "mean", include_self=False, alpha=2, casting="same_kind"))  # Tensor
reveal_type(strew.broadcast_full((2, 3), 0.0))  # ndarray[Any]
reveal_type(strew.tensor_scatter(floats, floats))  # ndarray[float32]
reveal_type(strew.tensor_scatter(tensor, tensor, [1], mode="circular"))  # Tensor
model = strew.load_model(b"", allow_deprecated=True)
reveal_type(model)  # Model
reveal_type(strew.load_model(Path("model.onnx")).inputs)  # list[ValueInfo]
reveal_type(model.outputs[0].shape)  # tuple[int | str | None, ...] | None
reveal_type(model.nodes[0].inputs)  # tuple[str, ...]
reveal_type(model.opset)  # int
reveal_type(model.ir_version)  # int
reveal_type(model.check())  # list[Violation]
reveal_type(model.run({"data": [1.0], "indices": tensor})["rows"])  # ndarray[Any]
reveal_type(strew.infer_shapes(model))  # dict[str, ValueInfo]
reveal_type(strew.get_num_threads())  # int
reveal_type(strew.set_num_threads(None))  # None
reveal_type(strew.get_memory_cache_limit())  # int
reveal_type(strew.get_memory_cache_bytes())  # int
reveal_type(strew.release_memory_cache())  # None
reveal_type(strew.set_memory_cache_limit(0))  # None
reveal_type(strew.get_scratch_limit())  # int
reveal_type(strew.set_scratch_limit(0))  # None
reveal_type(strew.explain(strew.gather, floats, [0]))  # Explanation
with strew.num_threads(2) as nothing:
    reveal_type(nothing)  # None
reveal_type(strew.__version__)  # str
strew.gather(floats, 1.5)  # error
strew.gather(floats, [0, 2.5])  # error
strew.gather(floats, indices, axis="0")  # error
strew.scatter_nd(floats, [[0]], 1.0, reduction="sum")  # error
strew.tensor_scatter(floats, floats, mode="ring")  # error
strew.gather(floats, indices, out_of_bounds="drop")  # error
strew.scatter_nd(floats, [[0]], 1.0, out_of_bounds="fill")  # error
strew.set_num_threads(1.5)  # error
strew.load_model(1)  # error
model.run([1.0])  # error
strew.Model.inputs = []  # error
"""

TYPED_TORCH = """\
import numpy as np
import strew.torch
import torch

tensor = torch.zeros(3, 4)
reveal_type(strew.torch.gather(tensor, [0, -1], 1))  # Tensor
reveal_type(strew.torch.gather_elements(tensor, tensor))  # Tensor
reveal_type(strew.torch.gather_nd(tensor, np.zeros((2, 1), np.int32), batch_dims=0))  # Tensor
reveal_type(strew.torch.scatter_elements(tensor, [[0]], 1.0, reduction="max"))  # Tensor
reveal_type(strew.torch.scatter_nd_(tensor, [[0]], tensor, "add"))  # Tensor
reveal_type(strew.torch.tensor_scatter(tensor, tensor, None, mode="circular"))  # Tensor
strew.torch.gather(tensor, [0], axis="0")  # error
strew.torch.scatter_nd(tensor, [[0]], 1.0, reduction="sum")  # error
strew.torch.tensor_scatter_(tensor, tensor, mode="ring")  # error
strew.torch.gathered(tensor, [0])  # error
"""

TYPED_DASK = """\
import dask.array as da
import strew.dask

data = da.zeros(4)
reveal_type(strew.dask.gather(data, [0, -1], shuffle_method="tasks"))  # Array
reveal_type(strew.dask.scatter_nd(data, [[0]], 1.0, "add", alpha=2.0))  # Array
strew.dask.scatter_nd(data, [[0]], 1.0, reduction="sum")  # error
strew.dask.gather(data, [0], out=data)  # error
strew.dask.tensor_scatter(data, data, shuffle_method="tasks")  # error
"""


def shortened(revealed):
    """Return a type revealed by mypy in the short form of the comments in TYPED."""
    element = re.search(r"numpy\.dtype\[(.*)\]\]$", revealed)
    if revealed.startswith("numpy.ndarray") and element:
        return f"ndarray[{'float32' if '32Bit' in element[1] or 'float32' in element[1] else element[1]}]"
    named_tuple = re.sub(r"tuple\[[^=]*fallback=([\w.]+)\]", r"\1", revealed)
    return re.sub(r"\b(\w+\.)+", "", named_tuple)


def found_by_mypy(tmp_path, source, *options):
    """Return mypy's output for the lines of a source, and the output that their comments expect; both by line number."""
    mypy = pytest.importorskip("mypy.api")
    (tmp_path / "typed.py").write_text(source)
    options = ["--strict", *options, "--no-error-summary", "--cache-dir", str(tmp_path)]
    output, errors, _ = mypy.run([*options, "--python-executable", sys.executable, str(tmp_path / "typed.py")])
    found = {}
    for line, kind, text in re.findall(r"typed\.py:(\d+): (note|error): (.*)", output):
        revealed = re.fullmatch(r'Revealed type is "(.*)"', text)
        if kind == "error":
            found[int(line)] = "error"
        elif revealed:
            found.setdefault(int(line), shortened(revealed[1]))
    expected = {
        number: line.rpartition("  # ")[2] for number, line in enumerate(source.splitlines(), 1) if "  # " in line
    }
    return found, expected, output + errors


SOURCES = [(TYPED, "numpy", ""), (TYPED_TORCH, "torch", "Tensor"), (TYPED_DASK, "dask", "Array")]


@pytest.mark.parametrize(("source", "needs", "kind"), SOURCES, ids=["numpy", "torch", "dask"])
def test_a_type_checker_sees_the_kind_of_array_that_comes_back(source, needs, kind, tmp_path):
    source = source if find_spec(needs) else source.replace(f"# {kind}", "# Any")
    found, expected, said = found_by_mypy(tmp_path, source, *(["--ignore-missing-imports"] if kind else []))
    assert found == expected, said


def test_the_annotations_of_the_package_hold(tmp_path):
    mypy = pytest.importorskip("mypy.api")
    package = tmp_path / "strew"
    shutil.copytree(pathlib.Path(strew.__file__).parent, package, ignore=shutil.ignore_patterns("bin", "*.so"))
    options = ["--ignore-missing-imports", "--disallow-incomplete-defs", "--cache-dir", str(tmp_path / "cache")]
    output, errors, status = mypy.run([*options, "--python-executable", sys.executable, str(package)])
    assert status == 0, output + errors


def parameters(function):
    """Return pairs of name and default, as source text, in order; the default is None if there is none."""
    given = [*function.args.posonlyargs, *function.args.args]
    defaults = [None] * (len(given) - len(function.args.defaults)) + function.args.defaults
    pairs = [*zip(given, defaults, strict=True), *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)]
    return [(arg.arg, default and ast.unparse(default)) for arg, default in pairs]


def compiled(value):
    """Return the signature of a function; nanobind writes the signature of its functions into their docstrings."""
    if inspect.isbuiltin(value):
        return ast.parse(f"def {value.__name__}{inspect.signature(value)}: ...").body[0]
    return ast.parse(f"def {value.__doc__.splitlines()[0]}: ...").body[0]


def definitions(body):
    """Return the definitions of a module or class in the stub, by name; overloads in a list."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign):
            found.setdefault(node.target.id, []).append(node)
    return found


def scopes():
    """Yield the name of the module or a class, the stub's definitions in it, and the object."""
    module = definitions(STUB.body)
    yield "_strew", {name: nodes for name, nodes in module.items() if hasattr(_strew, name)}, _strew
    for name, (node, *_) in module.items():
        if isinstance(node, ast.ClassDef) and hasattr(_strew, name):
            yield name, definitions(node.body), getattr(_strew, name)


@pytest.mark.parametrize(("scope", "stubbed", "value"), [pytest.param(*s, id=s[0]) for s in scopes()])
def test_stub_and_module_have_the_same_names(scope, stubbed, value):
    offered = {n for n in vars(value) if not (n.startswith("__") and n.endswith("__"))}
    assert offered == {name for name in stubbed if not name.startswith("__")}


FUNCTIONS = {
    f"{scope}.{name}": (nodes, getattr(value, name))
    for scope, stubbed, value in scopes()
    for name, nodes in stubbed.items()
    if isinstance(nodes[0], ast.FunctionDef) and type(getattr(value, name)).__name__ in ("builtin_function_or_method", "nb_func", "nb_method")
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stub_and_module_have_the_same_parameters_and_defaults(name):
    overloads, function = FUNCTIONS[name]
    actual = parameters(compiled(function))
    for overload in overloads:
        stubbed = parameters(overload)
        assert [parameter for parameter, _ in stubbed] == [parameter for parameter, _ in actual]
        for (_, said), (parameter, default) in zip(stubbed, actual, strict=True):
            assert said in (default, None), parameter
    assert [default for _, default in parameters(overloads[-1])] == [default for _, default in actual]

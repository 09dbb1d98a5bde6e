"""What messages advise is there: the functions that they name, and the parameters that they write as `name=value`."""

import ast
import importlib
import inspect
import pathlib
import re

import pytest
import strew

PACKAGE = pathlib.Path(strew.__file__).parent
SOURCE = pathlib.Path(__file__).parents[2] / "bindings/python/src"
# Whose parameters a file's messages may name: those of the part that it lies in.
PARTS = {"dask": "strew.dask", "numpy": "strew.numpy", "torch": "strew.torch"}


def texts_of_python(path):
    """The strings of all exceptions that a file makes; values between them are left out."""
    for call in ast.walk(ast.parse(path.read_text())):
        name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
        if name.endswith("Error") or name == "refusal":
            yield from (n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def texts_of_cpp(path):
    code = re.sub(r'R"\((.*?)\)"|//[^\n]*', "", path.read_text(), flags=re.S)
    return (text for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code) if ">>>" not in text)


def messages():
    for path in sorted(PACKAGE.rglob("*.py")):
        for text in texts_of_python(path):
            yield PARTS.get(path.relative_to(PACKAGE).parts[0], "strew"), text
    for path in sorted(SOURCE.glob("*.cc")):
        for text in texts_of_cpp(path):
            yield "strew", text


def part(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))


def is_there(dotted):
    found = strew
    for name in dotted.split(".")[1:]:
        if hasattr(found, name):
            found = getattr(found, name)
        elif name in dir(found):  # what needs a package that is not here
            return True
        else:
            try:
                found = importlib.import_module(f"{found.__name__}.{name}")
            except ModuleNotFoundError as error:
                return not error.name.startswith("strew.")
    return True


def test_the_functions_and_modules_that_messages_name_are_there():
    named = {name for _, text in messages() for name in re.findall(r"\bstrew(?:\.[a-zA-Z]\w*)+", text)}
    assert {"strew.scatter_nd", "strew.cuda.DeferredErrors"} <= named
    assert [name for name in sorted(named) if not is_there(name)] == []


@pytest.mark.parametrize("name", ["strew", *PARTS.values()])
def test_the_parameters_that_messages_name_are_there(name):
    module = part(name)
    functions = [getattr(module, f) for f in module.__all__ if inspect.isfunction(getattr(module, f)) or inspect.isbuiltin(getattr(module, f))]
    known = {parameter for function in functions for parameter in inspect.signature(function).parameters}
    advised = {p for owner, text in messages() if owner == name for p in re.findall(r"\b([a-z_]+)=(?![=:])", text)}
    others = {"device", "axis_sizes", "shape", "dtype", "device_bytes"}  # of the text of CheckedIndices
    assert advised <= known | (others if name == "strew" else set())

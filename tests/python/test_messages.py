"""The functions that messages name, and the parameters that they write as `name=value`, exist."""

import ast
import fractions
import importlib
import inspect
import pathlib
import re

import numpy as np
import pytest
from support import refuses
import strew
import strew.cuda
from strew._arguments import article

PACKAGE = pathlib.Path(strew.__file__).parent
SOURCE = pathlib.Path(__file__).parents[2] / "bindings/python/src"
# Parts of the package, with the parameters that messages of their files may name.
PARTS = {"dask": "strew.dask", "numpy": "strew.numpy", "torch": "strew.torch"}


def texts_of_python(path):
    """Yield the text of each exception that a file raises, without the values in it."""
    for call in ast.walk(ast.parse(path.read_text())):
        name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
        if name.endswith("Error") or name in ("refusal", "wrong_type", "wrong_value"):
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


def is_there(dotted):
    found = strew
    for name in dotted.split(".")[1:]:
        if hasattr(found, name):
            found = getattr(found, name)
        elif name in dir(found):  # the module needs a package that is not installed
            return True
        else:
            try:
                found = importlib.import_module(f"{found.__name__}.{name}")
            except ModuleNotFoundError as error:
                return not error.name.startswith("strew.")
    return True


def test_the_functions_and_modules_that_messages_name_are_there():
    named = {name for _, text in messages() for name in re.findall(r"\bstrew(?:\.[a-zA-Z]\w*)+", text)}
    assert {"strew.scatter_nd", "strew.cuda.deferred"} <= named
    assert [name for name in sorted(named) if not is_there(name)] == []


@pytest.mark.parametrize("name", ["strew", *PARTS.values()])
def test_the_parameters_that_messages_name_are_there(name):
    module = pytest.importorskip(name)
    functions = [getattr(module, f) for f in module.__all__ if inspect.isfunction(getattr(module, f)) or inspect.isbuiltin(getattr(module, f))]
    known = {parameter for function in functions for parameter in inspect.signature(function).parameters}
    advised = {p for owner, text in messages() if owner == name for p in re.findall(r"\b([a-z_]+)=(?![=:])", text)}
    others = {"device", "axis_sizes", "shape", "dtype", "device_bytes"}  # from the text of CheckedIndices
    assert advised <= known | (others if name == "strew" else set())


HOSTILE = [None, 5, -(2**70), 2**63, 1.5, "x", "\ud800", b"x", object(), [object()], {}, np.bool_(True), np.float32, np.add]
# Legal arguments by the names of parameters.
RIGHT = {
    "data": np.ones((2, 2), np.float32),
    "indices": np.zeros((2, 2), np.int64),
    "updates": np.ones((2, 2), np.float32),
    "edges": [0],
    "scatter_index": [0],
    "size": 2,
    "one": np.ones((2, 2)),
    "other": np.ones((2, 2)),
    "gather_index": [0],
    "source_size": 2,
    "target_size": 2,
    "row_start": [0, 1],
    "column": [0],
    "function": strew.gather,
    "values": [5],
}


def hostile_calls(function):
    parameters = inspect.signature(function).parameters
    named = [name for name, one in parameters.items() if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    right = {name: RIGHT[name] for name in named if name in RIGHT}
    if function is strew.edge_dot:
        right["edges"] = strew.Edges([0], [0], 2, 2)
    for name in named:
        for value in HOSTILE:
            yield right | {name: value}


MADE = strew.Edges([0], [0], 1, 1)
FUNCTIONS = [getattr(strew, name) for name in strew.__all__ if not name.startswith("set_")]
FUNCTIONS += [getattr(strew.Edges, f"from_{kind}") for kind in ("edge_index", "csr", "segments", "matrix")]
FUNCTIONS += [MADE.sort, MADE.unsort]


def complaint(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("function", list(filter(callable, FUNCTIONS)), ids=str)
def test_no_argument_is_refused_in_the_words_of_nanobind(function):
    try:
        inspect.signature(function)
    except ValueError:
        pytest.skip("a class that strew makes itself")
    for arguments in hostile_calls(function):
        said = complaint(lambda arguments=arguments: function(**arguments))
        assert "incompatible function arguments" not in said, (arguments, said)
        assert "bad_cast" not in said, (arguments, said)


@pytest.mark.parametrize("function", [strew.explain, strew.picture, strew.plan, strew.check_indices])
def test_no_operand_or_attribute_is_refused_in_the_words_of_nanobind(function):
    data = RIGHT["data"]
    for value in HOSTILE:
        for call in (
            lambda value=value: function(value, data, [0]),
            lambda value=value: function(strew.gather, value, [0]),
            lambda value=value: function(strew.gather, data, value),
            lambda value=value: function(strew.gather, data, [0], axis=value, out_of_bounds=value),
        ):
            assert "incompatible function arguments" not in complaint(call)


def test_arguments_of_other_classes_are_refused_in_our_words():
    refuses(TypeError, "^DeferredErrors: no arguments are accepted$", strew.cuda.DeferredErrors, 1)
    for name in ("ready", "check", "wait"):
        refuses(TypeError, f"^{name}: no arguments are accepted$", getattr(strew.cuda.DeferredErrors(), name), 1)
    with pytest.raises(TypeError, match="^load_model: allow_deprecated is a str; it must be a bool$"):
        strew.load_model(b"", allow_deprecated="x")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "None"),
        (5, "an int"),
        ("", "a str"),
        (np.add, "a numpy.ufunc"),
        (np.zeros(1), "a numpy.ndarray"),
        (object(), "an object"),
        (fractions.Fraction(1), "a fractions.Fraction"),
    ],
)
def test_types_have_the_article_that_is_spoken(value, name):
    assert article(value) == name

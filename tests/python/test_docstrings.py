"""Tests docstrings, and the table of operators in Python."""

import builtins
import doctest
import inspect
import json
import re
import subprocess
import sys

import numpy as np
import pytest
import strew
import strew.numpy
from support import refuses, uses_libstdcxx

SECTIONS = ["Parameters", "Returns", "Raises", "Examples"]


def documented():
    """Yield dotted names and objects: the package, its public names, and the public members of its classes."""
    yield "strew", strew
    for name in strew.__all__:
        value = getattr(strew, name)
        yield f"strew.{name}", value
        if inspect.isclass(value) and not issubclass(value, tuple):
            yield from ((f"strew.{name}.{m}", getattr(value, m)) for m in vars(value) if not m.startswith("_"))
    yield "strew.numpy", strew.numpy
    yield "strew.numpy.add.at", strew.numpy.add.at
    yield from ((f"strew.numpy.{name}", getattr(strew.numpy, name)) for name in strew.numpy.__all__)


def is_function(value):
    """Return whether the value is a function. Ufuncs of strew.numpy are no functions: calling them only raises."""
    return callable(value) and not inspect.isclass(value) and type(value) is not type(strew.numpy.add)


def takes_arguments(name, value):
    return bool([parameter for parameter in inspect.signature(value).parameters if parameter != "self"])


NAMED = dict(documented())
FUNCTIONS = {name: value for name, value in NAMED.items() if is_function(value)}


@pytest.mark.parametrize("name", NAMED)
def test_the_examples_give_what_they_say(name):
    if "import onnx" in (NAMED[name].__doc__ or ""):
        pytest.importorskip("onnx")
    if name in ("strew.get_include", "strew.get_cmake_dir") and not uses_libstdcxx():
        pytest.skip("the wheel was compiled with libc++")
    example = doctest.DocTestParser().get_doctest(NAMED[name].__doc__, {}, name, None, None)
    results = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(example)
    assert results.failed == 0
    assert results.attempted > 0 or not is_function(NAMED[name]) or not takes_arguments(name, NAMED[name])


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if takes_arguments(n, FUNCTIONS[n])])
def test_a_function_with_arguments_has_every_section_in_order(name):
    found = re.findall(r"^([A-Z][a-z]+)\n-+$", inspect.cleandoc(FUNCTIONS[name].__doc__), re.M)
    returns_something = inspect.signature(FUNCTIONS[name]).return_annotation not in (None, "None")
    needed = [section for section in SECTIONS if section != "Returns" or returns_something]
    assert [section for section in found if section in SECTIONS] == needed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_a_signature_with_the_names_of_its_parameters(name):
    kinds = {parameter.kind for parameter in inspect.signature(FUNCTIONS[name]).parameters.values()}
    passes_on = name in ("strew.check_indices", "strew.explain", "strew.picture", "strew.plan")
    if name == "strew.Plan.run":  # takes operands only; the plan has the attributes
        kinds.remove(inspect.Parameter.VAR_POSITIONAL)
    assert (inspect.Parameter.VAR_KEYWORD in kinds) == (inspect.Parameter.VAR_POSITIONAL in kinds) == passes_on


@pytest.mark.parametrize("name", NAMED)
def test_there_is_a_docstring_that_begins_with_a_sentence(name):
    text = inspect.cleandoc(NAMED[name].__doc__)
    assert re.match(r"[A-Z].*[^.]\.(\n|$)", text.split("\n\n")[0], re.S), text


def names_of_python():
    """Return names that a docstring may mention, from the package, parameters, `explain`, NumPy and Python."""
    names = set(dir(strew)) | set(dir(strew.numpy)) | set(dir(builtins)) | set(dir(np)) | set(dir(np.ndarray))
    for name, value in NAMED.items():
        names |= set(name.split("."))
        names |= set(inspect.signature(value).parameters) if is_function(value) else set()
    return names | set(strew.explain(strew.gather, np.zeros(3), [1])) | {"uses_checked_indices"}


@pytest.mark.parametrize("name", NAMED)
def test_a_docstring_names_only_what_python_has(name):
    quoted = re.findall(r"(?<!`)`{1,2}([a-z]+(?:_[a-z]+)+)`{1,2}", NAMED[name].__doc__ or "")
    assert set(quoted) <= names_of_python()


VERSIONS = [version for operator in strew.operators.values() for version in operator.versions]


def program(*arguments):
    return subprocess.run([sys.executable, "-m", "strew", "ops", *arguments], capture_output=True, text=True, check=True).stdout


def as_json(version):
    attributes = [
        {"name": one.name, "type": one.type, "default": one.default, "doc": one.doc}
        | ({"values": list(one.values)} if one.values else {})
        for one in version.attributes
    ]
    indices = next(one for one in version.inputs if one.name in ("indices", "write_indices"))
    return {
        "operator": version.op_type,
        "version": version.since_version,
        "deprecated": version.deprecated,
        "inputs": [
            {"name": one.name, "optional": one.optional, "is_index": one is indices, "doc": one.doc} for one in version.inputs
        ],
        "output": version.output,
        "types": list(version.types),
        "index_types": list(indices.types),
        "attributes": attributes,
    }


def test_docstrings_for_dask_promise_no_strings_and_no_other_functions_axis():
    dask = pytest.importorskip("strew.dask")
    for name in dask.__all__:
        function = getattr(dask, name)
        assert "string" not in function.__doc__
        assert ("`axis`" in function.__doc__) <= ("axis" in inspect.signature(function).parameters)


def test_every_version_has_what_the_program_says():
    for version, row in zip(VERSIONS, json.loads(program("--json"))["operators"], strict=True):
        assert as_json(version).items() <= row.items()


@pytest.mark.parametrize("version", VERSIONS, ids=lambda one: f"{one.op_type}-{one.since_version}")
def test_a_version_prints_the_programs_page(version):
    assert str(version) == program(version.op_type, "--version", str(version.since_version))
    assert f"opset {version.last_opset}" in str(version) or f"to {version.last_opset}" in str(version)


@pytest.mark.parametrize("name", strew.operators)
def test_changes_are_those_of_the_program(name):
    operator = strew.operators[name]
    first = operator.versions[0].since_version
    said = json.loads(program(name, "--changes", str(first), "--json"))["changes"]
    assert operator.changes(first) == {one["version"]: tuple(one["texts"]) for one in said}
    assert operator.versions[0].changes == ()
    assert all(operator.changes(first).values())


def test_a_version_serves_the_opsets_up_to_the_next():
    for operator in strew.operators.values():
        for version in operator.versions:
            assert operator.version(version.since_version) is operator.version(version.last_opset) is version


@pytest.mark.parametrize(("name", "opset"), [("ScatterND", 10), ("TensorScatter", 23), ("Gather", 0), ("Gather", 29)])
def test_an_opset_without_the_operator_is_refused(name, opset):
    refuses(ValueError, rf"^{name} is in opsets \d+ to 28, not in opset {opset}$", strew.operators[name].version, opset)
    refuses(ValueError, f"not in opset {opset}$", strew.operators[name].changes, opset)


def test_another_name_is_no_operator():
    assert "Scan" not in strew.operators
    with pytest.raises(KeyError, match="'Scan' is not one of the operators: Gather, GatherElements, .*TensorScatter"):
        strew.operators["Scan"]


@pytest.mark.parametrize(
    ("name", "meant"), [("gather", "Gather"), ("scatter_nd", "ScatterND"), ("GatherElement", "GatherElements"), ("scatternd", "ScatterND")]
)
def test_a_name_in_other_letters_is_guessed(name, meant):
    with pytest.raises(KeyError, match=f"'{name}' is not one of the operators: .*; did you mean '{meant}'\\?"):
        strew.operators[name]
    for other in ("x", "\udcf7", 3, None):
        with pytest.raises(KeyError, match="TensorScatter[\"']$"):
            strew.operators[other]


def test_parameters_are_those_of_the_function():
    for operator in strew.operators.values():
        function = getattr(strew, operator.function)
        assert all(f"{one.name}=" in str(function.__text_signature__) for one in operator.parameters), operator.op_type


def test_a_name_of_the_module_may_hold_surrogates():
    refuses(AttributeError, "has no attribute", getattr, strew, "gath\udcf7r")

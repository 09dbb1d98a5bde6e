"""strew.operators is the table that `strew ops` prints."""

import json
import subprocess
import sys

import pytest
import strew

VERSIONS = [version for operator in strew.operators.values() for version in operator.versions]


def program(*arguments):
    return subprocess.run([sys.executable, "-m", "strew", "ops", *arguments], capture_output=True, text=True, check=True).stdout


def as_json(version):
    attributes = [
        {"name": one.name, "type": one.type, "default": one.default} | ({"values": list(one.values)} if one.values else {})
        for one in version.attributes
    ]
    indices = next(one for one in version.inputs if one.name in ("indices", "write_indices"))
    return {
        "operator": version.op_type,
        "version": version.since_version,
        "deprecated": version.deprecated,
        "inputs": [{"name": one.name, "optional": one.optional, "is_index": one is indices} for one in version.inputs],
        "output": version.output,
        "types": list(version.types),
        "index_types": list(indices.types),
        "attributes": attributes,
    }


def test_every_version_has_what_the_program_says():
    assert [as_json(version) for version in VERSIONS] == json.loads(program("--json"))["operators"]


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
    with pytest.raises(ValueError, match=rf"^{name} is in the opsets \d+ to 28, not in {opset}$"):
        strew.operators[name].version(opset)
    with pytest.raises(ValueError, match=f"not in {opset}$"):
        strew.operators[name].changes(opset)


def test_another_name_is_no_operator():
    assert "Scan" not in strew.operators
    with pytest.raises(KeyError, match="'Scan' is none of the operators: Gather, GatherElements, .*TensorScatter"):
        strew.operators["Scan"]


@pytest.mark.parametrize(
    ("name", "meant"), [("gather", "Gather"), ("scatter_nd", "ScatterND"), ("GatherElement", "GatherElements"), ("scatternd", "ScatterND")]
)
def test_a_name_in_other_letters_is_guessed(name, meant):
    with pytest.raises(KeyError, match=f"'{name}' is none of the operators: .*; did you mean '{meant}'\\?"):
        strew.operators[name]
    for other in ("x", "\udcf7", 3, None):
        with pytest.raises(KeyError, match="TensorScatter[\"']$"):
            strew.operators[other]


def test_parameters_are_those_of_the_function():
    for operator in strew.operators.values():
        function = getattr(strew, operator.function)
        assert all(f"{one.name}=" in str(function.__text_signature__) for one in operator.parameters), operator.op_type


def test_a_name_of_the_module_may_hold_surrogates():
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(strew, "gath\udcf7r")

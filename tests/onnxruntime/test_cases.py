"""Runs the numbered cases of the conformance suite in sessions, with indices as inputs and as constants of the model."""

import dataclasses
import pathlib
import sys

import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from support import CPU, ONNX_TYPES, VERSION, assert_all_on_strew, assert_same, providers, run, strew_session

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "conformance"))
from gather_scatter_conformance import numbered  # noqa: E402
from gather_scatter_conformance.questions import Questions  # noqa: E402
from gather_scatter_conformance.standard import INDICES  # noqa: E402

FUNCTIONS = {"GatherElements": "gather_elements", "GatherND": "gather_nd", "TensorScatter": "tensor_scatter"}
FUNCTIONS |= {"Scatter": "scatter_elements", "ScatterElements": "scatter_elements", "ScatterND": "scatter_nd", "Gather": "gather"}
FIRST = {"G1", "GE1", "ND1", "SE1", "SC1", "SN1"}


def chosen():
    """Return each case with its newest version (the first cases with all versions), with the first element type that
    sessions accept (float32 before others), and with every index type."""
    ask, found = Questions(), {}
    numbered.ask_all(ask)
    for case in ask.cases.values():
        arrays = [array for array in case.inputs.values() if array is not None]
        if case.symbolic or any(array.dtype.name not in ONNX_TYPES for array in arrays):
            continue
        number, _, index_type = case.name.rsplit("_", 2)
        version = case.since if number in FIRST else 0
        old = found.get(key := (case.operator, number, index_type, version))
        if old is None or (case.since, "_float32_" in case.name) > (old.since, "_float32_" in old.name):
            found[key] = case
    return list(found.values())


CASES = chosen()
REFUSALS = errors.Fail, errors.InvalidGraph, errors.InvalidArgument, errors.NotImplemented


def skip_what_this_onnx_runtime_does_not_know(case):
    if case.operator == "TensorScatter" and VERSION < (1, 25):
        pytest.skip("this ONNX Runtime does not know the operator")


def model_of(case):
    """Return the model without declared ranks, so that ONNX Runtime itself does not reject it."""
    model = case.model()
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.ClearField("shape")
    return model


def ways(case):
    """Return the case, and the case with constant indices if it has int64 indices."""
    name = INDICES[case.operator]
    if case.inputs[name] is None or case.inputs[name].dtype != "int64":
        return [case]
    return [case, dataclasses.replace(case, constants={name: None}, name=case.name + "_constant")]


@pytest.mark.parametrize("case", [way for case in CASES if not case.refused for way in ways(case)], ids=lambda case: case.path)
def test_a_numbered_case_holds(case):
    skip_what_this_onnx_runtime_does_not_know(case)
    session = strew_session(model_of(case))
    assert_all_on_strew(session, case.operator)
    before = {name: array.copy() for name, array in case.feeds.items()}
    for _ in range(2):
        assert_same(run(session, case.feeds), case.output)
    for name, array in case.feeds.items():
        assert array.tobytes() == before[name].tobytes()


@pytest.mark.parametrize("case", [way for case in CASES if case.refused for way in ways(case)], ids=lambda case: case.path)
def test_a_wrong_case_is_refused(case):
    skip_what_this_onnx_runtime_does_not_know(case)
    before = {name: array.copy() for name, array in case.feeds.items()}
    try:
        session = strew_session(model_of(case))
    except REFUSALS:
        assert case.refused == "check" or case.constants
        return
    if case.rule == "reduction-name":  # ONNX Runtime's own kernel accepts reductions of later versions
        assert providers(session, case.operator) == [CPU]
        return
    assert_all_on_strew(session, case.operator)
    for _ in range(2):
        with pytest.raises((errors.InvalidArgument, errors.NotImplemented), match=f"{FUNCTIONS[case.operator]}: "):
            run(session, case.feeds)
    for name, array in case.feeds.items():
        assert array.tobytes() == before[name].tobytes()

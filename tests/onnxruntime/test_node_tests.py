"""The official ONNX node tests of the family, each through a session with its node on Strew."""

import warnings

import numpy as np
import pytest
from onnx.backend.test.loader import load_model_tests
from support import VERSION, assert_all_on_strew, strew_session

OPERATORS = {"Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "TensorScatter"}
NEEDS_1_25 = {"TensorScatter"}


def official_cases():
    """All node tests of one node of the family."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, about infinities in tests of other operators
        cases = load_model_tests(kind="node")
    return [case for case in cases if [n.op_type in OPERATORS for n in case.model.graph.node] == [True]]


CASES = official_cases()


def test_there_are_as_many_official_cases_as_known():
    assert len(CASES) == 29


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_official_case_passes_on_strew(case):
    op_type = case.model.graph.node[0].op_type
    if op_type in NEEDS_1_25 and VERSION < (1, 25):
        pytest.skip("this ONNX Runtime does not know the operator")
    session = strew_session(case.model)
    assert_all_on_strew(session, op_type)
    names = [value.name for value in case.model.graph.input]
    for inputs, outputs in case.data_sets:
        results = session.run(None, dict(zip(names, inputs, strict=True)))
        for result, wanted in zip(results, outputs, strict=True):
            assert result.dtype == wanted.dtype
            np.testing.assert_array_equal(result, wanted)

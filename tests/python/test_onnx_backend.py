"""Tests strew.onnx_backend with ONNX's node tests of gathers and scatters, and its interface as an ONNX backend."""

import doctest
import re
import sys
import unittest
import warnings

import ml_dtypes
import numpy as np
import onnx
import pytest
import strew
from onnx import helper, numpy_helper
from support import refuses
from onnx_models import model_of

FAMILY = re.compile(r"test_(gather|scatter|tensorscatter)\w*_cpu")
PLAIN = re.compile(r"test_(constant|identity)_cpu")
OTHERS = re.compile(r"test_(relu|add|identity_opt|identity_sequence|split_equal_parts_1d_opset13)_cpu")


@pytest.fixture(scope="module")
def official():
    from onnx.backend.test import BackendTest

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns of infinities in tests of other operators
        classes = BackendTest(strew.onnx_backend, __name__).test_cases.values()
    return {name: case(name) for case in classes for name in dir(case) if name.startswith("test_")}


def run_official(case, monkeypatch):
    """Return unittest's result for the case, and the number of runs of models."""
    result = unittest.TestResult()
    runs = []
    run = strew.onnx_backend.StrewBackendRep.run
    monkeypatch.setattr(strew.onnx_backend.StrewBackendRep, "run", lambda *args: runs.append(1) or run(*args))
    case.run(result)
    monkeypatch.undo()
    return result, len(runs)


def test_all_official_node_tests_of_the_family_pass(official, monkeypatch):
    names = [name for name in official if FAMILY.fullmatch(name)]
    names_of_onnx = {"1.23.2": 29}
    assert len(names) == names_of_onnx.get(onnx.__version__, len(names)) > 0
    for name in names + [name for name in official if PLAIN.fullmatch(name)]:
        result, runs = run_official(official[name], monkeypatch)
        assert (result.errors, result.failures, result.skipped) == ([], [], []), name
        assert (result.testsRun, runs) == (1, 1), name


def test_official_tests_of_other_operators_and_devices_do_not_fail(official, monkeypatch):
    names = [name for name in official if OTHERS.fullmatch(name)] + ["test_gather_0_cuda"]
    assert len(names) == 6
    for name in names:
        result, runs = run_official(official[name], monkeypatch)
        assert (result.errors, result.failures, runs) == ([], [], 0), name


GATHER = "g (float[N] data, int64[K] indices) => (float[K] output) { output = Gather(data, indices) }"
DATA = np.float32([5, 6, 7])


@pytest.mark.parametrize("inputs", [[DATA, [2, 0]], (DATA, [2, 0]), {"indices": [2, 0], "data": DATA}])
def test_a_prepared_model_takes_a_list_or_a_dict(inputs):
    rep = strew.onnx_backend.prepare(model_of(GATHER))
    (output,) = rep.run(inputs)
    assert output.tolist() == [7, 5]
    assert rep.run(inputs).output.tolist() == rep.run(inputs)["output"].tolist() == [7, 5]
    assert strew.onnx_backend.run_model(model_of(GATHER), inputs)[0].tolist() == [7, 5]


def test_a_list_may_leave_out_the_optional_inputs():
    model = model_of(GATHER)
    model.graph.initializer.append(numpy_helper.from_array(np.array([1]), "indices"))
    rep = strew.onnx_backend.prepare(model)
    assert rep.run([DATA])[0].tolist() == [6]
    assert rep.run([DATA, [0, 0]])[0].tolist() == [5, 5]


def test_a_value_that_is_an_output_twice_comes_twice():
    model = model_of(GATHER)
    model.graph.output.append(model.graph.output[0])
    if strew.load_model(model).check() == []:
        first, second = strew.onnx_backend.prepare(model).run([DATA, [0]])
        assert first.tolist() == second.tolist() == [5]


@pytest.mark.parametrize(
    ("inputs", "exception", "message"),
    [
        ([DATA], ValueError, "1 input is given; the model takes 2: data, indices"),
        (DATA, TypeError, "a list, a tuple or a dict of arrays, not ndarray"),
        ([DATA, [3]], IndexError, "indices"),
    ],
)
def test_wrong_inputs_of_a_prepared_model_are_refused(inputs, exception, message):
    refuses(exception, message, strew.onnx_backend.prepare(model_of(GATHER)).run, inputs)


def test_what_strew_cannot_run_is_not_compatible_and_counts_as_skipped():
    relu = model_of("g (float[N] x) => (float[N] y) { y = Relu(x) }")
    newer = model_of(GATHER, opset=strew._strew._NEWEST_OPSET + 1)
    illegal = model_of(GATHER.replace("float[K] output", "double[K] output"))
    assert strew.onnx_backend.is_compatible(model_of(GATHER))
    assert not strew.onnx_backend.is_compatible(model_of(GATHER), "CUDA")
    for model in (relu, newer, illegal):
        assert not strew.onnx_backend.is_compatible(model)
    for model in (relu, newer):
        with pytest.raises(NotImplementedError) as caught:
            strew.onnx_backend.prepare(model)
        assert isinstance(caught.value, unittest.SkipTest)
    refuses(ValueError, "float64", strew.onnx_backend.prepare, illegal)


def test_only_the_cpu_is_a_device():
    assert strew.onnx_backend.supports_device("CPU")
    assert strew.onnx_backend.supports_device("CPU:0")
    assert not strew.onnx_backend.supports_device("CUDA")


def test_a_deprecated_scatter_is_prepared_where_that_is_allowed():
    scatter = "g (float[N] d, int64[K] i, float[K] u) => (float[N] y) { y = Scatter(d, i, u) }"
    assert not strew.onnx_backend.is_compatible(model_of(scatter, opset=11))
    rep = strew.onnx_backend.prepare(model_of(scatter, opset=11), allow_deprecated=True)
    assert rep.run([DATA, [1], np.float32([9])])[0].tolist() == [5, 9, 7]


def test_one_node_is_run_by_the_rules_of_its_opset():
    node = helper.make_node("ScatterND", ["data", "indices", "updates"], ["output"], reduction="max")
    inputs = [DATA, np.array([[0], [0]]), np.float32([1, 9])]
    assert strew.onnx_backend.run_node(node, inputs).output.tolist() == [9, 6, 7]
    refuses(ValueError, "'max' needs opset 18 or newer", strew.onnx_backend.run_node, node, inputs, opset_version=17)


@pytest.mark.parametrize("dtype", [np.int8, np.complex64, ml_dtypes.bfloat16, ml_dtypes.int4, "U", "T", object])
def test_one_node_is_run_for_every_kind_of_array(dtype):
    cache = np.array([["1", "2", "3"]]).astype(dtype) if np.dtype(dtype).kind in "UTO" else np.array([[1, 2, 3]], dtype)
    node = helper.make_node("TensorScatter", ["c", "u"], ["output"], axis=1)
    (output,) = strew.onnx_backend.run_node(node, [cache, cache[:, 2:]])
    assert output.tolist() == cache[:, [2, 1, 2]].tolist()


def test_an_input_that_is_left_out_may_be_none_or_not_there():
    cache = np.zeros((1, 3, 1), np.float32)
    node = helper.make_node("TensorScatter", ["c", "u", ""], ["output"])
    for inputs in ([cache, cache[:, :1] + 1], [cache, cache[:, :1] + 1, None]):
        assert strew.onnx_backend.run_node(node, inputs)[0].ravel().tolist() == [1, 0, 0]
    refuses(ValueError, "1 input is given; TensorScatter has 2: c, u", strew.onnx_backend.run_node, node, [cache])


def test_a_node_without_inputs_and_one_of_another_operator():
    constant = helper.make_node("Constant", [], ["c"], value_ints=[1, 2])
    assert strew.onnx_backend.run_node(constant, []).c.tolist() == [1, 2]
    with pytest.raises(strew.onnx_backend.UnsupportedModel, match="Relu") as found:
        strew.onnx_backend.run_node(helper.make_node("Relu", ["x"], ["y"]), [DATA])
    assert (found.value.code, found.value.text) == ("unsupported", str(found.value)) and isinstance(found.value, strew.Refusal)


def test_the_examples_of_the_docstrings_hold():
    result = doctest.testmod(sys.modules["strew.onnx_backend"])
    assert (result.failed, result.attempted > 0) == (0, True)

"""strew.reference_ops: in whole models, Strew runs its operators, and the reference evaluator runs all others."""

import doctest
import sys

import ml_dtypes
import numpy as np
import pytest
from support import refuses, run_python
import strew
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx_models import model_of

RNG = np.random.default_rng(20)
X = RNG.integers(-50, 50, (4, 3)).astype(np.float32)


# Operator -> its node in a graph of x (float) and i (int64), the value of i, and the opsets that have the operator.
NODES = {
    "Gather": ("b = Gather <axis = 1> (a, i)", np.array([[2, 0], [-1, 1]]), (1, 11, 13, 18, 21)),
    "GatherElements": ("b = GatherElements <axis = 0> (a, i)", np.array([[1, 2, 0, 0]]), (11, 13, 18)),
    "GatherND": ("b = GatherND(a, i)", np.array([[2, 3], [0, 0]]), (11, 12, 13, 18)),
    "Scatter": ("b = Scatter <axis = 1> (a, i, j)", np.array([[1, 0, 3, 2]]), (9, 10)),
    "ScatterElements": ("b = ScatterElements <axis = 1> (a, i, j)", np.array([[1, 0, 3, 2]]), (11, 13, 16, 18)),
    "ScatterND": ("b = ScatterND(a, i, a)", np.array([[2], [0], [1]]), (11, 13, 16, 18)),
    "TensorScatter": ("b = TensorScatter <axis = 1> (a, j, i)", np.array([1, 0, 2]), (24, 25)),
}
CASES = [(name, opset) for name, (_, _, opsets) in NODES.items() for opset in opsets]


def mixed(name, opset):
    """Return a model of Transpose, Strew's node, Add and Shape."""
    node = NODES[name][0]
    split = "first = Constant <value = int64[1] {0}> ()\n j = Cast <to = 1> (i)" if "j" in node else ""
    if name == "TensorScatter":
        split = "one = Constant <value = int64[2] {3, 1}> ()\n k = Cast <to = 1> (i)\n j = Reshape(k, one)"
    return model_of(
        f"""g (float[4, 3] x, int64[?] i) => (float[?] y, int64[?] s) {{
            {split}
            a = Transpose <perm = [1, 0]> (x)
            {node}
            y = Add(b, b)
            s = Shape(b)
        }}""",
        opset,
    )


def feeds(name):
    return {"x": X, "i": NODES[name][1]}


@pytest.mark.parametrize(("name", "opset"), CASES)
def test_a_mixed_model_runs_with_ours(name, opset):
    evaluator = ReferenceEvaluator(mixed(name, opset), new_ops=strew.reference_ops)
    ours = [type(node) for node in evaluator.rt_nodes_ if type(node) in strew.reference_ops]
    assert [cls.__name__ for cls in ours] == [name]
    y, s = evaluator.run(None, feeds(name))
    assert y.shape == tuple(s)
    if name == "Scatter":
        expected = X.T.copy()
        expected[0, NODES[name][1][0]] = NODES[name][1][0]
        np.testing.assert_array_equal(y, expected * 2)
    else:
        expected_y, expected_s = ReferenceEvaluator(mixed(name, opset)).run(None, feeds(name))
        np.testing.assert_array_equal(y, expected_y)
        np.testing.assert_array_equal(s, expected_s)


@pytest.mark.parametrize(("opset", "reduction"), [(16, "add"), (16, "mul"), (18, "max"), (18, "min")])
@pytest.mark.parametrize("op_type", ["ScatterElements", "ScatterND"])
def test_reductions_meet_duplicates(op_type, opset, reduction):
    model = model_of(
        f"""g (float[4] d, int64[?] i, float[3] u) => (float[?] y) {{
            r = {op_type} <reduction = "{reduction}"> (d, i, u)
            y = Neg(r)
        }}""",
        opset,
    )
    indices = np.array([1, 3, 1])
    inputs = {
        "d": np.float32([1, 2, 3, 4]),
        "i": indices[:, None] if op_type == "ScatterND" else indices,
        "u": np.float32([5, 6, 7]),
    }
    (result,) = ReferenceEvaluator(model, new_ops=strew.reference_ops).run(None, inputs)
    expected = inputs["d"].copy()
    ufunc = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[reduction]
    ufunc.at(expected, indices, inputs["u"])
    np.testing.assert_array_equal(result, -expected)


@pytest.mark.parametrize(
    ("node", "opset", "exception", "message"),
    [
        ('y = ScatterND <reduction = "max"> (x, i, x)', 16, ValueError, "'max' needs opset 18"),
        ('y = ScatterND <reduction = "add"> (x, i, x)', 13, ValueError, "reduction"),
        ("y = GatherND <batch_dims = 1> (x, i)", 11, ValueError, "batch_dims"),
        ("y = Gather <axis = 1.0> (x, i)", 18, ValueError, "attribute axis is a numpy.float32"),
        ("y = Gather <axis = 7> (x, i)", 18, ValueError, "Gather-13: axis 7"),
        ("y = Gather(x, i)", 18, IndexError, "indices"),
        ("y = Scatter(x, i, x)", 11, ValueError, "Scatter has been deprecated since opset 11"),
        ("y = TensorScatter(x, x)", 23, ValueError, "TensorScatter is not in opset 23"),
    ],
)
def test_the_rules_of_the_imported_version_hold(node, opset, exception, message):
    model = model_of(f"g (float[2, 2] x, int64[2, 1] i) => (float[?, ?] y) {{ {node} }}", opset)
    evaluator = ReferenceEvaluator(model, new_ops=strew.reference_ops)
    refuses(exception, message, evaluator.run, None, {"x": np.zeros((2, 2), np.float32), "i": np.array([[0], [5]])})


def test_a_type_that_came_later_is_refused():
    model = model_of("g (bfloat16[2] x, int64[1] i) => (bfloat16[1] y) { y = Gather(x, i) }", 11)
    inputs = {"x": np.array([1, 2], ml_dtypes.bfloat16), "i": np.array([1])}
    with pytest.raises(TypeError) as caught:
        ReferenceEvaluator(model, new_ops=strew.reference_ops).run(None, inputs)
    assert "bfloat16" in str(caught.value.__cause__)
    model.opset_import[0].version = 13
    (result,) = ReferenceEvaluator(model, new_ops=strew.reference_ops).run(None, inputs)
    assert result.dtype == ml_dtypes.bfloat16
    assert result.tolist() == [2]


def test_an_input_that_is_left_out_is_left_out():
    text = "g (float[1, 3, 1] c, float[1, 1, 1] u) => (float[1, 3, 1] y) { y = TensorScatter(c, u, ) }"
    for node in (text, text.replace("u, )", "u)")):
        model = model_of(node, 24)
        inputs = {"c": np.zeros((1, 3, 1), np.float32), "u": np.ones((1, 1, 1), np.float32)}
        (result,) = ReferenceEvaluator(model, new_ops=strew.reference_ops).run(None, inputs)
        assert result.ravel().tolist() == [1, 0, 0]


def test_strings_pass_through():
    model = model_of("g (string[2] x, int64[K] i) => (string[K] y) { z = Gather(x, i)\n y = Identity(z) }", 18)
    inputs = {"x": np.array(["a", "grün"], dtype=object), "i": np.array([1, 0, 1])}
    (result,) = ReferenceEvaluator(model, new_ops=strew.reference_ops).run(None, inputs)
    assert result.tolist() == ["grün", "a", "grün"]


def test_a_node_in_a_subgraph_is_ours():
    graph = """g (bool c, float[2] x) => (float y) {
        y = If (c) <then_branch = t () => (float a) { n = Constant <value = int64 {0}> () a = Gather(x, n) },
                    else_branch = e () => (float b) { n = Constant <value = int64 {9}> () b = Gather(x, n) }>
    }"""
    evaluator = ReferenceEvaluator(model_of(graph), new_ops=strew.reference_ops)
    x = np.float32([3, 4])
    assert evaluator.run(None, {"c": np.array(True), "x": x})[0] == 3
    refuses(IndexError, "Gather-13", evaluator.run, None, {"c": np.array(False), "x": x})


def test_an_attribute_may_come_from_the_function_around_it():
    node = helper.make_node("Gather", ["x", "i"], ["y"])
    linked = node.attribute.add()
    linked.name, linked.ref_attr_name, linked.type = "axis", "where", 2
    opsets = [helper.make_operatorsetid("", 18)]
    function = helper.make_function("local", "Take", ["x", "i"], ["y"], [node], opsets, attributes=["where"])
    evaluator = ReferenceEvaluator(function, new_ops=strew.reference_ops)
    (result,) = evaluator.run(None, {"x": X, "i": np.array([2])}, attributes={"where": 1})
    np.testing.assert_array_equal(result, X[:, [2]])


def test_importing_strew_imports_no_onnx():
    code = """
import sys, strew
assert {"onnx_backend", "reference_ops"} <= set(dir(strew))
assert "onnx" not in sys.modules and "ml_dtypes" not in sys.modules
assert len(strew.reference_ops) == 7 and strew.onnx_backend.supports_device("CPU")
assert "onnx" in sys.modules
try:
    strew.nonsense
except AttributeError as error:
    assert "nonsense" in str(error)
else:
    sys.exit("strew.nonsense")
"""
    run_python(code)


def test_the_examples_of_the_docstring_hold():
    assert len(strew.reference_ops) == 7
    result = doctest.testmod(sys.modules["strew._reference_ops"])
    assert (result.failed, result.attempted > 0) == (0, True)

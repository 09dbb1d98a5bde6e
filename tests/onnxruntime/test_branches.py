"""Tests indices that pass through an If, which PyTorch's TorchScript exporter writes for scatter_reduce."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from support import STREW, assert_same, cpu_session, providers, random_values, reasons, scatter_elements, strew_session
from support import text_model

CONDITION = """
  none = Constant<value = int64 {0}>()
  minus_one = Constant<value = int64[1] {-1}>()
  e = Expand(index, wide)
  shape = Shape(ranked)
  rank = Size(shape)
  no_axes = Equal(rank, none)
"""
THEN = "then_branch = t () => (float[?] d1, int64[?] i1, float[?] u1) {"
ELSE = "else_branch = o () => (float[?] d2, int64[?] i2, float[?] u2) {"
FLAT = "minus = Constant<value = int64[1] {-1}>() d1 = Reshape(data, minus) i1 = Reshape(e, minus) u1 = Reshape(updates, minus) }"
SAME = "d2 = Identity(data) i2 = Identity(e) u2 = Identity(updates) }"
SCATTER = 'y = ScatterElements<axis = 0, reduction = "max">(d, i, u)'
INPUTS = "float[m, f] data, int64[n, 1] index, int64[2] wide, float[n, f] updates"


def model_of(inputs=INPUTS, opset=18, condition=CONDITION, then=FLAT, otherwise=SAME, rest=SCATTER, ranked="data"):
    """Return the exported graph with replaced parts and without declared shapes of values inside it."""
    branches = f"[branch] d, i, u = If (no_axes) < {THEN} {then}, {ELSE} {otherwise} >"
    model = text_model(f"g ({inputs}) => (float[?] y) {{ {condition.replace('ranked', ranked)} {branches} {rest} }}", opset)
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, None))
    for node in model.graph.node:
        for attribute in node.attribute:
            for value in attribute.g.output:
                value.type.tensor_type.ClearField("shape")
    return model


def feeds_of(seed=0, rows=5, count=40, columns=7):
    rng = np.random.default_rng(seed)
    return {
        "data": random_values(rng, (rows, columns), "float32"),
        "index": rng.integers(-rows, rows, (count, 1)),
        "wide": np.array([count, columns]),
        "updates": random_values(rng, (count, columns), "float32"),
    }


def wanted_of(feeds, reduction="max"):
    index = np.broadcast_to(feeds["index"], tuple(feeds["wide"]))
    return scatter_elements(feeds["data"], index, feeds["updates"], 0, reduction)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("opset", "reduction"), [(16, "add"), (18, "max"), (20, "min")])
def test_the_expand_of_an_exported_scatter_reduce_is_taken(opset, reduction, threads):
    session = strew_session(model_of(opset=opset, rest=SCATTER.replace("max", reduction)), threads)
    assert providers(session, "Expand") == [STREW]
    for seed, columns in enumerate((1, 7, 33)):
        feeds = feeds_of(seed, columns=columns)
        assert_same(session.run(None, feeds)[0], wanted_of(feeds, reduction))


def test_the_rank_may_stand_on_either_side():
    condition = CONDITION.replace("Equal(rank, none)", "Equal(none, rank)")
    session = strew_session(model_of(condition=condition))
    assert providers(session, "Expand") == [STREW]
    assert_same(session.run(None, feeds_of())[0], wanted_of(feeds_of()))


def test_a_scatter_inside_and_one_outside_share_an_expand():
    rest = SCATTER.replace("y =", "x =") + ' y = ScatterElements<axis = 0, reduction = "add">(x, e, updates)'
    session = strew_session(model_of(rest=rest))
    assert providers(session, "Expand") == [STREW]
    feeds = feeds_of()
    assert_same(session.run(None, feeds)[0], wanted_of(feeds | {"data": wanted_of(feeds)}, "add"))


OTHERS = {
    "data of unknown rank": {"inputs": INPUTS.replace("float[m, f] data", "float data")},
    "another question": {"condition": CONDITION.replace("Equal(rank, none)", "Greater(rank, none)")},
    "another number": {"condition": CONDITION.replace("int64 {0}", "int64 {2}")},
    "part of the shape": {"condition": CONDITION.replace("Shape(ranked)", "Shape<start = 1>(ranked)")},
    "another reader in the branch": {"otherwise": SAME.replace("Identity(e)", "Neg(e)")},
    "a reader more in the branch": {"otherwise": "d2 = Identity(data) i3 = Identity(e) i2 = Abs(i3) u2 = Identity(updates) }"},
    "a reader outside": {"rest": "n = Neg(i) " + SCATTER.replace("(d, i", "(d, n")},
}


@pytest.mark.parametrize("other", OTHERS)
def test_an_if_of_another_kind_has_the_expand_written_in_full(other):
    model = model_of(**OTHERS[other])
    if "inputs" in OTHERS[other]:
        model.graph.input[0].type.tensor_type.ClearField("shape")
    session = strew_session(model)
    assert reasons(session, "Expand") and STREW not in providers(session, "Expand")
    feeds = feeds_of()
    feeds["index"] %= 5
    feeds["updates"] = np.nan_to_num(feeds["updates"])  # ONNX Runtime's max ignores NaN
    feeds["data"] = np.nan_to_num(feeds["data"])
    assert_same(session.run(None, feeds)[0], cpu_session(model).run(None, feeds)[0])


def test_data_without_axes_where_the_model_does_not_say():
    model = model_of(inputs=INPUTS.replace("float[m, f] data", "float data"))
    model.graph.input[0].type.tensor_type.ClearField("shape")
    session = strew_session(model)
    feeds = feeds_of(rows=1)
    feeds["index"][:] = 0
    assert_same(session.run(None, feeds)[0], wanted_of(feeds))
    feeds["data"] = np.array(3, np.float32)
    updates = feeds["updates"].reshape(-1)
    wanted = scatter_elements(np.array([3], np.float32), np.zeros(updates.shape, int), updates, 0, "max")
    assert_same(session.run(None, feeds)[0], wanted)


def test_axes_that_are_declared_and_not_there_are_refused():
    condition = "ranked = Reshape(flat, as_is) " + CONDITION
    model = model_of(inputs=INPUTS + ", float[z] flat, int64[a] as_is", condition=condition, ranked="ranked")
    model.graph.value_info.append(helper.make_tensor_value_info("ranked", TensorProto.FLOAT, ["a", "b"]))
    session = strew_session(model)
    assert providers(session, "Expand") == [STREW]
    feeds = feeds_of() | {"flat": np.ones(1, np.float32), "as_is": np.array([1, 1])}
    assert_same(session.run(None, feeds)[0], wanted_of(feeds))
    feeds["as_is"] = np.array([], np.int64)
    with pytest.raises(Exception, match=r"scatter_elements: indices have shape \[280\], but the model declares that they have 2"):
        session.run(None, feeds)

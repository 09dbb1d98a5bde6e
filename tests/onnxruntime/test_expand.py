"""Strew claims an Expand of the indices of ScatterElements or GatherElements. Other readers get right results."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from support import CPU, STREW, assert_same, cpu_session, providers, random_values, reasons, refuses
from support import scatter_elements, strew_session, text_model

SCATTER = """
  e = Expand(index, shape)
  y = ScatterElements<axis = 0, reduction = "add">(data, e, updates)
"""


def model_of(body, outputs, index="int64[n, 1]"):
    return text_model(
        f"g (float[m, f] data, {index} index, int64[k] shape, float[n, f] updates) => ({outputs}) {{ {body} }}"
    )


def feeds_of(seed=0, rows=5, count=40, columns=7, index_type=np.int64):
    rng = np.random.default_rng(seed)
    return {
        "data": random_values(rng, (rows, columns), "float32"),
        "index": rng.integers(-rows, rows, (count, 1)).astype(index_type),
        "shape": np.array([count, columns]),
        "updates": random_values(rng, (count, columns), "float32"),
    }


def expanded(feeds):
    return np.broadcast_to(feeds["index"], np.broadcast_shapes(feeds["index"].shape, tuple(feeds["shape"])))


def assert_added(session, feeds):
    wanted = scatter_elements(feeds["data"], expanded(feeds), feeds["updates"], 0, "add")
    assert_same(session.run(None, feeds)[0], wanted)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("index", ["int64", "int32"])
def test_an_expand_read_by_a_scatter_alone_is_taken_with_it(index, threads):
    session = strew_session(model_of(SCATTER, "float[m, f] y", index=f"{index}[n, 1]"), threads)
    assert providers(session, "Expand") == [STREW]
    for seed, columns in enumerate((1, 2, 7, 33)):
        assert_added(session, feeds_of(seed, columns=columns, index_type=index))


def test_several_scatters_share_an_expand():
    body = SCATTER + 'z = ScatterElements<axis = 0, reduction = "max">(y, e, updates)\n g = GatherElements<axis = 0>(z, e)'
    session = strew_session(model_of(body, "float[m, f] z, float[n, f] g"))
    assert providers(session, "Expand") == [STREW]
    feeds = feeds_of()
    index = expanded(feeds)
    wanted = scatter_elements(feeds["data"], index, feeds["updates"], 0, "add")
    wanted = scatter_elements(wanted, index, feeds["updates"], 0, "max")
    result, gathered = session.run(None, feeds)
    assert_same(result, wanted)
    assert_same(gathered, np.take_along_axis(wanted, index % len(wanted), 0))


def read_by(op_type):
    return f"its output goes into {op_type}, not only into indices of nodes that Strew claims"


NO_ELEMENT = {
    "Shape": "s = Shape(e)",
    "part of a Shape": "s = Shape<start = 1>(e)",
    "Size": "s = Size(e)",
    "EyeLike": "s = EyeLike(e)",
    "RandomNormalLike": "r = RandomNormalLike<dtype = 1>(e) s = Shape(r)",
    "RandomUniformLike": "r = RandomUniformLike<dtype = 1>(e) s = Shape(r)",
    "the type of CastLike": "s = CastLike(updates, e)",
    "a Shape in a branch": """s = If (flag) <
      then_branch = t () => (int64[2] a) { a = Shape(e) },
      else_branch = o () => (int64[1] b) { c = Size(e) d = Constant<value_ints = [1]>() b = Reshape(c, d) }
    >""",
}


@pytest.mark.parametrize("opset", [16, 18, 20])
@pytest.mark.parametrize("reader", NO_ELEMENT)
def test_an_expand_of_which_others_read_no_element_is_taken(reader, opset):
    inputs = "float[m, f] data, int64[n, 1] index, int64[k] shape, float[n, f] updates, bool flag"
    body = SCATTER + NO_ELEMENT[reader]
    model = text_model(f"g ({inputs}) => (float[m, f] y, int64[?] s) {{ {body} }}", opset)
    if reader == "EyeLike" or reader == "the type of CastLike":
        model.graph.output[1].CopyFrom(helper.make_tensor_value_info("s", TensorProto.INT64, None))
    session = strew_session(model)
    assert providers(session, "Expand") == [STREW]
    feeds = feeds_of(rows=40) | {"flag": np.array(True)}
    feeds["updates"] = np.nan_to_num(feeds["updates"], posinf=5, neginf=-5)
    wanted, read = cpu_session(model).run(None, feeds)
    assert_same(wanted, scatter_elements(feeds["data"], expanded(feeds), feeds["updates"], 0, "add"))
    result, read_here = session.run(None, feeds)
    assert_same(result, wanted)
    assert_same(read_here, read)


READERS = {
    "the graph's output": (SCATTER, "float[m, f] y, int64[n, f] e", "its output is an output of the graph"),
    "another operator": (SCATTER + "c = Cast<to = 1>(e)", "float[m, f] y, float[n, f] c", read_by("Cast")),
    "another input": (
        SCATTER + "p = GatherElements<axis = 0>(e, e)",
        "float[m, f] y, int64[n, f] p",
        read_by("GatherElements"),
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_an_expand_that_others_read_is_written_in_full(reader):
    body, outputs, reason = READERS[reader]
    model = model_of(body, outputs)
    session = strew_session(model)
    assert providers(session, "Expand") == [CPU]
    assert reasons(session, "Expand") == {reason}
    feeds = feeds_of(rows=40)
    for result, wanted in zip(session.run(None, feeds), cpu_session(model).run(None, feeds), strict=True):
        assert_same(result, wanted)


def test_an_expand_read_in_a_subgraph_is_written_in_full():
    value = helper.make_tensor_value_info("t", TensorProto.FLOAT, None)
    then = helper.make_graph([helper.make_node("Cast", ["e"], ["t"], to=TensorProto.FLOAT)], "then", [], [value])
    model = model_of(SCATTER, "float[m, f] y, float[n, f] c")
    model.graph.input.append(helper.make_tensor_value_info("flag", TensorProto.BOOL, []))
    model.graph.node.append(helper.make_node("If", ["flag"], ["c"], then_branch=then, else_branch=then))
    session = strew_session(model)
    assert providers(session, "Expand") == [CPU]
    assert reasons(session, "Expand") == {read_by("If")}
    feeds = feeds_of()
    assert_same(session.run(["c"], feeds | {"flag": np.array(True)})[0], expanded(feeds).astype(np.float32))


def test_an_expand_for_a_scatter_that_is_not_taken_is_not_taken():
    session = strew_session(model_of(SCATTER, "float[m, f] y"), operators=["GatherElements"])
    assert providers(session, "Expand") == [CPU]
    assert providers(session, "ScatterElements") == [CPU]
    assert reasons(session, "Expand") == {read_by("ScatterElements")}


def test_an_expand_that_makes_no_indices_is_not_taken():
    session = strew_session(text_model("g (int64[n, 1] x, int64[2] s) => (int64[2] y) { e = Expand(x, s) y = Shape(e) }"))
    assert reasons(session, "Expand") == {"no ScatterElements, Scatter or GatherElements reads its output"}
    session = strew_session(text_model("g (float[n, 1] x, int64[2] s) => (float[n, f] y) { y = Expand(x, s) }"))
    assert reasons(session, "Expand") == {"Strew claims an Expand only if its output is indices"}


def test_a_dimension_that_may_be_one_is_no_repetition():
    session = strew_session(model_of(SCATTER, "float[m, f] y", index="int64[n, c]"))
    assert providers(session, "Expand") == [CPU]
    assert reasons(session, "Expand") == {"its input is not known to have a last dimension of 1 (Unsqueeze adds one)"}
    assert_added(session, feeds_of())


def test_an_index_repeated_from_a_single_number_is_written_where_it_is_read():
    session = strew_session(model_of(SCATTER, "float[m, f] y", index="int64[1, 1]"))
    assert_added(session, feeds_of() | {"index": feeds_of()["index"][:1]})


def test_three_axes_of_which_two_repeat():
    inputs = "float[m, f, h] data, int64[n, 1, 1] index, int64[3] shape, float[n, f, h] updates"
    session = strew_session(text_model(f"g ({inputs}) => (float[m, f, h] y) {{ {SCATTER} }}"))
    assert providers(session, "Expand") == [STREW]
    rng = np.random.default_rng(5)
    feeds = {
        "data": random_values(rng, (4, 3, 5), "float32"),
        "index": rng.integers(-4, 4, (9, 1, 1)),
        "shape": np.array([9, 3, 5]),
        "updates": random_values(rng, (9, 3, 5), "float32"),
    }
    assert_added(session, feeds)


def test_a_bad_index_behind_an_expand_and_a_shape_that_does_not_broadcast_are_named_and_no_rows_are_none():
    session, feeds = strew_session(model_of(SCATTER, "float[m, f] y")), feeds_of()
    feeds["index"][3] = 5
    refuses(Exception, r"scatter_elements: indices\[3, 0\] = 5 is outside \[-5, 4\]", session.run, None, feeds)
    words = r"expand: input of shape \[40, 1\] does not broadcast to shape \[3, 7\]"
    refuses(Exception, words, session.run, None, feeds | {"shape": np.array([3, 7])})
    empty = feeds_of(count=0)
    assert_same(session.run(None, empty)[0], empty["data"])


def test_constant_indices_that_repeat_are_read_once_a_row():
    feeds = feeds_of()
    index = expanded(feeds)
    model = text_model("g (float[5, 7] data, float[40, 7] updates) => (float[5, 7] y) { y = Identity(data) }")
    del model.graph.node[:]
    model.graph.initializer.append(helper.make_tensor("e", TensorProto.INT64, index.shape, index.flatten()))
    model.graph.node.append(helper.make_node("ScatterElements", ["data", "e", "updates"], ["y"], reduction="add"))
    session = strew_session(model)
    assert providers(session, "ScatterElements") == [STREW]
    result = session.run(None, {"data": feeds["data"], "updates": feeds["updates"]})[0]
    assert_same(result, scatter_elements(feeds["data"], index, feeds["updates"], 0, "add"))


def untrue_model(outputs):
    """Return a graph that declares the index [n, 1] but reshapes it to `wide`, and operands with wider indices."""
    model = model_of("r = Reshape(flat, wide) " + SCATTER.replace("index", "r"), outputs)
    model.graph.input.append(helper.make_tensor_value_info("flat", TensorProto.INT64, ["z"]))
    model.graph.input.append(helper.make_tensor_value_info("wide", TensorProto.INT64, [2]))
    model.graph.value_info.append(helper.make_tensor_value_info("r", TensorProto.INT64, ["n", 1]))
    feeds = feeds_of(rows=40)
    index = np.arange(feeds["updates"].size).reshape(feeds["updates"].shape) % 5
    return model, feeds, index


def reshaped(index):
    return {"flat": index.reshape(-1), "wide": np.array(index.shape)}


def test_a_declared_shape_that_is_untrue_is_refused():
    model, feeds, index = untrue_model("float[m, f] y")
    session = strew_session(model)
    assert providers(session, "Expand") == [STREW]
    with pytest.raises(Exception, match="expand: input has shape .*, but the model declares length 1 along the last"):
        session.run(None, feeds | reshaped(index))
    wanted = scatter_elements(feeds["data"], expanded(feeds), feeds["updates"], 0, "add")
    assert_same(session.run(None, feeds | reshaped(feeds["index"]))[0], wanted)


def test_a_declared_shape_that_is_untrue_is_not_believed_where_others_read_the_expand():
    model, feeds, index = untrue_model("float[m, f] y, int64[n, f] e")
    wanted = scatter_elements(feeds["data"], index, feeds["updates"], 0, "add")
    assert_same(strew_session(model).run(None, feeds | reshaped(index))[0], wanted)

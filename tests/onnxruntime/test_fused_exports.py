"""Graphs that PyTorch's exporters write for layers of graph networks are fused, with the bits of separate nodes.

The graphs have the nodes that torch 2.15 exports, without the parts that ONNX Runtime removes by constant folding.
"""

import numpy as np
import onnxruntime_ep_strew as strew_ep
import pytest
from fusion_models import assert_equal_runs, assert_fused_bits, assert_same_error, fused, runs_fused, sessions
from support import STREW, assert_same, random_values, strew_session, text_model

INPUTS = "{kind}[n, {columns}] x, int64[e] src, int64[e] dst, {kind}[e] w"
# x[src] * w[:, None] by the newer exporter (dynamo=True): a GatherND of index tuples with one component.
NEW_ROWS = (
    "last = Constant<value = int64[1] {{-1}}>() one = Constant<value = int64[1] {{1}}>()"
    " wide = Constant<value = int64[1] {{{columns}}}>() tuples = Unsqueeze(src, last) rows = GatherND<batch_dims = 0>(x, tuples)"
    " column = Unsqueeze(w, one) h = Mul(rows, column)"
)
NEW_ZEROS = (
    "nodes = Shape<start = 0, end = 1>(x) size = Concat<axis = 0>(nodes, wide)"
    " zero = Constant<value = {kind} {{0}}>() zeros = Expand(zero, size)"
)
# x[src] * w[:, None] by the older exporter (dynamo=False).
OLD_ROWS = (
    "one = Constant<value = int64[1] {{1}}>() rows = Gather<axis = 0>(x, src) column = Unsqueeze(w, one) h = Mul(rows, column)"
)
EXPORTS = {
    "x[src], scatter_add": f"{NEW_ROWS} {NEW_ZEROS} targets = Unsqueeze(dst, one) edges = Shape<start = 0, end = 1>(w)"
    " all = Concat<axis = 0>(edges, wide) index = Expand(targets, all)"
    ' y = ScatterElements<axis = 0, reduction = "add">(zeros, index, h)',
    "x[src], amax": f"{NEW_ROWS} {NEW_ZEROS} targets = Unsqueeze(dst, one) edges = Shape<start = 0, end = 1>(w)"
    " all = Concat<axis = 0>(edges, wide) index = Expand(targets, all)"
    ' y = ScatterElements<axis = 0, reduction = "max">(zeros, index, h)',
    "x[src], index_add": f"{NEW_ROWS} {NEW_ZEROS} targets = Unsqueeze(dst, last)"
    ' y = ScatterND<reduction = "add">(zeros, targets, h)',
    "index_add, dynamo=False": f"{OLD_ROWS} size = Shape(x)"
    " zeros = ConstantOfShape<value = {kind}[1] {{0}}>(size) like = Shape(zeros)"
    " others = ConstantOfShape<value = {kind}[1] {{0}}>(like) begin = Constant<value = int64[2] {{0, 0}}>()"
    " end = Constant<value = int64[2] {{1, 9223372036854775807}}>() axes = Constant<value = int64[2] {{0, 1}}>()"
    " row = Slice(zeros, begin, end, axes) row_shape = Shape(row) wide = Expand(h, row_shape) wide_shape = Shape(wide)"
    " targets = Unsqueeze(dst, one) index = Expand(targets, wide_shape)"
    " last = ScatterElements<axis = 0>(others, index, wide) y = Add(zeros, last)",
    "scatter_add, dynamo=False, before opset 16": f"{OLD_ROWS} size = Shape(x)"
    " zeros = ConstantOfShape<value = {kind}[1] {{0}}>(size) like = Shape(zeros)"
    " others = ConstantOfShape<value = {kind}[1] {{0}}>(like) h_shape = Shape(h) targets = Unsqueeze(dst, one)"
    " index = Expand(targets, h_shape) last = ScatterElements<axis = 0>(others, index, h) y = Add(zeros, last)",
    "index_add of rows alone, dynamo=False": "rows = Gather<axis = 0>(x, src) size = Shape(x)"
    " zeros = ConstantOfShape<value = {kind}[1] {{0}}>(size) like = Shape(zeros)"
    " others = ConstantOfShape<value = {kind}[1] {{0}}>(like) begin = Constant<value = int64[2] {{0, 0}}>()"
    " end = Constant<value = int64[2] {{1, 9223372036854775807}}>() axes = Constant<value = int64[2] {{0, 1}}>()"
    " row = Slice(zeros, begin, end, axes) row_shape = Shape(row) wide = Expand(rows, row_shape) wide_shape = Shape(wide)"
    " one = Constant<value = int64[1] {{1}}>() targets = Unsqueeze(dst, one) index = Expand(targets, wide_shape)"
    ' last = ScatterElements<axis = 0, reduction = "none">(others, index, wide) y = Add(last, zeros)',
}


def exported(name, columns=40, kind="float", outputs="", after=""):
    graph = EXPORTS[name].format(columns=columns, kind=kind)
    inputs = INPUTS.format(columns=columns, kind=kind)
    return text_model(f"g ({inputs}) => ({kind}[n, {columns}] y{outputs}) {{ {graph} {after} }}")


def feeds_of(model, seed=0, nodes=9, edges=50, columns=40, dtype="float32", unique=False):
    rng = np.random.default_rng(seed)
    feeds = {
        "x": random_values(rng, (nodes, columns), dtype),
        "src": rng.integers(-nodes, nodes, edges),
        "dst": rng.permutation(nodes)[:edges] if unique else rng.integers(-nodes, nodes, edges),
        "w": random_values(rng, edges, dtype),
    }
    return {value.name: feeds[value.name] for value in model.graph.input}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_fused_and_gives_the_bits_of_its_nodes(name):
    for columns in (2, 40):
        model = exported(name, columns)
        gather = "GatherND" if "x[src]" in name else "Gather"
        scatter = "ScatterND" if name == "x[src], index_add" else "ScatterElements"
        feeds = (feeds_of(model, seed, edges=edges, columns=columns) for seed, edges in enumerate((50, 1, 0, 700)))
        assert {gather, scatter} <= set(assert_fused_bits(model, *feeds, threads=2, times=3))


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize(("kind", "dtype"), [("double", "float64"), ("float16", "float16")])
def test_an_export_of_another_type(name, kind, dtype):
    model = exported(name, kind=kind)
    one, other = sessions(model)
    assert fused(one)
    assert_equal_runs(one, other, feeds_of(model, dtype=dtype))


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("operand", ["src", "dst"])
def test_an_index_out_of_bounds_is_the_error_of_the_node(name, operand):
    model = exported(name)
    assert_same_error(model, feeds_of(model), operand)


def test_the_older_index_add_keeps_the_last_row_of_a_target_as_its_nodes_do():
    name = "index_add of rows alone, dynamo=False"
    model = exported(name)
    one, other = runs_fused(model)
    assert set(fused(one)) == {"Add", "ConstantOfShape", "Expand", "Gather", "ScatterElements", "Shape"}
    feeds = feeds_of(model) | {"x": np.arange(360, dtype="f4").reshape(9, 40), "src": np.arange(50) % 9, "dst": np.arange(50) % 4}
    y = one.run(None, feeds)[0]
    for target in range(4):
        last = max(edge for edge in range(50) if edge % 4 == target)
        assert_same(y[target], feeds["x"][last % 9])
    assert not y[4:].any()
    assert_equal_runs(one, other, feeds)
    assert_equal_runs(one, other, feeds_of(model, edges=7, unique=True))


def test_negative_zeros_become_zeros_where_the_older_index_add_adds_them():
    model = exported("index_add of rows alone, dynamo=False")
    one, other = runs_fused(model)
    feeds = feeds_of(model) | {"x": np.full((9, 40), -0.0, "f4")}
    assert not np.signbit(one.run(None, feeds)[0]).any()
    assert_equal_runs(one, other, feeds)


def test_rows_that_the_older_index_add_makes_wider_run_unfused_inside_the_node():
    name = "index_add of rows alone, dynamo=False"
    graph = EXPORTS[name].format(columns=40, kind="float").replace("Shape(x)", "Shape(z)")
    model = text_model(f"g (float[n, c] x, int64[e] src, int64[e] dst, float[m, k] z) => (float[m, k] y) {{ {graph} }}")
    rng = np.random.default_rng(0)
    feeds = {"src": rng.integers(0, 9, 50), "dst": rng.integers(0, 6, 50), "z": np.zeros((6, 40), "f4")}
    assert_fused_bits(model, *(feeds | {"x": random_values(rng, (9, columns), "float32")} for columns in (1, 40)))


def test_the_older_index_add_into_other_values_than_zeros_is_left():
    graph = EXPORTS["index_add of rows alone, dynamo=False"].format(columns=40, kind="float")
    graph = graph.replace("size = Shape(x) zeros = ConstantOfShape<value = float[1] {0}>(size)", "zeros = Neg(x)")
    model = text_model(f"g (float[n, 40] x, int64[e] src, int64[e] dst, float[e] w) => (float[n, 40] y) {{ {graph} }}")
    one, other = sessions(model)
    assert not fused(one)
    assert reasons(one)["ScatterElements"] == "it has no reduction"
    assert_equal_runs(one, other, feeds_of(model))


def reasons(session):
    """Return operator -> the reason why the node on Strew is not fused."""
    return {place.operator: place.reason for place in strew_ep.placement(session) if place.provider == STREW}


GATHERED = "g (float[n, c] x, int64[e] src, int64[e, 1] dst, float[t, c] base) => (float[t, c] y{}) {{ {} }}"


@pytest.mark.parametrize(
    ("graph", "gather", "scatter"),
    [
        ('g = Gather(x, src) s = Sigmoid(g) y = ScatterND<reduction = "add">(base, dst, s)',
         "its rows go into Sigmoid; only rows that reach a Concat or a scatter, with at most Mul, Add and Relu between, are fused",
         "its updates come from Sigmoid, not from a gather through Mul, Add and Relu, each at most once and in this order"),
        ('g = Gather(x, src) r = Relu(g) m = Mul(r, r) y = ScatterND<reduction = "add">(base, dst, m)',
         "Mul reads the output of Relu more than once",
         "its updates come from Relu, not from a gather through Mul, Add and Relu, each at most once and in this order"),
        ("g = Gather(x, src) y = ScatterND(base, dst, g)", "the ScatterND after it is not fused: it has no reduction",
         "it has no reduction"),
        ('g = Gather<axis = 1>(x, src) y = ScatterND<reduction = "add">(base, dst, g)',
         "the ScatterND after it is not fused: the Gather before it gathers along an axis other than the first",
         "the Gather before it gathers along an axis other than the first"),
        ('g = Gather(x, dst) y = ScatterND<reduction = "add">(base, dst, g)',
         "the ScatterND after it is not fused: the indices of the gather before it do not have exactly one axis",
         "the indices of the gather before it do not have exactly one axis"),
        ('g = Gather(x, src) c = Concat<axis = 1>(dst, dst) y = ScatterND<reduction = "add">(base, c, g)',
         "the ScatterND after it is not fused: its indices are not known to have one value for each row"
         " (ScatterElements: indices expanded from [edges, 1]; ScatterND: indices of shape [edges, 1])",
         "its indices are not known to have one value for each row"
         " (ScatterElements: indices expanded from [edges, 1]; ScatterND: indices of shape [edges, 1])"),
    ],
)  # fmt: skip
def test_placement_says_why_nodes_are_not_fused(graph, gather, scatter):
    session = strew_session(text_model(GATHERED.format("", graph)))
    assert not fused(session)
    assert reasons(session) == {"Gather": gather, "ScatterND": scatter}
    assert f"     1 Gather          taken, not fused: {gather}\n" in str(strew_ep.summary(session))


def test_placement_says_why_nodes_with_other_readers_are_not_fused():
    add = 'g = Gather(x, src) r = Relu(g) y = ScatterND<reduction = "add">(base, dst, r)'
    between = "another node reads, or the graph returns, a value between the gather and the scatter"
    session = strew_session(text_model(GATHERED.format(", float[e, c] r", add)))
    assert reasons(session) == {"Gather": "the graph returns the output of Relu", "ScatterND": between}
    session = strew_session(text_model(GATHERED.format(", float[e, c] z", add + " z = Neg(g)")))
    assert reasons(session) == {"Gather": "2 nodes read its rows", "ScatterND": between}
    session = strew_session(text_model(GATHERED.format(", float[e, c] g", add)))
    assert reasons(session) == {"Gather": "the graph returns its rows", "ScatterND": between}


def test_placement_says_why_types_are_not_fused():
    graph = GATHERED.replace("float", "int32").format("", 'g = Gather(x, src) y = ScatterND<reduction = "add">(base, dst, g)')
    reason = "the data are not float16, bfloat16, float32 or float64"
    assert reasons(strew_session(text_model(graph)))["ScatterND"] == reason
    graph = "g (uint8[n, c] x, int64[e] src) => (uint8[n, c] y) { g = Gather(x, src) y = Neg(g) }".replace("uint8", "int8")
    assert reasons(strew_session(text_model(graph)))["Gather"] == (
        "its rows go into Neg; only rows that reach a Concat or a scatter, with at most Mul, Add and Relu between, are fused"
    )


def test_rows_that_are_the_weights_of_a_fused_node_have_their_reason():
    graph = 'g = Gather(x, src) h = Gather<axis = 0>(base, src) m = Mul(g, h) y = ScatterND<reduction = "add">(base, dst, m)'
    model = text_model(GATHERED.format("", graph))
    for i, node in enumerate(model.graph.node):
        node.name = f"node{i}"
    session = strew_session(model)
    apart = [place for place in strew_ep.placement(session) if place.provider == STREW and not place.fused]
    assert [place.reason for place in apart] == ["its rows go into Mul, which is fused with another gather"]


def test_nodes_that_the_option_keeps_apart_say_so():
    session = strew_session(exported("x[src], index_add"), fuse=False)
    assert reasons(session) == {"GatherND": "the option fuse is 0", "ScatterND": "the option fuse is 0"}


def test_fused_nodes_have_no_reason():
    session = strew_session(exported("x[src], scatter_add"))
    assert {place.reason for place in strew_ep.placement(session) if place.fused} == {""}


def test_an_expand_of_floats_is_left_as_it_is_no_index():
    graph = "g (float[1, c] x, int64[2] size) => (float[n, c] z) { y = Expand(x, size) z = Neg(y) }"
    (place,) = [place for place in strew_ep.placement(strew_session(text_model(graph))) if place.operator == "Expand"]
    assert place.reason == "Strew claims an Expand only if its output is indices"


@pytest.mark.parametrize("name", EXPORTS)
def test_a_session_of_an_export_prints_no_warning(name, capfd):
    strew_ep.session(exported(name))  # with ONNX Runtime's default log level
    assert capfd.readouterr().err == ""

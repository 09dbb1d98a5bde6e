"""Tests the choice of nodes to fuse. Fused bases, products and repeated runs give the results of separate nodes."""

import numpy as np
import onnxruntime_ep_strew as strew_ep
import pytest
from fusion_models import INDICES, assert_equal_runs, assert_fused_bits, assert_same_error
from fusion_models import feeds_of, fused, model_of, runs_fused, sessions
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from support import OPERATORS, STREW, at_once, random_values, refuses, session_options, strew_session, text_model


def test_a_second_reader_or_an_output_of_the_graph_leaves_nodes_apart():
    for outputs, after in ((", float[e, c] m", ""), (", float[e, c] z", "z = Neg(m)"), (", float[e, c] g", "")):
        model = model_of("add", after=after, outputs=outputs)
        assert not fused(strew_session(model))
    twice = 'z = ScatterElements<axis = 0, reduction = "max">(base, e, m)'
    assert not fused(strew_session(model_of("add", after=twice, outputs=", float[t, c] z")))


def test_a_reader_in_a_branch_leaves_nodes_apart():
    after = (
        "count = Size(column) yes = Equal(count, count) z = If (yes) <then_branch = t () => (float[e, c] p)"
        " { p = Neg(m) }, else_branch = f () => (float[e, c] q) { q = Abs(m) }>"
    )
    assert not fused(strew_session(model_of("add", "nd", after=after, outputs=", float[e, c] z")))


def test_other_readers_of_the_indices_keep_the_expand_outside():
    twice = 'z = ScatterElements<axis = 0, reduction = "max">(base, e, a)'
    model = model_of("add relu", after=twice, outputs=", float[t, c] z")
    assert assert_fused_bits(model, feeds_of(model)) == ["Add", "Gather", "Relu", "ScatterElements"]


def test_in_the_body_of_a_branch():
    model = text_model(
        "g (bool yes, float[n, c] x, int64[e] from, int64[e, 1] column, float[t, c] base) => (float[t, c] y) {"
        " y = If (yes) <then_branch = t () => (float[t, c] p)"
        ' { g = Gather<axis = 0>(x, from) m = Relu(g) p = ScatterND<reduction = "add">(base, column, m) },'
        " else_branch = f () => (float[t, c] q) { q = Neg(base) }> }"
    )
    feeds = feeds_of(model_of("relu", "nd"))
    assert_fused_bits(model, *(feeds | {"yes": np.array(yes)} for yes in (True, False)))


def test_an_option_that_is_neither_on_nor_off():
    refuses(ValueError, "option fuse is 'maybe'; it must be 0 or 1", strew_session, model_of("relu"), fuse="maybe")


def test_operators_that_are_left_out_are_not_fused():
    for operator in ("Gather", "ScatterElements"):
        session = strew_session(model_of("relu"), operators=[name for name in OPERATORS if name != operator])
        assert not fused(session)


def test_placement_and_summary_show_what_runs_as_one_node():
    session = strew_session(model_of("add relu"))
    places = {place.operator: place for place in strew_ep.placement(session)}
    assert {name: (place.provider, place.reason) for name, place in places.items()} == dict.fromkeys(
        ["Add", "Expand", "Gather", "Relu", "ScatterElements"], (STREW, "")
    )
    assert len({place.fused for place in places.values()}) == 1
    assert "     1 Relu            taken, fused\n" in str(strew_ep.summary(session))


LAYER = text_model(
    "g (float[n, c] x, int64[e] src, float[e, 1] w, int64[e, 1] dst, float[t, c] base) => (float[t, c] y)"
    ' { a = Sigmoid(w) g = Gather(x, src) m = Mul(g, a) y = ScatterND<reduction = "add">(base, dst, m) }'
)
CONCAT = text_model(
    "g (float[n, c] x, int64[e] src, float[e, d] w, float[1, d] b) => (float[e, f] y)"
    " { a = Add(w, b) g = Gather(x, src) y = Concat<axis = 1>(g, a) }"
)


@pytest.mark.parametrize("model", [LAYER, CONCAT], ids=["scatter", "Concat"])
def test_the_optimised_model_can_be_saved(model, tmp_path):
    options = session_options()
    options.optimized_model_filepath = str(tmp_path / "saved.onnx")
    assert not fused(strew_session(model, options=options))
    assert (tmp_path / "saved.onnx").stat().st_size > 0


@pytest.mark.parametrize("model", [LAYER, CONCAT], ids=["scatter", "Concat"])
def test_a_session_with_fused_nodes_prints_no_warning(model, capfd):
    session = strew_ep.session(model)  # with ONNX Runtime's default log level
    assert fused(session)
    assert capfd.readouterr().err == ""


MADE = {
    "zeros": "base = ConstantOfShape(like)",
    "zeros by value": "base = ConstantOfShape<value = {kind}[1] {{0}}>(like)",
    "a number": "base = ConstantOfShape<value = {kind}[1] {{2.5}}>(like)",
    "negative zeros": "base = ConstantOfShape<value = {kind}[1] {{-0.0}}>(like)",
    "expanded": "zero = Constant<value = {kind} {{0}}>() base = Expand(zero, like)",
    "expanded from one axis": "one = Constant<value = {kind}[1] {{1}}>() base = Expand(one, like)",
}


HALVES = {"{2.5}": "{16640}", "{-0.0}": "{32768}", "{1}": "{15360}"}  # the parser expects the bits


def made(what, kind="float"):
    text = MADE[what].format(kind=kind)
    for number, bits in HALVES.items() if kind == "float16" else ():
        text = text.replace(number, bits)
    return text


def maker(what):
    return "Expand" if "expanded" in what else "ConstantOfShape"


@pytest.mark.parametrize("what", MADE)
@pytest.mark.parametrize("indices", INDICES)
def test_a_base_of_one_value_is_made_in_the_node(what, indices):
    for steps in ("", "mul", "add relu"):
        model = model_of(steps, indices, base=made(what))
        feeds = (feeds_of(model, columns=columns) for columns in (2, 33))
        assert maker(what) in assert_fused_bits(model, *feeds, threads=2)


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("kind", ["double", "float16"])
def test_every_reduction_begins_with_it(reduction, kind):
    for what in MADE:
        if what == "zeros":
            continue  # the model has float data only
        model = model_of("mul", reduction=reduction, kind=kind, base=made(what, kind))
        one, other = sessions(model)
        assert maker(what) in fused(one)
        assert_equal_runs(one, other, feeds_of(model, kind=kind))


def test_negative_zeros_added_to_zeros_are_zeros():
    for what, sign in (("zeros", False), ("negative zeros", True)):
        model = model_of("", base=made(what))
        one, other = runs_fused(model)
        feeds = feeds_of(model)
        feeds["x"][:] = -0.0
        assert_equal_runs(one, other, feeds)
        assert np.signbit(one.run(None, feeds)[0]).all() == sign


def test_a_base_of_many_pages_is_filled_by_several_threads():
    model = model_of("mul", base=made("a number"))
    assert_fused_bits(model, feeds_of(model, targets=9001, columns=65), threads=3)


@pytest.mark.parametrize("sizes", [{"edges": 0}, {"columns": 0}, {"edges": 0, "targets": 1}])
def test_without_edges_the_base_is_the_result(sizes):
    for what in MADE:
        model = model_of("relu", base=made(what))
        assert_fused_bits(model, feeds_of(model, **sizes))


def test_it_is_made_where_the_operators_run_one_by_one_inside_the_node():
    model = model_of("add", "nd", base=made("a number"))
    assert_fused_bits(model, feeds_of(model) | {"a": np.ones((1, 40), np.float32)})


def test_a_shape_that_is_none_is_an_error_of_the_run():
    model = model_of("relu", base=made("zeros"))
    one, other = runs_fused(model)
    feeds = feeds_of(model)
    for session in (one, other):
        with pytest.raises((errors.InvalidArgument, errors.Fail, errors.RuntimeException)):
            session.run(None, feeds | {"like": np.array([-6, 40])})
    assert_equal_runs(one, other, feeds)


def test_zeros_that_two_layers_begin_with_are_made_once_by_others():
    for what in MADE:
        after = 'h = Gather<axis = 0>(y, from) k = Relu(h) z = ScatterElements<axis = 0, reduction = "add">(base, e, k)'
        model = model_of("add relu", base=made(what), after=after, outputs=", float[t, c] z")
        operators = assert_fused_bits(model, feeds_of(model, sources=6))
        assert operators.count("ScatterElements") == 2
        assert maker(what) not in operators


def test_a_constant_base():
    rng = np.random.default_rng(1)
    for values in ("0, 0, 0, 0", "0, 0, 0, -0.0", "2, 2, 2, 2", "1, 2, 3, 4"):
        model = text_model(
            "g (float[n, 2] x, int64[e] from, int64[e, 1] column) => (float[2, 2] y)"
            f" <float[2, 2] base = {{ {values} }}>"
            ' { g = Gather<axis = 0>(x, from) m = Relu(g) y = ScatterND<reduction = "add">(base, column, m) }'
        )
        feeds = {"x": random_values(rng, (5, 2), "float32"), "from": rng.integers(0, 5, 9), "column": rng.integers(0, 2, (9, 1))}
        feeds["x"][feeds["x"] > 0] = -1
        assert_fused_bits(model, feeds)


def test_two_branches_with_other_values_of_one_name():
    branch = (
        " {{ base = ConstantOfShape<value = float[1] {{{value}}}>(like) g = Gather<axis = 0>(x, from)"
        ' y{name} = ScatterND<reduction = "add">(base, column, g) z{name} = Neg(base) }}'
    )
    parts = {
        name: f"{name} = {name} () => (float[t, c] y{name}, float[t, c] z{name})" + branch.format(name=name, value=value)
        for name, value in (("then_branch", "0"), ("else_branch", "3"))
    }
    model = text_model(
        "g (bool yes, float[n, c] x, int64[e] from, int64[e, 1] column, int64[2] like) => (float[t, c] y, float[t, c] z)"
        f" {{ y, z = If (yes) <{parts['then_branch']}, {parts['else_branch']}> }}"
    )
    feeds = feeds_of(model_of("", "nd", base=made("zeros")))
    assert_fused_bits(model, *(feeds | {"yes": np.array(yes)} for yes in (True, False)))


SHAPES = {"x": (9, 16, 3), "gate": (50, 16, 1), "length": (50, 16, 1), "direction": (50, 1, 3), "base": (6, 16, 3)}
STEPS = {
    "addend": "p = Mul(length, direction) m = Add(g, p)",
    "addend the other way round": "p = Mul(direction, length) m = Add(p, g)",
    "weight": "p = Mul(length, direction) m = Mul(g, p)",
    "weight and addend": "p = Mul(length, direction) v = Mul(p, g) q = Mul(gate, direction) m = Add(v, q)",
    "addend of weighted rows": "v = Mul(g, gate) p = Mul(length, direction) m = Add(v, p)",
}


def product_model_of(steps, kind="float", reduction="add", length="e, h, 1", direction="e, 1, c", after="", outputs=""):
    return text_model(
        f"g ({kind}[n, h, c] x, int64[e] from, {kind}[e, h, 1] gate, {kind}[{length}] length, {kind}[{direction}] direction,"
        f" int64[e, 1, 1] column, {kind}[t, h, c] base) => ({kind}[t, h, c] y{outputs})"
        f" {{ g = Gather<axis = 0>(x, from) {STEPS[steps]} s = Shape(m) e = Expand(column, s)"
        f' y = ScatterElements<axis = 0, reduction = "{reduction}">(base, e, m) {after} }}'
    )


def product_feeds_of(dtype="float32", **shapes):
    rng = np.random.default_rng(5)
    feeds = {name: random_values(rng, shape, dtype) for name, shape in (SHAPES | shapes).items()}
    edges = len(feeds["gate"])
    return feeds | {"from": rng.integers(0, 9, edges), "column": rng.integers(0, 6, (edges, 1, 1))}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("reduction", ["add", "max"])
@pytest.mark.parametrize("steps", STEPS)
def test_an_outer_product_is_made_in_the_node(steps, reduction, threads):
    for kind, dtype in (("float", "float32"), ("double", "float64")):
        model = product_model_of(steps, kind, reduction)
        operators = assert_fused_bits(model, product_feeds_of(dtype), threads=threads)
        assert operators.count("Mul") == STEPS[steps].count("Mul")


def test_many_rows_are_multiplied_by_several_threads():
    edges = {name: (3001, *SHAPES[name][1:]) for name in ("gate", "length", "direction")}
    assert_fused_bits(product_model_of("addend"), product_feeds_of(**edges), threads=3)


@pytest.mark.parametrize(
    "shapes", [{"length": (1, 16, 1)}, {"direction": (1, 1, 3)}, {"length": (1, 16, 1), "direction": (1, 1, 3)}]
)
def test_a_product_may_be_one_for_all_rows(shapes):
    for steps in ("addend", "weight"):
        assert_fused_bits(product_model_of(steps, length="f, h, 1", direction="f, 1, c"), product_feeds_of(**shapes))


def test_a_product_of_more_rows_runs_unfused_inside_the_node():
    feeds = product_feeds_of(gate=(1, 16, 1)) | {"column": np.arange(50).reshape(50, 1, 1) % 6}
    assert_fused_bits(product_model_of("addend", length="f, h, 1", direction="f, 1, c"), feeds)


def test_no_rows():
    empty = {name: (0, *SHAPES[name][1:]) for name in ("gate", "length", "direction")}
    assert_fused_bits(product_model_of("weight and addend"), product_feeds_of(**empty))


def test_another_product_is_made_outside():
    model = product_model_of("addend", length="e, h, c", direction="e, h, c")
    assert "Mul" not in assert_fused_bits(model, product_feeds_of(length=(50, 16, 3), direction=(50, 16, 3)))


def test_a_product_that_others_read_is_made_outside():
    for outputs, after in ((", float[e, h, c] p", ""), (", float[e, h, c] z", "z = Neg(p)")):
        model = product_model_of("addend", after=after, outputs=outputs)
        assert "Mul" not in assert_fused_bits(model, product_feeds_of())


def test_halves_are_left_as_onnxruntime_rounds_them_once():
    one, other = sessions(product_model_of("addend", "float16"))
    assert not fused(one)
    assert_equal_runs(one, other, product_feeds_of("float16"))


@pytest.mark.parametrize("name", ["from", "column"])
def test_an_index_out_of_bounds_is_the_error_of_the_node(name):
    for indices in INDICES:
        model = model_of("add relu", indices)
        assert_same_error(model, feeds_of(model), name)


def test_an_error_of_fused_nodes_names_the_nodes_of_the_model():
    model = model_of("relu")
    for node in model.graph.node:
        node.name = f"/layer/{node.op_type}"
    one, _ = runs_fused(model)
    bad = feeds_of(model) | {"from": np.full(50, 1000)}
    with pytest.raises(errors.InvalidArgument, match="fused .*: gather: indices") as error:
        one.run(None, bad)
    for name in ("Gather", "Relu", "Expand", "ScatterElements"):
        assert f"{name} '/layer/{name}'" in str(error.value)


def test_two_layers_share_their_edges():
    after = 'h = Gather<axis = 0>(y, from) k = Relu(h) z = ScatterElements<axis = 0, reduction = "add">(base, e, k)'
    model = model_of("add relu", after=after, outputs=", float[t, c] z")
    operators = assert_fused_bits(model, *[feeds_of(model, sources=6)] * 3, threads=2)
    assert operators.count("ScatterElements") == 2


@pytest.mark.parametrize("columns", [3, 64])
def test_indices_that_change_from_run_to_run(columns):
    model = model_of("mul add")
    one, other = runs_fused(model)
    graphs = [feeds_of(model, seed, edges=30 + seed % 3, columns=columns) for seed in range(7)]
    for seed in (0, 0, 1, 0, 2, 3, 4, 5, 6, 0, 5, 5, 1):
        assert_equal_runs(one, other, graphs[seed], times=1)


def test_indices_changed_in_place():
    model = model_of("mul")
    one, other = runs_fused(model)
    feeds = feeds_of(model)
    for place in range(50):
        feeds["column"][place] = (feeds["column"][place] + 1) % 6
        assert_equal_runs(one, other, feeds)


def test_two_threads_and_two_graphs_on_one_session():
    model = model_of("add relu")
    one, other = runs_fused(model, threads=2)
    graphs = [feeds_of(model, seed, edges=400) for seed in range(2)]
    wanted = [other.run(None, feeds)[0] for feeds in graphs]
    failures = []

    def work(which):
        for _ in range(50):
            if not np.array_equal(one.run(None, graphs[which])[0], wanted[which], equal_nan=True):
                failures.append(which)

    at_once(work, (0, 1, 0, 1))
    assert not failures

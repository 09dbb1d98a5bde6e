"""A gather, what is done to its rows, and a scatter as one node: the bits of the nodes one by one, and when it is one."""

import threading

import numpy as np
import onnxruntime
import onnxruntime_ep_strew as strew_ep
import pytest
from support import (
    OPERATORS,
    STREW,
    assert_same,
    cpu_session,
    random_values,
    scatter_elements,
    session_options,
    strew_session,
    text_model,
)

NUMPY = {"float": "float32", "double": "float64", "float16": "float16"}
STEPS = {
    "": "m = Identity(g)",
    "mul": "m = Mul(g, w)",
    "mul the other way round": "m = Mul(w, g)",
    "add": "m = Add(g, a)",
    "relu": "m = Relu(g)",
    "add relu": "r = Add(a, g) m = Relu(r)",
    "mul add": "r = Mul(g, w) m = Add(a, r)",
    "mul add relu": "q = Mul(g, w) r = Add(q, a) m = Relu(r)",
}
INDICES = {
    "nd": ("", 'y = ScatterND<reduction = "{}">(base, column, m)'),
    "elements": ("", 'e = Expand(column, shape) y = ScatterElements<axis = 0, reduction = "{}">(base, e, m)'),
    "own shape": ("", 's = Shape(m) e = Expand(column, s) y = ScatterElements<axis = 0, reduction = "{}">(base, e, m)'),
    "torchscript": (
        "zeros = Constant<value = int64[2] {0, 0}>()",
        "s = Shape(m) e = Expand(column, s) t = Shape(e) u = Slice(m, zeros, t)"
        ' y = ScatterElements<axis = 0, reduction = "{}">(base, e, u)',
    ),
}


def model_of(steps="mul add relu", indices="elements", reduction="add", kind="float", weight=None, after="", outputs=""):
    """A layer over `x`, with `from` and `column` for the edges; `after` may read more."""
    before, scatter = INDICES[indices]
    middle = STEPS[steps]
    if not steps:
        scatter, middle = scatter.replace("m)", "g)").replace("(m,", "(g,"), ""
    inputs = [f"{kind}[n, c] x, int64[e] from, int64[e, 1] column, {kind}[t, c] base"]
    inputs += [f"{kind}[{weight or 'e, 1'}] w"] if "w" in middle else []
    inputs += [f"{kind}[e, c] a"] if "a)" in middle or "a," in middle else []
    inputs += ["int64[2] shape"] if "shape)" in scatter else []
    return text_model(
        f"g ({', '.join(inputs)}) => ({kind}[t, c] y{outputs}) "
        f"{{ {before} g = Gather<axis = 0>(x, from) {middle} {scatter.replace('{}', reduction)} {after} }}"
    )


def feeds_of(model, seed=0, sources=9, targets=6, edges=50, columns=40, kind="float", hub=False, weight=None):
    """Operands with duplicate edges, targets without edges, NaN and infinities."""
    rng = np.random.default_rng(seed)
    dtype = NUMPY[kind]
    feeds = {
        "x": random_values(rng, (sources, columns), dtype),
        "from": rng.integers(-sources, sources, edges) if sources else np.zeros(0, np.int64),
        "column": np.full((edges, 1), 2) if hub else rng.integers(-targets, targets - 1, (edges, 1)),
        "base": random_values(rng, (targets, columns), dtype),
        "w": random_values(rng, weight or (edges, 1), dtype),
        "a": random_values(rng, (edges, columns), dtype),
        "shape": np.array([edges, columns]),
    }
    return {name: feeds[name] for name in (value.name for value in model.graph.input)}


def sessions(model, threads=1):
    """Fused and not."""
    return strew_session(model, threads), strew_session(model, threads, fuse=False)


def fused(session):
    """The operators of the nodes that run as one, in the order of their names."""
    return sorted(place.operator for place in strew_ep.placement(session) if place.fused)


def runs_fused(model, threads=1):
    """A session of each kind, of which the first has fused nodes."""
    one, other = sessions(model, threads)
    assert fused(one) and not fused(other)
    return one, other


def assert_equal_runs(one, other, feeds, times=2):
    """The same bits, also where the edges come again."""
    wanted = other.run(None, feeds)[0]
    for _ in range(times):
        assert_same(one.run(None, feeds)[0], wanted)


def error_of(session, feeds):
    """The message of a run that fails, without the node that failed."""
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument) as error:
        session.run(None, feeds)
    return str(error.value).rpartition("Status Message: ")[2]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("indices", INDICES)
@pytest.mark.parametrize("steps", STEPS)
def test_bits_are_those_of_the_nodes_one_by_one(steps, indices, threads):
    model = model_of(steps, indices)
    one, other = runs_fused(model, threads)
    for seed, columns in enumerate((1, 2, 7, 33, 64)):
        assert_equal_runs(one, other, feeds_of(model, seed, columns=columns))


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("kind", ["float", "double"])
def test_bits_of_every_reduction_and_type(reduction, kind):
    for indices in INDICES:
        model = model_of("mul add", indices, reduction, kind)
        one, other = runs_fused(model)
        assert_equal_runs(one, other, feeds_of(model, kind=kind))


@pytest.mark.parametrize("steps", ["", "mul", "add", "relu"])
def test_products_of_halves_are_rounded_as_by_a_node_of_their_own(steps):
    model = model_of(steps, kind="float16")
    one, other = runs_fused(model)
    for seed in range(5):
        assert_equal_runs(one, other, feeds_of(model, seed, kind="float16"))


def test_halves_with_two_steps_are_left_as_onnxruntime_rounds_them_once():
    model = model_of("mul add", kind="float16")
    one, other = sessions(model)
    assert not fused(one)
    assert_equal_runs(one, other, feeds_of(model, kind="float16"))


def test_random_graphs_give_what_the_cpu_provider_gives_on_one_thread():
    rng = np.random.default_rng(7)
    model = model_of("mul add relu", "elements")
    session, _ = runs_fused(model)
    reference = cpu_session(model)
    for seed in range(20):
        edges, sources, targets = (int(n) for n in rng.integers(1, 60, 3))
        feeds = feeds_of(model, seed, sources, targets + 1, edges, int(rng.integers(1, 70)))
        assert_same(session.run(None, feeds)[0], reference.run(None, feeds)[0])


@pytest.mark.parametrize(
    "sizes",
    [{"edges": 0}, {"columns": 0}, {"edges": 0, "sources": 0}, {"hub": True, "edges": 3000}, {"edges": 1, "targets": 500}],
)
def test_graphs_at_the_edge(sizes):
    for indices in INDICES:
        model = model_of("add relu", indices)
        one, other = runs_fused(model, threads=2)
        assert_equal_runs(one, other, feeds_of(model, **sizes))


@pytest.mark.parametrize(
    ("weight", "shape"),
    [("1, c", (1, 40)), ("c", (40,)), ("e, c", (50, 40)), ("k", (1,)), ("", ()), ("k, c", (50, 40)), ("k, l", (1, 1))],
)
def test_weights_are_broadcast_as_onnx_does(weight, shape):
    for steps in ("mul", "mul the other way round"):
        model = model_of(steps, weight=weight or "1")
        if not weight:
            del next(v for v in model.graph.input if v.name == "w").type.tensor_type.shape.dim[:]
        one, other = runs_fused(model)
        feeds = feeds_of(model, weight=shape or None)
        assert_equal_runs(one, other, feeds if shape else feeds | {"w": np.array(3, np.float32)})


def test_a_weight_that_makes_more_rows_runs_unfused_inside_the_node():
    model = text_model(
        "g (float[n, c] x, int64[e] from, float[k, c] w, int64[f, 1] column, int64[2] shape, float[t, c] base)"
        " => (float[t, c] y) { g = Gather<axis = 0>(x, from) m = Mul(g, w) e = Expand(column, shape)"
        ' y = ScatterElements<axis = 0, reduction = "add">(base, e, m) }'
    )
    one, other = runs_fused(model)
    feeds = feeds_of(model_of("mul"), edges=1) | {"w": random_values(np.random.default_rng(3), (20, 40), "float32")}
    feeds |= {"column": np.arange(20)[:, None] % 6, "shape": np.array([20, 40])}
    assert_equal_runs(one, other, feeds)


def test_the_first_axis_counted_from_the_end():
    model = model_of("add relu")
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "axis":
                attribute.i = -2
    one, other = runs_fused(model)
    assert_equal_runs(one, other, feeds_of(model))


def test_rows_with_heads():
    model = text_model(
        "g (float[n, h, c] x, int64[e] from, float[e, h, 1] w, float[e, 1, c] a, int64[e, 1, 1] column, float[t, h, c] base)"
        " => (float[t, h, c] y) { g = Gather<axis = 0>(x, from) p = Mul(w, g) m = Add(p, a) s = Shape(m)"
        ' e = Expand(column, s) y = ScatterElements<axis = 0, reduction = "add">(base, e, m) }'
    )
    one, other = runs_fused(model)
    rng = np.random.default_rng(5)
    shapes = {"x": (9, 16, 3), "w": (50, 16, 1), "a": (50, 1, 3), "base": (6, 16, 3)}
    feeds = {name: random_values(rng, shape, "float32") for name, shape in shapes.items()}
    feeds |= {"from": rng.integers(0, 9, 50), "column": rng.integers(0, 6, (50, 1, 1))}
    assert_equal_runs(one, other, feeds)


@pytest.mark.parametrize("steps", ["relu", "add relu"])
def test_negative_zero_in_the_base_stays_as_relu_leaves_it(steps):
    model = model_of(steps)
    one, other = runs_fused(model)
    feeds = feeds_of(model)
    for name in {"x", "a"} & feeds.keys():
        feeds[name][:] = -0.0
    feeds["base"][:] = -0.0
    wanted = other.run(None, feeds)[0]
    assert np.signbit(wanted).all()
    assert one.run(None, feeds)[0].tobytes() == wanted.tobytes()


def test_relu_before_a_maximum_is_left():
    assert not fused(strew_session(model_of("relu", reduction="max")))


@pytest.mark.parametrize("name", ["from", "column"])
def test_an_index_out_of_bounds_is_the_error_of_the_node(name):
    for indices in INDICES:
        model = model_of("add relu", indices)
        one, other = runs_fused(model)
        feeds = feeds_of(model)
        good = one.run(None, feeds)[0]
        bad = feeds | {name: np.where(np.arange(50).reshape(feeds[name].shape) == 7, 1000, feeds[name])}
        message = error_of(one, bad)
        assert "1000 is outside" in message
        assert message == error_of(other, bad)
        assert_same(one.run(None, feeds)[0], good)


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
    one, other = runs_fused(model)
    assert fused(one) == ["Add", "Gather", "Relu", "ScatterElements"]
    feeds = feeds_of(model)
    for result, wanted in zip(one.run(None, feeds), other.run(None, feeds), strict=True):
        assert_same(result, wanted)


def test_two_layers_share_their_edges():
    after = 'h = Gather<axis = 0>(y, from) k = Relu(h) z = ScatterElements<axis = 0, reduction = "add">(base, e, k)'
    model = model_of("add relu", after=after, outputs=", float[t, c] z")
    one, other = runs_fused(model, threads=2)
    assert fused(one).count("ScatterElements") == 2
    feeds = feeds_of(model, sources=6)
    for _ in range(3):
        for result, wanted in zip(one.run(None, feeds), other.run(None, feeds), strict=True):
            assert_same(result, wanted)


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


def test_constant_indices():
    model = model_of("mul", "nd")
    feeds = feeds_of(model)
    elements = text_model(
        "g (float[n, c] x, float[50, 1] w, float[6, 40] base) => (float[6, 40] y)"
        f" <int64[50] from = {{ {', '.join(map(str, feeds['from']))} }},"
        f" int64[50, 40] e = {{ {', '.join(map(str, np.repeat(feeds['column'], 40, 1).reshape(-1)))} }}>"
        ' { g = Gather<axis = 0>(x, from) m = Mul(g, w) y = ScatterElements<axis = 0, reduction = "add">(base, e, m) }'
    )
    one, other = runs_fused(elements)
    assert_equal_runs(one, other, {name: feeds[name] for name in ("x", "w", "base")})


def test_constant_indices_that_differ_along_a_row_run_unfused_inside_the_node():
    rng = np.random.default_rng(0)
    index = rng.integers(0, 6, (5, 4))
    model = text_model(
        "g (float[9, 4] x, int64[5] from, float[6, 4] base) => (float[6, 4] y)"
        f" <int64[5, 4] e = {{ {', '.join(map(str, index.reshape(-1)))} }}>"
        ' { g = Gather<axis = 0>(x, from) m = Relu(g) y = ScatterElements<axis = 0, reduction = "add">(base, e, m) }'
    )
    session = strew_session(model)
    assert fused(session)
    x, base = random_values(rng, (9, 4), "float32"), random_values(rng, (6, 4), "float32")
    source = rng.integers(0, 9, 5)
    wanted = scatter_elements(base, index, np.where(x[source] < 0, 0, x[source]), 0, "add")
    assert_same(session.run(None, {"x": x, "from": source, "base": base})[0], wanted)


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

    workers = [threading.Thread(target=work, args=(i % 2,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_in_the_body_of_a_branch():
    model = text_model(
        "g (bool yes, float[n, c] x, int64[e] from, int64[e, 1] column, float[t, c] base) => (float[t, c] y) {"
        " y = If (yes) <then_branch = t () => (float[t, c] p)"
        ' { g = Gather<axis = 0>(x, from) m = Relu(g) p = ScatterND<reduction = "add">(base, column, m) },'
        " else_branch = f () => (float[t, c] q) { q = Neg(base) }> }"
    )
    one, other = runs_fused(model)
    feeds = feeds_of(model_of("relu", "nd"))
    for yes in (True, False):
        assert_equal_runs(one, other, feeds | {"yes": np.array(yes)})


def test_the_optimised_model_can_be_saved(tmp_path):
    model = model_of("add relu")
    options = session_options()
    options.optimized_model_filepath = str(tmp_path / "saved.onnx")
    session = strew_session(model, options=options)
    assert not fused(session)
    assert (tmp_path / "saved.onnx").stat().st_size > 0


def test_an_option_that_is_neither_on_nor_off():
    with pytest.raises(ValueError, match="option fuse is 'maybe', 0 or 1 is wanted"):
        strew_session(model_of("relu"), fuse="maybe")


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

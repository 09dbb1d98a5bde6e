"""Fused nodes give the bits of separate nodes."""

import numpy as np
import pytest
from fusion_models import INDICES, STEPS, assert_equal_runs, assert_fused_bits
from fusion_models import can_be_fused, feeds_of, fused, model_of, runs_fused, sessions
from support import assert_same, cpu_session, random_values, scatter_elements, strew_session, text_model


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("indices", INDICES)
@pytest.mark.parametrize("steps", STEPS)
def test_bits_are_those_of_the_nodes_one_by_one(steps, indices, threads):
    model = model_of(steps, indices)
    feeds = (feeds_of(model, seed, columns=columns) for seed, columns in enumerate((1, 2, 7, 33, 64)))
    assert_fused_bits(model, *feeds, threads=threads)


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("kind", ["float", "double"])
def test_bits_of_every_reduction_and_type(reduction, kind):
    for indices in INDICES:
        model = model_of("mul add", indices, reduction, kind)
        assert_fused_bits(model, feeds_of(model, kind=kind))


@pytest.mark.parametrize("steps", ["", "mul", "add", "relu"])
def test_products_of_halves_are_rounded_as_by_a_node_of_their_own(steps):
    model = model_of(steps, kind="float16")
    assert_fused_bits(model, *(feeds_of(model, seed, kind="float16") for seed in range(5)))


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
        assert_fused_bits(model, feeds_of(model, **sizes), threads=2)


@pytest.mark.parametrize(
    ("weight", "shape"),
    [("1, c", (1, 40)), ("c", (40,)), ("e, c", (50, 40)), ("k", (1,)), ("", ()), ("k, c", (50, 40)), ("k, l", (1, 1))],
)
def test_weights_are_broadcast_as_onnx_does(weight, shape):
    for steps in ("mul", "mul the other way round"):
        model = model_of(steps, weight=weight or "1")
        if not weight:
            del next(v for v in model.graph.input if v.name == "w").type.tensor_type.shape.dim[:]
        feeds = feeds_of(model, weight=shape or None)
        assert_fused_bits(model, feeds if shape else feeds | {"w": np.array(3, np.float32)})


def test_a_weight_that_makes_more_rows_runs_unfused_inside_the_node():
    model = text_model(
        "g (float[n, c] x, int64[e] from, float[k, c] w, int64[f, 1] column, int64[2] shape, float[t, c] base)"
        " => (float[t, c] y) { g = Gather<axis = 0>(x, from) m = Mul(g, w) e = Expand(column, shape)"
        ' y = ScatterElements<axis = 0, reduction = "add">(base, e, m) }'
    )
    feeds = feeds_of(model_of("mul"), edges=1) | {"w": random_values(np.random.default_rng(3), (20, 40), "float32")}
    feeds |= {"column": np.arange(20)[:, None] % 6, "shape": np.array([20, 40])}
    assert_fused_bits(model, feeds)


def test_the_first_axis_counted_from_the_end():
    model = model_of("add relu")
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.name == "axis":
                attribute.i = -2
    assert_fused_bits(model, feeds_of(model))


def test_rows_with_heads():
    model = text_model(
        "g (float[n, h, c] x, int64[e] from, float[e, h, 1] w, float[e, 1, c] a, int64[e, 1, 1] column, float[t, h, c] base)"
        " => (float[t, h, c] y) { g = Gather<axis = 0>(x, from) p = Mul(w, g) m = Add(p, a) s = Shape(m)"
        ' e = Expand(column, s) y = ScatterElements<axis = 0, reduction = "add">(base, e, m) }'
    )
    rng = np.random.default_rng(5)
    shapes = {"x": (9, 16, 3), "w": (50, 16, 1), "a": (50, 1, 3), "base": (6, 16, 3)}
    feeds = {name: random_values(rng, shape, "float32") for name, shape in shapes.items()}
    feeds |= {"from": rng.integers(0, 9, 50), "column": rng.integers(0, 6, (50, 1, 1))}
    assert_fused_bits(model, feeds)


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("steps", ["relu", "add relu"])
def test_negative_zeros_stay_as_relu_leaves_them(steps, reduction):
    model = model_of(steps, reduction=reduction)
    one, other = runs_fused(model)
    assert_equal_runs(one, other, feeds_of(model))
    feeds = feeds_of(model)
    for name in {"x", "a"} & feeds.keys():
        feeds[name][:] = -0.0
    feeds["base"][:] = -0.0
    wanted = other.run(None, feeds)[0]
    assert np.signbit(wanted).any() or not can_be_fused(model)
    assert one.run(None, feeds)[0].tobytes() == wanted.tobytes()


def test_constant_indices():
    model = model_of("mul", "nd")
    feeds = feeds_of(model)
    elements = text_model(
        "g (float[n, c] x, float[50, 1] w, float[6, 40] base) => (float[6, 40] y)"
        f" <int64[50] from = {{ {', '.join(map(str, feeds['from']))} }},"
        f" int64[50, 40] e = {{ {', '.join(map(str, np.repeat(feeds['column'], 40, 1).reshape(-1)))} }}>"
        ' { g = Gather<axis = 0>(x, from) m = Mul(g, w) y = ScatterElements<axis = 0, reduction = "add">(base, e, m) }'
    )
    assert_fused_bits(elements, {name: feeds[name] for name in ("x", "w", "base")})


def test_constant_indices_that_differ_along_a_row_run_unfused_inside_the_node():
    rng = np.random.default_rng(0)
    index = rng.integers(0, 6, (5, 4))
    model = text_model(
        "g (float[9, 4] x, int64[5] from, float[6, 4] base) => (float[6, 4] y)"
        f" <int64[5, 4] e = {{ {', '.join(map(str, index.reshape(-1)))} }}>"
        ' { g = Gather<axis = 0>(x, from) y = ScatterElements<axis = 0, reduction = "add">(base, e, g) }'
    )
    session = strew_session(model)
    assert fused(session)
    x, base = random_values(rng, (9, 4), "float32"), random_values(rng, (6, 4), "float32")
    source = rng.integers(0, 9, 5)
    wanted = scatter_elements(base, index, x[source], 0, "add")
    assert_same(session.run(None, {"x": x, "from": source, "base": base})[0], wanted)

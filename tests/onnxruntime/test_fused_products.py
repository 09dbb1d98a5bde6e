"""A weight or an addend that is an outer product, which the fused node makes itself."""

import numpy as np
import pytest
from fusion_models import assert_equal_runs, fused, runs_fused, sessions
from support import assert_same, random_values, text_model

SHAPES = {"x": (9, 16, 3), "gate": (50, 16, 1), "length": (50, 16, 1), "direction": (50, 1, 3), "base": (6, 16, 3)}
STEPS = {
    "addend": "p = Mul(length, direction) m = Add(g, p)",
    "addend the other way round": "p = Mul(direction, length) m = Add(p, g)",
    "weight": "p = Mul(length, direction) m = Mul(g, p)",
    "weight and addend": "p = Mul(length, direction) v = Mul(p, g) q = Mul(gate, direction) m = Add(v, q)",
    "addend of weighted rows": "v = Mul(g, gate) p = Mul(length, direction) m = Add(v, p)",
}


def model_of(steps, kind="float", reduction="add", length="e, h, 1", direction="e, 1, c", after="", outputs=""):
    return text_model(
        f"g ({kind}[n, h, c] x, int64[e] from, {kind}[e, h, 1] gate, {kind}[{length}] length, {kind}[{direction}] direction,"
        f" int64[e, 1, 1] column, {kind}[t, h, c] base) => ({kind}[t, h, c] y{outputs})"
        f" {{ g = Gather<axis = 0>(x, from) {STEPS[steps]} s = Shape(m) e = Expand(column, s)"
        f' y = ScatterElements<axis = 0, reduction = "{reduction}">(base, e, m) {after} }}'
    )


def feeds_of(dtype="float32", **shapes):
    rng = np.random.default_rng(5)
    feeds = {name: random_values(rng, shape, dtype) for name, shape in (SHAPES | shapes).items()}
    edges = len(feeds["gate"])
    return feeds | {"from": rng.integers(0, 9, edges), "column": rng.integers(0, 6, (edges, 1, 1))}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("reduction", ["add", "max"])
@pytest.mark.parametrize("steps", STEPS)
def test_an_outer_product_is_made_in_the_node(steps, reduction, threads):
    for kind, dtype in (("float", "float32"), ("double", "float64")):
        model = model_of(steps, kind, reduction)
        one, other = runs_fused(model, threads)
        assert fused(one).count("Mul") == STEPS[steps].count("Mul")
        assert_equal_runs(one, other, feeds_of(dtype))


def test_many_rows_are_multiplied_by_several_threads():
    model = model_of("addend")
    one, other = runs_fused(model, threads=3)
    edges = {name: (3001, *SHAPES[name][1:]) for name in ("gate", "length", "direction")}
    assert_equal_runs(one, other, feeds_of(**edges))


@pytest.mark.parametrize(
    "shapes", [{"length": (1, 16, 1)}, {"direction": (1, 1, 3)}, {"length": (1, 16, 1), "direction": (1, 1, 3)}]
)
def test_a_product_may_be_one_for_all_rows(shapes):
    for steps in ("addend", "weight"):
        one, other = runs_fused(model_of(steps, length="f, h, 1", direction="f, 1, c"))
        assert_equal_runs(one, other, feeds_of(**shapes))


def test_a_product_of_more_rows_runs_unfused_inside_the_node():
    model = model_of("addend", length="f, h, 1", direction="f, 1, c")
    one, other = runs_fused(model)
    feeds = feeds_of(gate=(1, 16, 1))
    feeds["column"] = np.arange(50).reshape(50, 1, 1) % 6
    assert_equal_runs(one, other, feeds)


def test_no_rows():
    one, other = runs_fused(model_of("weight and addend"))
    empty = {name: (0, *SHAPES[name][1:]) for name in ("gate", "length", "direction")}
    assert_equal_runs(one, other, feeds_of(**empty))


def test_another_product_is_made_outside():
    one, other = runs_fused(model_of("addend", length="e, h, c", direction="e, h, c"))
    assert "Mul" not in fused(one)
    assert_equal_runs(one, other, feeds_of(length=(50, 16, 3), direction=(50, 16, 3)))


def test_a_product_that_others_read_is_made_outside():
    for outputs, after in ((", float[e, h, c] p", ""), (", float[e, h, c] z", "z = Neg(p)")):
        one, other = runs_fused(model_of("addend", after=after, outputs=outputs))
        assert "Mul" not in fused(one)
        for result, wanted in zip(one.run(None, feeds_of()), other.run(None, feeds_of()), strict=True):
            assert_same(result, wanted)


def test_halves_are_left_as_onnxruntime_rounds_them_once():
    one, other = sessions(model_of("addend", "float16"))
    assert not fused(one)
    assert_equal_runs(one, other, feeds_of("float16"))

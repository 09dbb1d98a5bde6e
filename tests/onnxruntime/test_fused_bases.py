"""A base that is one value all over, made inside the fused node or known to it."""

import numpy as np
import pytest
from fusion_models import INDICES, assert_equal_runs, feeds_of, fused, model_of, runs_fused, sessions
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from support import assert_same, random_values, text_model

MADE = {
    "zeros": "base = ConstantOfShape(like)",
    "zeros by value": "base = ConstantOfShape<value = {kind}[1] {{0}}>(like)",
    "a number": "base = ConstantOfShape<value = {kind}[1] {{2.5}}>(like)",
    "negative zeros": "base = ConstantOfShape<value = {kind}[1] {{-0.0}}>(like)",
    "expanded": "zero = Constant<value = {kind} {{0}}>() base = Expand(zero, like)",
    "expanded from one axis": "one = Constant<value = {kind}[1] {{1}}>() base = Expand(one, like)",
}


HALVES = {"{2.5}": "{16640}", "{-0.0}": "{32768}", "{1}": "{15360}"}  # the parser wants the bits


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
        one, other = runs_fused(model, threads=2)
        assert maker(what) in fused(one)
        for columns in (2, 33):
            assert_equal_runs(one, other, feeds_of(model, columns=columns))


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("kind", ["double", "float16"])
def test_every_reduction_begins_with_it(reduction, kind):
    for what in MADE:
        if what == "zeros":
            continue  # float
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
    one, other = runs_fused(model, threads=3)
    assert_equal_runs(one, other, feeds_of(model, targets=9001, columns=65))


@pytest.mark.parametrize("sizes", [{"edges": 0}, {"columns": 0}, {"edges": 0, "targets": 1}])
def test_without_edges_the_base_is_the_result(sizes):
    for what in MADE:
        model = model_of("relu", base=made(what))
        one, other = runs_fused(model)
        assert_equal_runs(one, other, feeds_of(model, **sizes))


def test_it_is_made_where_the_operators_run_one_by_one_inside_the_node():
    model = model_of("add", "nd", base=made("a number"))
    one, other = runs_fused(model)
    assert_equal_runs(one, other, feeds_of(model) | {"a": np.ones((1, 40), np.float32)})


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
        one, other = runs_fused(model)
        assert fused(one).count("ScatterElements") == 2
        assert maker(what) not in fused(one)
        feeds = feeds_of(model, sources=6)
        for result, wanted in zip(one.run(None, feeds), other.run(None, feeds), strict=True):
            assert_same(result, wanted)


def test_a_constant_base():
    rng = np.random.default_rng(1)
    for values in ("0, 0, 0, 0", "0, 0, 0, -0.0", "2, 2, 2, 2", "1, 2, 3, 4"):
        model = text_model(
            "g (float[n, 2] x, int64[e] from, int64[e, 1] column) => (float[2, 2] y)"
            f" <float[2, 2] base = {{ {values} }}>"
            ' { g = Gather<axis = 0>(x, from) m = Relu(g) y = ScatterND<reduction = "add">(base, column, m) }'
        )
        one, other = runs_fused(model)
        feeds = {"x": random_values(rng, (5, 2), "float32"), "from": rng.integers(0, 5, 9), "column": rng.integers(0, 2, (9, 1))}
        feeds["x"][feeds["x"] > 0] = -1
        assert_equal_runs(one, other, feeds)


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
    one, other = runs_fused(model)
    feeds = feeds_of(model_of("", "nd", base=made("zeros")))
    for yes in (True, False):
        assert_equal_runs(one, other, feeds | {"yes": np.array(yes)})

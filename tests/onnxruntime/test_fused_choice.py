"""Which nodes run as one, and how one sees it."""

import numpy as np
import onnxruntime_ep_strew as strew_ep
import pytest
from fusion_models import assert_equal_runs, feeds_of, fused, model_of, runs_fused
from support import OPERATORS, STREW, assert_same, session_options, strew_session, text_model


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


LAYER = text_model(
    "g (float[n, c] x, int64[e] src, float[e, 1] w, int64[e, 1] dst, float[t, c] base) => (float[t, c] y)"
    ' { a = Sigmoid(w) g = Gather(x, src) m = Mul(g, a) y = ScatterND<reduction = "add">(base, dst, m) }'
)
CONCAT = text_model(
    "g (float[n, c] x, int64[e] src, float[e, d] w, float[1, d] b) => (float[e, f] y)"
    " { a = Add(w, b) g = Gather(x, src) y = Concat<axis = 1>(g, a) }"
)


@pytest.mark.parametrize("model", [LAYER, CONCAT], ids=["scatter", "Concat"])
def test_a_session_with_fused_nodes_prints_no_warning(model, capfd):
    session = strew_ep.session(model)  # with ONNX Runtime's own level of messages
    assert fused(session)
    assert capfd.readouterr().err == ""

"""Tests a Concat of gathers as a fused node: the bits of separate nodes, and the conditions for fusion."""

import numpy as np
import onnxruntime_ep_strew as strew_ep
import pytest
from fusion_models import assert_equal_runs, assert_fused_bits, assert_same_error, error_of, fused, runs_fused, sessions
from onnx import numpy_helper
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from support import OPERATORS, STREW, random_values, session_options, strew_session, text_model

RNG = np.random.default_rng


def edge_model(axis=-1, parts="f, w, t", kind="float", after="", outputs=""):
    """Return a model that concatenates, for each edge, the rows of its two nodes and its own features."""
    return text_model(
        f"g ({kind}[n, c] x, int64[e] source, int64[e] target, {kind}[e, d] w) => ({kind}[p, q] y{outputs})"
        f" {{ f = Gather<axis = 0>(x, source) t = Gather<axis = 0>(x, target) y = Concat<axis = {axis}>({parts}) {after} }}"
    )


def edge_feeds(seed=0, nodes=9, edges=50, columns=16, own=16, dtype="float32"):
    rng = RNG(seed)
    return {
        "x": random_values(rng, (nodes, columns), dtype),
        "source": rng.integers(-nodes, nodes, edges) if nodes else np.zeros(edges, np.int64),
        "target": rng.integers(-nodes, nodes, edges) if nodes else np.zeros(edges, np.int64),
        "w": random_values(rng, (edges, own), dtype),
    }


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("parts", ["f, t", "f, w, t", "w, f", "f", "w, w, t, f", "f, f, t"])
def test_bits_are_those_of_the_nodes_one_by_one(parts, axis, threads):
    model = edge_model(axis, parts)
    sizes = [(columns, columns if axis in (0, -2) else 5) for columns in (1, 2, 7, 33, 64)]
    feeds = (edge_feeds(seed, columns=columns, own=own) for seed, (columns, own) in enumerate(sizes))
    operators = assert_fused_bits(model, *feeds, threads=threads)
    assert operators == ["Concat"] + ["Gather"] * len({"f", "t"} & set(parts.split(", ")))


@pytest.mark.parametrize("kind", ["double", "float16", "int64", "int32", "uint8", "bool", "int16"])
def test_every_width(kind):
    dtype = {"double": "float64"}.get(kind, kind)
    assert_fused_bits(edge_model(kind=kind), edge_feeds(dtype=dtype))


def test_many_rows_are_moved_by_several_threads():
    for axis, columns, own in ((0, 64, 64), (1, 64, 100), (1, 1, 1), (1, 3, 70)):
        feeds = edge_feeds(nodes=500, edges=6000, columns=columns, own=own)
        assert_fused_bits(edge_model(axis), feeds, threads=3)


@pytest.mark.parametrize("sizes", [{"edges": 0}, {"columns": 0}, {"own": 0}, {"edges": 0, "nodes": 0}, {"edges": 1}])
def test_parts_without_elements(sizes):
    assert_fused_bits(edge_model(), edge_feeds(**sizes))


@pytest.mark.parametrize(
    ("gather", "shape", "index"),
    [
        ("axis = 1", (3, 5, 4), (6,)),
        ("axis = -1", (3, 5, 4), (2, 6)),
        ("axis = 2", (2, 2, 3, 2), (1,)),
        ("axis = 0", (4, 5), (2, 3)),
        ("axis = 0", (7,), (3, 2)),
        ("axis = 1", (3, 5, 4), ()),
    ],
)
def test_any_rank_and_any_axis(gather, shape, index):
    rng = RNG(3)
    axis = int(gather.split()[-1]) % len(shape)
    rank = len(shape) + len(index) - 1
    for to in range(-rank, rank):
        model = text_model(
            f"g (float[{', '.join('abcd'[: len(shape)])}] x, float[{', '.join('mnop'[:rank])}] w,"
            f" int32[{', '.join('ij'[: len(index)]) or '1'}] index) => (float[{', '.join('qrst'[:rank])}] y)"
            f" {{ g = Gather<{gather}>(x, index) h = Gather<{gather}>(x, index) y = Concat<axis = {to}>(g, w, h) }}"
        )
        if not index:
            del model.graph.input[2].type.tensor_type.shape.dim[:]
        rows = (*shape[:axis], *index, *shape[axis + 1 :])
        feeds = {"x": random_values(rng, shape, "float32"), "w": random_values(rng, rows, "float32")}
        assert_fused_bits(model, feeds | {"index": rng.integers(0, shape[axis], index).astype(np.int32)})


@pytest.mark.parametrize("name", ["source", "target"])
def test_an_index_out_of_bounds_is_the_error_of_the_gather(name):
    assert_same_error(edge_model(), edge_feeds(), name, "indices[7] = 1000 is outside")


def test_parts_that_do_not_fit_are_an_error_of_the_run():
    one, other = runs_fused(edge_model())
    feeds = edge_feeds() | {"w": np.zeros((49, 3), np.float32)}
    assert "concat: input 1 has shape [49, 3], and input 0 has [50, 16]" in error_of(one, feeds)
    with pytest.raises((errors.InvalidArgument, errors.Fail, errors.RuntimeException)):
        other.run(None, feeds)


def cache_model(axis, parts):
    return text_model(
        f"g (float[a, b] past, float[n, d] x, int64[k] i, float[p, q] late) => (float[r, s] y)"
        f" {{ g = Gather<axis = 0>(x, i) y = Concat<axis = {axis}>({parts}) }}"
    )


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("parts", ["past, g, late", "g, past, late", "g, late, past"])
def test_an_input_without_elements_is_left_out_where_it_does_not_fit(parts, axis):
    others = {"x": random_values(RNG(1), (4, 3), "float32"), "late": random_values(RNG(2), (2, 3), "float32")}
    shapes = (0, 0), (0, 3) if axis in (0, -2) else (2, 0)
    feeds = (others | {"past": np.zeros(shape, "f4"), "i": np.array([1, 2])} for shape in shapes)
    assert_fused_bits(cache_model(axis, parts), *feeds)


def test_all_inputs_may_be_without_elements():
    feeds = {"past": np.zeros((0, 0), "f4"), "x": np.ones((4, 3), "f4"), "i": np.zeros(0, np.int64)}
    for parts in ("past, g", "g, past", "past, late, g"):
        assert_fused_bits(cache_model(0, parts), feeds | {"late": np.zeros((0, 7), "f4")})


def test_an_input_without_elements_that_would_lengthen_the_output_is_refused():
    session = strew_session(cache_model(0, "past, g"))
    feeds = {"past": np.zeros((5, 0), "f4"), "x": np.ones((4, 3), "f4"), "i": np.array([1, 2]), "late": np.ones((1, 1), "f4")}
    assert "concat: input 0 has shape [5, 0], and input 1 has [2, 3]; the shapes must be equal except along axis 0" in error_of(session, feeds)


def test_an_index_of_a_gather_that_is_left_out_is_checked():
    one, other = runs_fused(cache_model(1, "g, late"))
    feeds = {"past": np.zeros((0, 0), "f4"), "x": np.ones((4, 0), "f4"), "i": np.array([1, 9]), "late": np.ones((3, 3), "f4")}
    assert error_of(one, feeds) == error_of(other, feeds)
    assert_equal_runs(one, other, feeds | {"i": np.array([1, 2])})


@pytest.mark.parametrize("axis", [0, 1])
def test_rows_taken_by_gather_nd(axis):
    model = text_model(
        "g (float[n, c] x, int64[e] source, int64[e] target, float[e, d] w, int64[1] last) => (float[p, q] y)"
        f" {{ s = Unsqueeze(source, last) t = Unsqueeze(target, last) f = GatherND(x, s) h = GatherND<batch_dims = 0>(x, t)"
        f" y = Concat<axis = {axis}>(f, w, h) }}"
    )
    # Only a constant axis shows that the last dimension is 1.
    model.graph.initializer.append(numpy_helper.from_array(np.array([-1]), "last"))
    del model.graph.input[4]
    one, other = runs_fused(model)
    assert fused(one) == ["Concat", "GatherND", "GatherND"]
    for columns, edges in ((16, 50), (1, 50), (64, 3000), (16, 0)):
        assert_equal_runs(one, other, edge_feeds(columns=columns, own=columns, edges=edges))
    bad = edge_feeds() | {"target": np.full(50, 1000)}
    assert "gather_nd: indices[0, 0] = 1000 is outside" in error_of(one, bad)
    assert error_of(one, bad) == error_of(other, bad)


def test_tuples_of_several_indices_are_gathered_apart():
    model = text_model(
        "g (float[n, c] x, int64[e, 2] pairs, float[d] w) => (float[p] y) { f = GatherND(x, pairs) y = Concat<axis = 0>(f, w) }"
    )
    session = strew_session(model)
    assert not fused(session)
    (place,) = [place for place in strew_ep.placement(session) if place.operator == "GatherND"]
    assert place.reason == "it has batch_dims, or its index tuples are not known to have exactly one component"


def test_constant_indices_and_constant_data():
    model = text_model(
        "g (float[n, 2] x, int64[e] at) => (float[e, 4] y)"
        " <float[3, 2] table = { 1, 2, 3, 4, 5, 6 }, int64[4] first = { 1, 0, -1, 1 }>"
        " { f = Gather<axis = 0>(table, at) t = Gather<axis = 0>(x, first) y = Concat<axis = 1>(f, t) }"
    )
    assert_fused_bits(model, {"x": random_values(RNG(0), (3, 2), "float32"), "at": np.array([2, 0, 1, -1])})


def test_a_second_reader_keeps_its_gather_outside():
    for outputs, after in ((", float[e, c] t", ""), (", float[e, c] z", "z = Neg(t)")):
        model = edge_model(after=after, outputs=outputs)
        one, other = sessions(model)
        assert fused(one) == ["Concat", "Gather"]
        assert_equal_runs(one, other, edge_feeds())


def test_a_concat_without_gathers_of_its_own_is_left():
    assert not fused(strew_session(edge_model(parts="w, w")))
    assert not fused(strew_session(edge_model(), operators=[name for name in OPERATORS if name != "Gather"]))


def test_a_gather_of_a_shape_is_left():
    model = text_model(
        "g (float[n, c] x, int64[k] at) => (int64[m] y) { s = Shape(x) g = Gather<axis = 0>(s, at) y = Concat<axis = 0>(g, at) }"
    )
    assert not fused(strew_session(model))


def test_placement_and_summary_show_what_runs_as_one_node():
    session = strew_session(edge_model())
    places = strew_ep.placement(session)
    assert {(place.provider, place.reason) for place in places} == {(STREW, "")}
    assert {place.fused for place in places} == {"Concat"}
    assert "     2 Gather          taken, fused\n" in str(strew_ep.summary(session))


def test_a_profile_shows_one_node(tmp_path):
    options = session_options()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    session = strew_session(edge_model(), options=options)
    session.run(None, edge_feeds())
    profile = open(session.end_profiling()).read()
    assert profile.count("_kernel_time") == 1
    assert STREW in profile

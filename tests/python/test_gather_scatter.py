"""Fused gather-scatter has the bits of the operators one after the other, on the caller's own arrays."""

import pickle

import numpy as np
import pytest

import strew

ml_dtypes = pytest.importorskip("ml_dtypes")

TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]


def graph(rng, edges=300, sources=40, targets=25):
    return rng.integers(-sources, sources, edges), rng.integers(0, targets, edges), sources, targets


def one_by_one(data, source, target, size, weight=None, addend=None, relu=False, reduction="add"):
    messages = strew.gather(data, source)
    pad = (..., *[None] * (data.ndim - 1))
    if weight is not None:
        messages = messages * weight[pad]
    if addend is not None:
        messages = messages + addend
    if relu:
        messages = np.where(messages <= 0, messages.dtype.type(0), messages)
    zeros = np.zeros((size, *data.shape[1:]), data.dtype)
    return strew.scatter_nd(zeros, target[:, None], messages, reduction, include_self=reduction == "add")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("reduction", ["add", "mean", "max", "min"])
def test_it_has_the_bits_of_gather_product_and_scatter(dtype, reduction):
    rng = np.random.default_rng(7)
    source, target, sources, size = graph(rng)
    data = rng.standard_normal((sources, 19)).astype(dtype)
    weight = rng.standard_normal(len(source)).astype(dtype)
    addend = rng.standard_normal((len(source), 19)).astype(dtype)
    edges = strew.Edges(source, target, sources, size)
    for terms in ({}, {"weight": weight}, {"weight": weight, "addend": addend, "relu": True}):
        wanted = one_by_one(data, source, target, size, reduction=reduction, **terms)
        assert strew.gather_scatter(data, edges, reduction=reduction, **terms).tobytes() == wanted.tobytes()
        got = strew.gather_scatter(data, source, target, size, reduction=reduction, **terms)
        assert got.tobytes() == wanted.tobytes()


def test_sorted_terms_out_and_base_give_the_same():
    rng = np.random.default_rng(8)
    source, target, sources, size = graph(rng)
    data = rng.standard_normal((sources, 5))
    weight = rng.standard_normal((len(source), 5))
    edges = strew.Edges(source, target, sources, size)
    wanted = strew.gather_scatter(data, edges, weight=weight)
    assert np.array_equal(strew.gather_scatter(data, edges, weight=edges.sort(weight), sorted=True), wanted)
    assert np.array_equal(edges.unsort(edges.sort(weight)), weight)
    out = np.full((size, 5), np.nan)
    assert strew.gather_scatter(data, edges, weight=weight, out=out) is out
    assert np.array_equal(out, wanted)
    base = np.ones((size, 5))
    assert np.allclose(strew.gather_scatter(data, edges, weight=weight, base=base), wanted + 1)
    assert (base == 1).all()


def test_winners_are_the_first_edges_with_the_value():
    data = np.array([[1.0, 5.0], [1.0, np.nan], [0.0, 7.0]])
    result, winners = strew.gather_scatter(data, [0, 1, 2, 2], [1, 1, 1, 0], 3, reduction="max", argmax=True)
    assert np.array_equal(result, [[0.0, 7.0], [1.0, np.nan], [0.0, 0.0]], equal_nan=True)
    assert winners.tolist() == [[3, 3], [0, 1], [4, 4]]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("reduction", ["max", "min"])
def test_a_nan_in_the_base_stays_whatever_its_sign(dtype, reduction):
    base = np.copysign(np.full(2, np.nan, dtype), np.array([1, -1], dtype))
    result, winners = strew.gather_scatter(
        np.ones(2, dtype), [0, 1, 0], [0, 0, 1], 2, base=base, reduction=reduction, argmax=True
    )
    assert np.isnan(result).all()
    assert winners.tolist() == [3, 3]


def test_edges_tell_what_they_are_and_pickle():
    edges = strew.Edges([0, 9, 1], [1, 0, 1], 2, 2, out_of_bounds="drop")
    assert (len(edges), edges.source_size, edges.target_size, edges.is_sorted) == (2, 2, 2, False)
    assert repr(edges) == "Edges(2 edges, 2 sources, 2 targets)"
    again = pickle.loads(pickle.dumps(edges))
    for name in ("sources", "targets", "numbers"):
        assert getattr(again, name).tolist() == getattr(edges, name).tolist()
    assert edges.reversed.targets.tolist() == [0, 1]
    assert edges.reversed.reversed.numbers.tolist() == edges.numbers.tolist()
    before = strew.Edges([0, 1], [1, 0], 2, 2)
    small = before.nbytes
    assert before.reversed.nbytes > small


def test_edges_of_more_rows_than_four_bytes_tell_apart_take_eight():
    many = 1 << 40
    edges = strew.Edges([many - 1, 0, -2], [1, 1, 0], many, 2)
    assert edges.sources.tolist() == [many - 2, many - 1, 0]
    narrow = strew.Edges([2, 0, 1], [1, 1, 0], 3, 2)
    assert edges.nbytes == 2 * narrow.nbytes
    again = pickle.loads(pickle.dumps(edges))
    assert (again.sources.tolist(), again.source_size, again.nbytes) == (edges.sources.tolist(), many, edges.nbytes)
    rows = np.broadcast_to(np.zeros(0), (many, 0))
    assert strew.gather_scatter(rows, edges).shape == (2, 0)


def test_compressed_rows_are_edges_that_came_sorted():
    edges = strew.Edges.from_csr([0, 2, 2, 3], np.array([0, 1, 1], np.int32), 2)
    assert edges.is_sorted
    assert strew.gather_scatter(np.array([1.0, 10.0]), edges).tolist() == [11.0, 0.0, 10.0]
    with pytest.raises(TypeError, match=r"^Edges.from_matrix: list is no matrix in compressed rows"):
        strew.Edges.from_matrix([[1.0]])


def test_segments_are_edges_from_each_row():
    edges = strew.Edges.from_segments(np.array([0, 2, 2, 3]))
    assert (edges.source_size, edges.target_size, edges.sources.tolist()) == (3, 3, [0, 1, 2])
    assert strew.gather_scatter(np.array([1.0, 10.0, 100.0]), edges).tolist() == [11.0, 0.0, 100.0]
    for starts in ([0, 2, 1], [0, 2**40, 5], [0, 3, -1]):
        with pytest.raises(ValueError, match=rf"row_start\[2\] = {starts[2]} is below the one before it, {starts[1]}$"):
            strew.Edges.from_segments(starts)


def test_a_matrix_of_scipy_gives_its_product():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(9)
    matrix = sparse.random(30, 20, 0.2, "csr", random_state=rng)
    data = rng.standard_normal((20, 4))
    got = strew.gather_scatter(data, strew.Edges.from_matrix(matrix), weight=matrix.data)
    assert np.allclose(got, matrix @ data)


def test_products_along_edges_are_gradients_of_weights():
    rng = np.random.default_rng(10)
    source, target, sources, size = graph(rng)
    one, other = rng.standard_normal((sources, 6)), rng.standard_normal((size, 6))
    edges = strew.Edges(source, target, sources, size)
    assert np.allclose(strew.edge_dot(one, other, edges), (one[source] * other[target]).sum(-1))
    by_head = (one[source] * other[target]).reshape(-1, 3, 2).sum(-1)
    assert np.allclose(strew.edge_dot(one, other, edges, heads=3), by_head)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d, e: strew.gather_scatter(d, [0, 5], [0, 1], 2), IndexError, r"gather_index\[1\] = 5 is outside \[-3, 2\]"),
        (lambda d, e: strew.gather_scatter(d, [0, 1], [0, -3], 2), IndexError, r"scatter_index\[1\] = -3 is outside \[-2, 1\]"),
        (lambda d, e: strew.gather_scatter(d, [0.5], [0], 2), TypeError, "gather_index is float64; it must be of an integer type"),
        (lambda d, e: strew.gather_scatter(d, [0]), TypeError, "give Edges, or gather_index, scatter_index and size"),
        (lambda d, e: strew.gather_scatter(d, e, [0], 2), TypeError, "not with Edges"),
        (lambda d, e: strew.gather_scatter(d[:2], e), ValueError, r"data has shape \[2, 2\]; its first axis must have the 3 source"),
        (lambda d, e: strew.gather_scatter(d, e, weight=d), ValueError, r"weight has shape \[3, 2\], which does not broadcast"),
        (lambda d, e: strew.gather_scatter(d, e, reduction="xor"), NotImplementedError, "reduction is xor; it must be add"),
        (lambda d, e: strew.gather_scatter(d, e, reduction="summe"), ValueError, "reduction is 'summe'; it must be 'add'"),
        (lambda d, e: strew.gather_scatter(d, e, argmax=True), ValueError, "argmax is given, but reduction is add; it must be max"),
        (lambda d, e: strew.Edges.from_segments([[0, 1]]), ValueError, r"row_start has shape \[1, 2\]; it must be \[targets \+ 1\]"),
        (lambda d, e: strew.gather_scatter(d.astype(int), e), TypeError, "data is int64; it must be float16"),
        (lambda d, e: strew.gather_scatter(d, e, out=d), ValueError, "out has shape"),
        (lambda d, e: strew.Edges([0], [0], 1.5, 1), TypeError, "source_size is 1.5; it must be an int"),
        (lambda d, e: strew.Edges([0], [0], 1, 1, out_of_bounds="fill"), ValueError, "out_of_bounds is fill"),
        (lambda d, e: strew.edge_dot(d, d, [0]), TypeError, "edges is a list; it must be strew.Edges"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    data = np.ones((3, 2))
    with pytest.raises(error, match=message):
        call(data, strew.Edges([0, 2], [1, 0], 3, 2))

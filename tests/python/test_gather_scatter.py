"""Fused gather-scatter has the bits of separate operators, and does not copy the caller's arrays."""

import pickle
import types

import ml_dtypes
import numpy as np
import pytest
import strew
from support import Meddler, refuses

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


def test_an_edge_index_has_the_sources_above_the_targets():
    rows = [[0, 2, 1], [1, 1, 0]]
    for index in (rows, np.array(rows)):
        edges = strew.Edges.from_edge_index(index, (3, 2))
        assert (edges.source_size, edges.target_size) == (3, 2)
        wanted = strew.Edges(*rows, 3, 2)
        assert edges.sources.tolist() == wanted.sources.tolist() and edges.targets.tolist() == wanted.targets.tolist()
    assert strew.Edges.from_edge_index(rows, 4).target_size == 4
    for index, n, error, text in (
        (np.array(rows).T, 3, ValueError, r"edge_index has shape \[3, 2\]; it must be \[2, edges\]"),
        (np.array([0, 1]), 3, ValueError, r"edge_index has shape \[2\]; it must be \[2, edges\]"),
        ([rows[0]], 3, ValueError, "edge_index has 1 rows; it must have 2, for sources and targets"),
        (None, 3, TypeError, r"edge_index is None; it must be an array of shape \[2, edges\]"),
        (rows, (3, 3, 3), ValueError, "n has 3 numbers; it must have 2, for sources and targets"),
        (rows, 3.0, TypeError, "n is a float; it must be an int"),
    ):
        refuses(error, f"^Edges.from_edge_index: {text}", strew.Edges.from_edge_index, index, n)
    refuses(IndexError, r"gather_index\[1\] = 2 is outside", strew.Edges.from_edge_index, rows, 2)


def test_compressed_rows_are_edges_that_came_sorted():
    edges = strew.Edges.from_csr([0, 2, 2, 3], np.array([0, 1, 1], np.int32), 2)
    assert edges.is_sorted
    assert strew.gather_scatter(np.array([1.0, 10.0]), edges).tolist() == [11.0, 0.0, 10.0]
    refuses(TypeError, r"^Edges.from_matrix: list is not a CSR matrix", strew.Edges.from_matrix, [[1.0]])


def test_segments_are_edges_from_each_row():
    edges = strew.Edges.from_segments(np.array([0, 2, 2, 3]))
    assert (edges.source_size, edges.target_size, edges.sources.tolist()) == (3, 3, [0, 1, 2])
    assert strew.gather_scatter(np.array([1.0, 10.0, 100.0]), edges).tolist() == [11.0, 0.0, 100.0]
    for starts in ([0, 2, 1], [0, 2**40, 5], [0, 3, -1]):
        with pytest.raises(ValueError, match=rf"row_start\[2\] = {starts[2]} is below the value before it, {starts[1]}$"):
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
        (lambda d, e: strew.gather_scatter(d, [0]), TypeError, "pass Edges, or gather_index, scatter_index and size"),
        (lambda d, e: strew.gather_scatter(d, e, [0], 2), TypeError, "not with Edges"),
        (lambda d, e: strew.gather_scatter(d[:2], e), ValueError, r"data has shape \[2, 2\]; its first axis must have length 3, the number of sources"),
        (lambda d, e: strew.gather_scatter(d, e, weight=d), ValueError, r"weight has shape \[3, 2\], which does not broadcast"),
        (lambda d, e: strew.gather_scatter(d, e, reduction="xor"), NotImplementedError, "reduction is xor; it must be add"),
        (lambda d, e: strew.gather_scatter(d, e, weights=d), TypeError, "there is no parameter 'weights'; .*; did you mean 'weight'"),
        (lambda d, e: strew.gather_scatter(d, e, reduction="sum"), ValueError, r"reduction 'sum' is not one of .*; did you mean 'add'\?"),
        (lambda d, e: strew.gather_scatter(d, e, reduction="summe"), ValueError, "reduction 'summe' is not one of 'add', 'mean'"),
        (lambda d, e: strew.gather_scatter(d, e, argmax=True), ValueError, "argmax requires reduction max or min, not add"),
        (lambda d, e: strew.Edges.from_segments([[0, 1]]), ValueError, r"row_start has shape \[1, 2\]; it must be \[targets \+ 1\]"),
        (lambda d, e: strew.gather_scatter(d.astype(int), e), TypeError, "data is int64; it must be float16"),
        (lambda d, e: strew.gather_scatter(d, e, out=d), ValueError, "out has shape"),
        (lambda d, e: strew.Edges([0], [0], 1.5, 1), TypeError, "Edges: source_size is a float; it must be an int"),
        (lambda d, e: strew.Edges([0], [0], 1, 1, out_of_bounds="fill"), ValueError, "out_of_bounds is fill"),
        (lambda d, e: strew.edge_dot(d, d, [0]), TypeError, "edges is a list; it must be strew.Edges"),
        (lambda d, e: strew.edge_dot(d, d, 1), TypeError, "edges is an int; it must be strew.Edges"),
        (lambda d, e: strew.edge_dot(d, d, e, heads=0.5), TypeError, "edge_dot: heads is a float; it must be an int"),
        (lambda d, e: strew.edge_dot(d, d, e, heads=2**63), ValueError, "edge_dot: heads 9223372036854775808 is not a 64-bit int"),
        (lambda d, e: strew.edge_dot(None, d, e), TypeError, "edge_dot: one is None; an array or a sequence is needed"),
        (lambda d, e: strew.edge_dot(d, None, e), TypeError, "edge_dot: other is None; an array"),
        (lambda d, e: strew.gather_scatter(None, e), TypeError, "gather_scatter: data is None; an array"),
        (lambda d, e: strew.gather_scatter(d, [0], [0], 2**63), ValueError, "gather_scatter: size 9223372036854775808 is not a 64-bit int"),
        (lambda d, e: strew.gather_scatter(d, [0], [0], 1.5), TypeError, "gather_scatter: size is a float; it must be an int"),
        (lambda d, e: strew.gather_scatter(d, e, reduction=None), TypeError, "gather_scatter: reduction is None; it must be a str"),
        (lambda d, e: strew.gather_scatter(d, e, reduction=np.add), TypeError, "reduction is a numpy.ufunc; it must be a str"),
        (lambda d, e: strew.gather_scatter(d, e, acc_dtype=np.float32), TypeError, "acc_dtype is a type; it must be a str"),
        (lambda d, e: strew.gather_scatter(d, [0], [0], 1, out_of_bounds=5), TypeError, "out_of_bounds is an int; it must be a str"),
        (lambda d, e: strew.gather_scatter(d, [0], [0], 1, negative_indices=5), TypeError, "negative_indices is an int; it must"),
        (lambda d, e: strew.gather_scatter(d, e, out_of_bounds="clip"), TypeError, "pass out_of_bounds with an array of indices"),
        (lambda d, e: strew.gather_scatter(d, e, negative_indices="from_end"), TypeError, "pass negative_indices with an array"),
        (lambda d, e: strew.gather_scatter(d, e, out=5), TypeError, "gather_scatter: out is an int; only an array can be written"),
        (lambda d, e: strew.gather_scatter(d, e, out=d[:2]), ValueError, "gather_scatter: out overlaps data"),
        (lambda d, e: strew.gather_scatter(d.astype("M8[s]"), e), TypeError, r"data is datetime64\[s\]; it must be float16"),
        (lambda d, e: strew.gather_scatter(d.astype(str), e), TypeError, "data is string; it must be float16"),
        (lambda d, e: strew.gather_scatter(d, e, weight=["a", "b"]), TypeError, "weight is 'a', of type <U1, but data is float64; pass values of type float64$"),
        (lambda d, e: strew.gather_scatter(d, e, weight=np.array(["a", "b"])), TypeError, "weight is string; it must be of the type of"),
        (lambda d, e: strew.Edges(None, [0], 1, 1), TypeError, "Edges: gather_index is None; an array or a sequence is needed"),
        (lambda d, e: strew.Edges([0], None, 1, 1), TypeError, "Edges: scatter_index is None; an array"),
        (lambda d, e: strew.Edges([0], [0], 2**63, 1), ValueError, "Edges: source_size 9223372036854775808 is not a 64-bit int"),
        (lambda d, e: strew.Edges([0], [0], 1, 1, out_of_bounds=None), TypeError, "Edges: out_of_bounds is None; it must be a str"),
        (lambda d, e: strew.Edges(np.zeros(1, ml_dtypes.int4), [0], 1, 1), TypeError, "gather_index is int4; it must be of an integer"),
        (lambda d, e: strew.Edges.from_csr(None, [0], 1), TypeError, "Edges.from_csr: row_start is None; an array"),
        (lambda d, e: strew.Edges.from_csr([0, 1], None, 1), TypeError, "Edges.from_csr: column is None; an array"),
        (lambda d, e: strew.Edges.from_csr([0, 1], [0], -(2**70)), ValueError, "Edges.from_csr: source_size -1180591620717411303424 is not a 64-bit int"),
        (lambda d, e: strew.Edges.from_segments(None), TypeError, "Edges.from_segments: row_start is None; an array"),
        (lambda d, e: e.sort(None), TypeError, "Edges.sort: values are None; an array or a sequence is needed"),
        (lambda d, e: e.sort(d), ValueError, r"Edges.sort: values have shape \[3, 2\]; their first axis must have length 2, the number of edges"),
        (lambda d, e: e.unsort(5.0), ValueError, r"Edges.unsort: values have shape \[\]; their first axis must have length 2, the number of edges"),
        (lambda d, e: e.sort(np.array([{}, {}])), TypeError, r"Edges.sort: values\[0\] is of type dict; an object array is read as strings"),
        (lambda d, e: len(strew.Edges.__new__(strew.Edges)), TypeError, "Edges: this Edges was made by __new__ without __init__"),
        (lambda d, e: strew.gather_scatter(d, strew.Edges.__new__(strew.Edges)), TypeError, "Edges: this Edges was made by __new__ without __init__"),
        (lambda d, e: strew.Edges([0], [0], 1, 2**62), MemoryError, "Edges: target_size is 4611686018427387904; cannot allocate"),
        (lambda d, e: strew.Edges([0], [1], 1, 1), IndexError, r"^Edges: scatter_index\[0\] = 1 is outside \[-1, 0\] for 1 target"),
        (lambda d, e: strew.Edges([0], [[1]], 1, 1), ValueError, r"^Edges: scatter_index has shape \[1, 1\]; it must be \[edges\]"),
        (lambda d, e: strew.Edges([0], [0], -1, 1), ValueError, "^Edges: source_size is -1; it must not be negative"),
        (lambda d, e: strew.Edges.from_csr([0, 1], [3], 1), IndexError, r"^Edges.from_csr: column\[0\] = 3 is outside"),
        (lambda d, e: strew.Edges.from_segments([0, 5, 3]), ValueError, r"^Edges.from_segments: row_start\[2\] = 3 is below"),
        (lambda d, e: strew.gather_scatter(d, [0], [5], 1), IndexError, r"^gather_scatter: scatter_index\[0\] = 5 is outside"),
        (lambda d, e: strew.gather_scatter(d, [0], [0], 2**40), MemoryError, "^gather_scatter: no memory for a result of shape "
         r"\[1099511627776, 2\], which takes 17592186044416 bytes$"),
        (lambda d, e: strew.gather_scatter(d, [0], [0], 2**61), ValueError, "^gather_scatter: a result of shape "
         r"\[2305843009213693952, 2\] has more than 2\*\*63 - 1 bytes$"),
        (lambda d, e: strew.gather_scatter(d.astype(object), e), TypeError, r"data\[0, 0\] is of type float; an object array is read as strings"),
        (lambda d, e: strew.Edges(np.array([0], "M8[s]"), [0], 1, 1), TypeError, r"gather_index is of type datetime64\[s\]; it must hold int"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    data = np.ones((3, 2))
    refusal = refuses(error, message, call, data, strew.Edges([0, 2], [1, 0], 3, 2))
    assert isinstance(refusal, strew.Refusal)
    assert str(refusal).startswith(f"{refusal.operator}: ")


STRINGS = ["one", "two, which is far too long for any short string", "three", "four"]


@pytest.mark.parametrize(
    "values",
    [
        np.array(STRINGS),
        np.array(STRINGS, "S"),
        np.array(STRINGS, object),
        np.array(STRINGS, np.dtypes.StringDType()),
        np.array(["2001", "2002", "2003", "2004"], "M8[s]"),
        np.array([5, 6, 7, 8], "m8[us]"),
        np.array([(1, 2.0), (3, 4.0), (5, 6.0), (7, 8.0)], "i4,f4"),
        np.array([b"abc", b"def", b"ghi", b"jkl"], "V3"),
        np.arange(8, dtype=np.longdouble).reshape(4, 2),
        np.arange(4, dtype=">f4"),
        np.arange(4, dtype=ml_dtypes.int4),
        np.arange(4.0).astype(ml_dtypes.bfloat16),
        np.arange(24).reshape(4, 2, 3)[:, ::-1, ::2],
        np.arange(4, dtype=np.complex64),
        np.zeros((4, 0)),
    ],
    ids=lambda values: str(values.dtype),
)
def test_values_of_every_type_are_sorted_and_brought_back(values):
    edges = strew.Edges([0, 0, 0, 0], [2, 0, 1, 0], 1, 3)
    order = [1, 3, 2, 0]
    for _ in range(3):
        in_order = edges.sort(values)
        assert (in_order.dtype, in_order.shape) == (values.dtype, values.shape)
        assert in_order.tolist() == values[order].tolist()
        back = edges.unsort(in_order)
        assert (back.dtype, back.tolist()) == (values.dtype, values.tolist())
    some = strew.Edges([0, 9, 0, 0], [2, 0, 1, 0], 1, 3, out_of_bounds="drop")
    in_order = some.sort(values)
    assert in_order.tolist() == values[[3, 2, 0]].tolist()
    wanted = values.copy()
    wanted[1] = "" if values.dtype.kind in "OT" else np.zeros((), values.dtype)
    assert some.unsort(in_order).tolist() == wanted.tolist()


def test_a_list_of_values_is_sorted_too():
    edges = strew.Edges([0, 0, 0], [2, 0, 1], 1, 3)
    assert edges.sort(STRINGS[:3]).tolist() == [STRINGS[1], STRINGS[2], STRINGS[0]]
    assert edges.unsort([[1], [2], [3]]).tolist() == [[3], [1], [2]]


def test_edges_that_were_all_left_out_bring_back_zeros():
    edges = strew.Edges([5], [0], 1, 1, out_of_bounds="drop")
    in_order = edges.sort(np.ones((1, 2), np.float32))
    assert in_order.shape == (0, 2)
    assert edges.unsort(in_order).tolist() == [[0, 0]]


def test_a_pickle_of_edges_keeps_those_left_out_and_no_others():
    edges = strew.Edges([0, 9, 1], [1, 0, 1], 2, 2, out_of_bounds="drop")
    again = pickle.loads(pickle.dumps(edges))
    assert again.numbers.tolist() == [0, 2]
    assert again.unsort([1, 2]).tolist() == [1, 0, 2]
    for made in (edges, strew.Edges([0, 1], [1, 1], 2, 2)):
        make, (sources, targets, *sizes) = made.__reduce__()
        for outside in (7, -2):
            with pytest.raises(IndexError, match=rf"scatter_index\[\d\] = {outside} is outside"):
                make(sources, np.where(sources == 0, outside, targets), *sizes)
        with pytest.raises(IndexError, match=r"gather_index\[\d\] = -1 is outside"):
            make(np.where(sources == 1, -1, sources), targets, *sizes)
    make, (sources, targets, *sizes) = edges.__reduce__()
    for changed in ([0, -1, 7], [0, 1, 1], [-1, -1, 1]):
        with pytest.raises(IndexError) as refused:
            make(np.array(changed), targets, *sizes)
        operand = targets if refused.value.operand == "scatter_index" else changed
        assert not 0 <= operand[refused.value.position[0]] < 2


def meddler(value, victim):
    return Meddler(value, lambda: victim.resize(1, refcheck=False))


def term():
    return np.ones(1 << 16, np.float32)


def meddled_dot(a, b):
    one = term()
    strew.edge_dot(one, meddler(term(), one), strew.Edges(a, b, len(one), len(one)))


def meddled_gradients(a, b):
    data = term()
    edges = strew.Edges(a, b, len(data), len(data))._edges
    terms = None, None, None, False, "add", "data", "share", [True, False, False]
    strew._strew._gather_scatter_gradients(meddler(term(), data), data, edges, *terms)


# Each call reads an operand, and then another operand, which changes the first one.
MEDDLING = {
    "Edges": ("gather_index", lambda a, b: strew.Edges(a, meddler(b, a), 1, 1)),
    "Edges.from_csr": ("row_start", lambda a, b: strew.Edges.from_csr(a, meddler(b, a), 1)),
    "gather_index": ("gather_index", lambda a, b: strew.gather_scatter(term(), a, meddler(b, a), 1)),
    "weight": ("gather_index", lambda a, b: strew.gather_scatter(term(), a, b, 1, weight=meddler(term(), a))),
    "base": ("scatter_index", lambda a, b: strew.gather_scatter(term(), a, b, 1, base=meddler(term()[:1], b))),
    "edge_dot": ("one", meddled_dot),
    "gradients": ("data", meddled_gradients),
    "picture": ("data", lambda a, b: strew.picture(strew.gather, a, meddler(np.zeros(1, int), a))),
}


@pytest.mark.parametrize("call", MEDDLING)
def test_an_operand_that_another_one_changes_while_it_is_read_is_named(call):
    name, work = MEDDLING[call]
    indices = np.zeros(1 << 16, np.int64), np.zeros(1 << 16, np.int64)
    refuses(ValueError, rf"{name} was changed while another operand was read$", work, *indices)


@pytest.mark.parametrize(
    ("given", "exception", "message"),
    [
        ({"shape": None}, TypeError, "matrix must have a shape of two ints$"),
        ({"shape": (1, 2.7)}, TypeError, "matrix must have a shape of two ints$"),
        ({"shape": (5, 2)}, ValueError, r"matrix has shape \[5, 2\], but has row starts for 1 rows$"),
        *(({"format": f}, TypeError, f"SimpleNamespace of format {f} is not a CSR matrix") for f in ("csc", "bsr", "coo")),
    ],
)
def test_a_matrix_without_compressed_rows_or_whose_shape_does_not_fit_is_refused(given, exception, message):
    matrix = types.SimpleNamespace(**{"indptr": [0, 1], "indices": [0], "shape": (1, 1)} | given)
    refuses(exception, f"^Edges.from_matrix: {message}", strew.Edges.from_matrix, matrix)


@pytest.mark.parametrize("name", ["relu", "argmax", "sorted"])
def test_a_flag_is_a_bool(name):
    edges = strew.Edges([0], [0], 1, 1)
    for given in ("no", 1, None, np.zeros((2, 0))):
        with pytest.raises(TypeError, match=f"^gather_scatter: {name} is an? .*; it must be a bool$|{name} is None"):
            strew.gather_scatter(np.ones((1, 2)), edges, **{name: given})
    strew.gather_scatter(np.ones((1, 2)), edges, relu=np.True_)

"""Index values out of bounds are clipped, wrapped, filled or dropped, for every operator and kind of array."""

import sys

import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from support import INDEX_TYPES, NUMPY_TYPES, assert_same, elements_index, random_bits, refuses, restrided, says
from support import scattered, seeds, tuples_index

import strew

RULES = ["clip", "wrap", "outside"]  # the last one is fill for gathers and drop for scatters
NEGATIVES = ["from_end", "out_of_bounds"]
shapes = st.lists(st.sampled_from([1, 1, 2, 3, 5]), min_size=1, max_size=3).map(tuple)


def resolved(indices, size, rule, negative):
    """Return the position of each index, and whether the index has a position, by the rules of docs/semantics.md."""
    places = indices.astype(object)
    inside = (places >= (-size if negative == "from_end" else 0)) & (places < size)
    if rule == "clip":
        other = np.where(places < 0, 0, size - 1)
    else:
        other = places % size if size else places * 0
    places = np.where(inside, np.where(places < 0, places + size, places), other).astype(np.int64)
    return (places, inside) if rule == "outside" else (places, np.ones_like(inside, bool))


def wild_indices(rng, shape, size, dtype):
    dtype = np.dtype(dtype)
    low = max(-2 * size - 2, np.iinfo(dtype).min) if dtype.kind == "i" else 0
    return rng.integers(low, 2 * size + 2, shape).astype(dtype)


@given(seeds, shapes, st.sampled_from(NUMPY_TYPES), st.sampled_from(INDEX_TYPES), st.sampled_from(RULES),
       st.sampled_from(NEGATIVES), st.booleans())  # fmt: skip
def test_gathers_follow_the_rules(seed, shape, dtype, index_type, rule, negative, gives_value):
    rng = np.random.default_rng(seed)
    axis = int(rng.integers(-len(shape), len(shape)))
    data = random_bits(rng, shape, dtype)
    value = random_bits(rng, (), dtype)[()] if gives_value and rule == "outside" else None
    rules = {"out_of_bounds": "fill" if rule == "outside" else rule, "negative_indices": negative, "fill_value": value}
    fill = np.zeros((), dtype)[()] if value is None else value
    given_data = restrided(rng, data) if rng.integers(0, 2) else data

    indices = wild_indices(rng, tuple(rng.integers(0, 4, rng.integers(0, 3))), shape[axis], index_type)
    places, inside = resolved(indices, shape[axis], rule, negative)
    wanted = np.take(data, places, axis)
    along = inside.reshape(inside.shape + (1,) * (len(shape) - axis % len(shape) - 1))
    wanted = np.where(along, wanted, fill).astype(dtype)
    assert_same(strew.gather(given_data, indices, axis, **rules), wanted)

    indices = wild_indices(rng, shape, shape[axis], index_type)
    places, inside = resolved(indices, shape[axis], rule, negative)
    wanted = np.where(inside, data[elements_index(places, axis)], fill).astype(dtype)
    assert_same(strew.gather_elements(given_data, indices, axis, **rules), wanted)

    indices = np.stack([wild_indices(rng, (4,), size, index_type) for size in shape], -1)
    both = [resolved(indices[..., c], size, rule, negative) for c, size in enumerate(shape)]
    inside = np.all([seen for _, seen in both], 0)
    wanted = np.where(inside, data[tuple(np.where(inside, places, 0) for places, _ in both)], fill).astype(dtype)
    assert_same(strew.gather_nd(given_data, indices, **rules), wanted)


@given(seeds, shapes, st.sampled_from(["int32", "float64", "uint8"]), st.sampled_from(INDEX_TYPES),
       st.sampled_from(RULES), st.sampled_from(NEGATIVES), st.sampled_from(["none", "add", "max"]))  # fmt: skip
def test_scatters_follow_the_rules(seed, shape, dtype, index_type, rule, negative, reduction):
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 100, shape).astype(dtype)
    rules = {"out_of_bounds": "drop" if rule == "outside" else rule, "negative_indices": negative}
    axis = int(rng.integers(0, len(shape)))
    indices = wild_indices(rng, shape, shape[axis], index_type)
    updates = rng.integers(0, 100, shape).astype(dtype)
    places, inside = resolved(indices, shape[axis], rule, negative)
    index = tuple(np.broadcast_to(part, shape)[inside] for part in elements_index(places, axis))
    wanted = scattered(data, index, updates[inside], reduction)
    assert_same(strew.scatter_elements(data, indices, updates, axis, reduction, **rules), wanted)
    out = data.copy()
    strew.scatter_elements(out, indices, updates, axis, reduction, out=out, **rules)
    assert_same(out, wanted)

    indices = np.stack([wild_indices(rng, (4,), size, index_type) for size in shape], -1)
    both = [resolved(indices[..., c], size, rule, negative) for c, size in enumerate(shape)]
    inside = np.all([seen for _, seen in both], 0)
    updates = rng.integers(0, 100, 4).astype(dtype)
    index = tuples_index(np.stack([places[inside] for places, _ in both], -1))
    wanted = scattered(data, index, updates[inside], reduction)
    assert_same(strew.scatter_nd(data, indices, updates, reduction, **rules), wanted)


@pytest.mark.parametrize("kind", ["S3", "U3", "O", "T"])
def test_strings_are_filled(kind):
    words = np.array(["one", "two", "six"], np.dtypes.StringDType() if kind == "T" else kind)
    value = b"no" if kind == "S3" else "no"
    empty = b"" if kind == "S3" else ""
    fill = {"out_of_bounds": "fill"}
    for data in (words, np.repeat(words, 2)[::2]):
        assert strew.gather(data, [2, 3, -9], **fill).tolist() == [words[2], empty, empty]
        assert strew.gather(data, [2, 3, -9], fill_value=value, **fill).tolist() == [words[2], value, value]
        assert strew.gather_elements(data, [5, 0], fill_value=value, **fill).tolist() == [value, words[0]]
        assert strew.gather_nd(data, [[-1], [3]], fill_value=value, **fill).tolist() == [words[2], value]
        assert strew.gather_nd(data, [[-1], [0]], fill_value=value, **fill).dtype == words.dtype
        out = np.full(2, "?", words.dtype)
        assert strew.gather(data, [3, 1], fill_value=value, out=out, **fill) is out
        assert out.tolist() == [value, words[1]]
        assert strew.gather(data, [3, -1], out_of_bounds="clip").tolist() == [words[2], words[2]]


def test_added_strings_are_dropped_and_clipped():
    for kind in ("O", "U1"):
        words = np.array(["a", "b"], kind)
        added = strew.scatter_nd(words, [[5], [0], [-3]], ["x", "y", "z"], "add", out_of_bounds="drop")
        assert added.tolist() == ["ay", "b"]
        rules = {"out_of_bounds": "clip", "negative_indices": "out_of_bounds"}
        added = strew.scatter_elements(words, [5, -1], ["x", "y"], reduction="add", **rules)
        assert added.tolist() == ["ay", "bx"]
        assert strew.scatter_nd(words, [[5], [0]], ["x", "y"], out_of_bounds="drop").tolist() == ["y", "b"]


def test_elements_that_lie_between_others_or_in_another_byte_order_are_filled():
    records = np.zeros(4, [("pad", "i1"), ("x", "f4")])
    records["x"] = [1, 2, 3, 4]
    swapped = np.array([1, 2, 3, 4], ">f4")
    for data in (records["x"], swapped, swapped[::-1].copy()[::-1]):
        for value in (None, 7.5, np.float32(7.5), np.array([7.5], np.float32)):
            wanted = [4, 0 if value is None else 7.5, 2]
            result = strew.gather(data, [-1, 4, 1], out_of_bounds="fill", fill_value=value)
            assert result.tolist() == wanted and result.dtype == data.dtype
            out = np.ones((3, 2), np.float32)[:, 0]
            assert strew.gather(data, [-1, 4, 1], out_of_bounds="fill", fill_value=value, out=out) is out
            assert out.tolist() == wanted
    out = np.full((2, 3), -1.0, np.float32)
    square = records["x"].reshape(2, 2)
    places = [[9, 0, 1], [1, 2, 0]]
    strew.gather_elements(square, places, 1, out[::-1][::-1], out_of_bounds="fill", fill_value=5)
    assert out.tolist() == [[5, 1, 2], [4, 5, 3]]


@pytest.mark.parametrize("name", ["bfloat16", "int4", "uint2", "float8_e5m2"])
def test_types_of_ml_dtypes_are_filled(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    data = np.array([1, 2, 1]).astype(dtype)
    result = strew.gather(data, [0, 3, 2], out_of_bounds="fill", fill_value=2 if name != "int4" else -3)
    assert result.dtype == dtype and result.astype(float).tolist() == [1, 2 if name != "int4" else -3, 1]


def test_a_large_call_is_filled_as_a_small_one():
    rng = np.random.default_rng(3)
    data = rng.standard_normal((300, 7)).astype(np.float32)
    indices = rng.integers(-400, 400, 5000)
    places, inside = resolved(indices, 300, "outside", "from_end")
    wanted = np.where(inside[:, None], data[np.where(inside, places, 0)], np.float32(-2))
    for threads in (1, 2, 3):
        with strew.num_threads(threads):
            assert_same(strew.gather(data, indices, out_of_bounds="fill", fill_value=-2), wanted)
            strided = np.zeros((300, 7), [("x", "f4"), ("y", "i1")])["x"]
            strided[...] = data
            assert_same(strew.gather(strided, indices, out_of_bounds="fill", fill_value=-2), wanted)


@pytest.mark.parametrize("rules", [{}, {"out_of_bounds": "clip"}, {"out_of_bounds": "wrap"}])
def test_an_axis_without_positions_is_refused_unless_filled(rules):
    for call in (
        lambda **r: strew.gather(np.empty((0, 2)), [1], **r),
        lambda **r: strew.scatter_nd(np.empty(0), [[1]], 1.0, **r),
    ):
        refuses(IndexError, "there is no position to choose for axis 0", call, **rules)
    assert strew.gather(np.empty((0, 2)), [1], out_of_bounds="fill", fill_value=3).tolist() == [[3, 3]]
    assert strew.scatter_nd(np.empty(0), [[1]], 1.0, out_of_bounds="drop").shape == (0,)


def test_negative_indices_may_be_refused():
    with pytest.raises(IndexError) as refusal:
        strew.gather(np.arange(3.0), [0, -1], negative_indices="out_of_bounds")
    assert str(refusal.value).startswith("gather: indices[1] = -1 is outside [0, 2]")
    data = np.arange(3.0)
    with pytest.raises(IndexError, match="indices.0, 0. = -1 is outside .0, 2."):
        strew.scatter_nd(data, [[-1]], 5.0, out=data, negative_indices="out_of_bounds")
    assert data.tolist() == [0, 1, 2]


D = np.arange(4.0)
REFUSED = [
    (ValueError, lambda: strew.gather(D, 0, out_of_bounds="clamp"), "gather: out_of_bounds 'clamp' is not one of 'error', 'clip', 'wrap', 'fill'; did you mean 'clip'?"),
    (ValueError, lambda: strew.gather(D, 0, out_of_bounds="raise"), "gather: out_of_bounds 'raise' is not one of 'error', 'clip', 'wrap', 'fill'; did you mean 'error'?"),
    (ValueError, lambda: strew.gather(D, 0, out_of_bounds="drop"), "gather: out_of_bounds 'drop' is for scatters; a gather has 'fill'"),
    (ValueError, lambda: strew.scatter_nd(D, [[0]], 1, out_of_bounds="dorp"), "scatter_nd: out_of_bounds 'dorp' is not one of 'error', 'clip', 'wrap', 'drop'; did you mean 'drop'?"),
    (ValueError, lambda: strew.scatter_nd(D, [[0]], 1, out_of_bounds="fill"), "scatter_nd: out_of_bounds 'fill' is for gathers; a scatter has 'drop'"),
    (TypeError, lambda: strew.gather(D, 0, out_of_bounds=None), "gather: out_of_bounds is None; it must be a str"),
    (ValueError, lambda: strew.gather(D, 0, negative_indices="out"), "gather: negative_indices 'out' is not one of 'from_end', 'out_of_bounds'"),
    (ValueError, lambda: strew.gather(np.array(["a", "b"]), [2], out_of_bounds="fill", fill_value="long"), "gather: fill_value of type <U4 is longer than the <U1 of data; use data.astype('<U4')"),
    (TypeError, lambda: strew.gather(np.array([b"a", b"b"]), [2], out_of_bounds="fill", fill_value="x"), "gather: fill_value is 'x', but data is |S1; write bytes"),
    (ValueError, lambda: strew.gather(D, 0, fill_value=1), "gather: fill_value is for out_of_bounds 'fill', not 'error'"),
    (ValueError, lambda: strew.gather(D.astype("U3"), 0, fill_value="a"), "gather: fill_value is for out_of_bounds 'fill', not 'error'"),
    (TypeError, lambda: strew.gather(D.astype(int), 0, out_of_bounds="fill", fill_value=0.5), "gather: fill_value is 0.5, of type float64, but data is int64; pass values of type int64, or data of type float64"),
    (OverflowError, lambda: strew.gather(D.astype("u1"), 0, out_of_bounds="fill", fill_value=np.int64(-1)), "gather: fill_value holds -1, which uint8 cannot hold; its range is 0 to 255"),
    (OverflowError, lambda: strew.gather(D.astype("u1"), 0, out_of_bounds="fill", fill_value=300), "gather: fill_value holds 300, which uint8 cannot hold; its range is 0 to 255"),
    (OverflowError, lambda: strew.gather(D.astype("i8"), 0, out_of_bounds="fill", fill_value=2**64), "gather: fill_value holds 18446744073709551616, which int64 cannot hold; its range is -9223372036854775808 to 9223372036854775807"),
    (TypeError, lambda: strew.gather(D, 0, out_of_bounds="fill", fill_value=np.array(1, "f4")), "gather: fill_value is float32 but data is float64; both must have the same type"),
    (ValueError, lambda: strew.gather(D, 0, out_of_bounds="fill", fill_value=[1, 2]), "gather: fill_value has shape [2]; it must be one element"),
    (TypeError, lambda: strew.gather(D, 0, 0, None, "fill"), "gather: 5 arguments were given without a name; at most 4 are allowed: data, indices, axis, out"),
    (TypeError, lambda: strew.gather(D, 0, fill_valu=1), "gather: there is no parameter 'fill_valu'; the parameters are data, indices, axis, out, out_of_bounds, fill_value, negative_indices; did you mean 'fill_value'?"),
    (TypeError, lambda: strew.scatter_nd(D, [[0]], 1, fill_value=1), "scatter_nd: there is no parameter 'fill_value'; the parameters are data, indices, updates, reduction, out, out_of_bounds, negative_indices, include_self, acc_dtype, alpha, casting, reject_duplicates"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call", "message"), REFUSED, ids=[row[2][:70] for row in REFUSED])
def test_a_rule_that_cannot_be_is_refused(error, call, message):
    says(error, message, call)


def test_a_fill_value_in_the_output_is_read_before_it_is_written():
    out = np.array([7.0, 8.0])
    assert strew.gather(D, [0, 9], out=out, out_of_bounds="fill", fill_value=out[:1]) is out
    assert out.tolist() == [D[0], 7]


def test_references_to_what_fills_are_counted():
    word = "".join(["fi", "ll"])
    before = sys.getrefcount(word)
    result = strew.gather(np.array(["a"], object), [3] * 100, out_of_bounds="fill", fill_value=word)
    assert all(element is word for element in result)
    assert sys.getrefcount(word) == before + 100
    del result
    assert sys.getrefcount(word) == before


def test_an_explanation_tells_the_rules():
    explained = strew.explain(strew.gather, D, [0, 9], out_of_bounds="fill", negative_indices="out_of_bounds")
    assert explained["indices"]["any_out_of_bounds"] is True
    assert explained["indices"]["out_of_bounds"] == "fill"
    said = "  index values out of bounds, including negative ones: filled; some found"
    assert said in repr(explained).splitlines()
    explained = strew.explain(strew.scatter_nd, D, [[0]], [1.0], out_of_bounds="drop")
    assert explained["indices"]["any_out_of_bounds"] is False
    assert "  index values out of bounds: dropped; none found" in repr(explained).splitlines()
    assert "out of bounds" not in repr(strew.explain(strew.gather, D, [0]))


def test_tensors_are_filled():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.int64, torch.bool):
        data = torch.tensor([1, 0, 1]).to(dtype)
        result = strew.gather(data, torch.tensor([0, 5]), out_of_bounds="fill", fill_value=True)
        assert result.dtype == dtype and result.tolist() == [1, 1]

"""Tests sub, div, and, or, xor, mean, include_self, acc_dtype, alpha and data of one value, which ONNX lacks."""

import ml_dtypes
import numpy as np
import pytest
from support import assert_same, refuses, run_python

import strew

DATA = np.array([8, 8, 8, 8])
PLACES, UPDATES = [0, 2, 2, 0, 2], np.array([2, 3, 6, 5, 1])
STEPS = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "sub": np.subtract,
    "div": np.divide,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def mean_of(total, count):
    if total.dtype.kind in "iu":
        return total // total.dtype.type(count)
    if total.dtype.kind == "c":
        return total.dtype.type(complex(mean_of(total.real, count), mean_of(total.imag, count)))
    return total / total.dtype.type(count)


def folded(data, places, updates, reduction, include_self=True, alpha=None):
    """Return the left fold of each element. Each step is rounded to the type."""
    result = data.copy()
    for place in range(len(data)):
        terms = [update if alpha is None else update * alpha for at, update in zip(places, updates, strict=True) if at == place]
        if not terms:
            continue
        terms = [data[place], *terms] if include_self else terms
        value = terms[0]
        for term in terms[1:]:
            value = STEPS["add" if reduction == "mean" else reduction](value, term).astype(data.dtype)
        if reduction == "mean":
            value = mean_of(value, len(terms))
        result[place] = value
    return result


def cases():
    for dtype in ("int16", "uint8", "int64", "float32", "float64", "float16", "complex64", "bool"):
        for reduction in (*STEPS, "mean"):
            kind = np.dtype(dtype).kind
            legal = {"b": "add mul max min and or xor", "i": "add mul max min sub and or xor mean"}
            legal |= {"u": legal["i"], "f": "add mul max min sub div mean", "c": "add mul sub div mean"}
            if reduction in legal[kind].split():
                yield dtype, reduction


@pytest.mark.parametrize(("dtype", "reduction"), cases())
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("alpha", [None, 2])
def test_a_reduction_is_the_fold_that_it_says(dtype, reduction, include_self, alpha):
    data, updates = DATA.astype(dtype), UPDATES.astype(dtype)
    alpha = None if alpha is None else np.dtype(dtype).type(alpha)
    wanted = folded(data, PLACES, updates, reduction, include_self, alpha)
    how = {"include_self": include_self, "alpha": alpha}
    assert_same(strew.scatter_elements(data, PLACES, updates, 0, reduction, **how), wanted)
    assert_same(strew.scatter_nd(data, np.array(PLACES)[:, None], updates, reduction, **how), wanted)
    rows = strew.scatter_nd(np.stack([data] * 3, 1), np.array(PLACES)[:, None], np.stack([updates] * 3, 1), reduction, **how)
    assert_same(rows, np.stack([wanted] * 3, 1))
    out = data.copy()
    assert strew.scatter_elements(out, PLACES, updates, 0, reduction, out, **how) is out
    assert_same(out, wanted)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_steps_in_float32_are_rounded_once(dtype):
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    data, updates = np.ones(2, dtype), np.full(40, 0.0625).astype(dtype)
    places = np.zeros((40, 1), int)
    result = strew.scatter_nd(data, places, updates, "add", acc_dtype="float32")
    assert result.dtype == dtype and result.astype(float).tolist() == [float(np.float32(3.5).astype(dtype)), 1]
    mean = strew.scatter_nd(data, places, updates, "mean", acc_dtype="float32", include_self=False)
    assert mean.astype(float).tolist() == [0.0625, 1]
    twice = strew.scatter_nd(data, places, updates, "add", acc_dtype="float32", alpha=2)
    assert twice.astype(float).tolist() == [float(np.float32(6).astype(dtype)), 1]


def test_added_strings_may_leave_out_the_data():
    for kind in ("O", "U3", "T"):
        words = np.array(["a", "b", "c"], np.dtypes.StringDType() if kind == "T" else kind)
        result = strew.scatter_nd(words, [[0], [2], [0]], ["x", "y", "z"], "add", include_self=False)
        assert result.tolist() == ["xz", "b", "y"]


def test_rules_and_reductions_go_together():
    result = strew.scatter_nd(
        np.full(3, 9.0), [[0], [5], [0], [-1]], [1.0, 2.0, 4.0, 6.0], reduction="mean", include_self=False,
        out_of_bounds="drop", negative_indices="out_of_bounds",
    )  # fmt: skip
    assert result.tolist() == [2.5, 9, 9]


REFUSED = [
    (TypeError, lambda: strew.scatter_nd(DATA, [[0]], 1, "div"), "scatter_nd: reduction 'div' is not supported for int64"),
    (TypeError, lambda: strew.scatter_nd(DATA, [[0]], 1, "add", include_self=0), "scatter_nd: include_self is an int; it must be a bool"),
    (ValueError, lambda: strew.scatter_nd(DATA, [[0]], 1, "\ud800"), "scatter_nd: reduction holds a character that is not valid Unicode"),
    (ValueError, lambda: strew.scatter_nd(DATA, [[0]], 1, "add", acc_dtype="float"), "scatter_nd: acc_dtype 'float' is not one of 'data', 'float32'"),
    (ValueError, lambda: strew.scatter_nd(DATA.astype("f2"), [[0]], 1, acc_dtype="float32"), "scatter_nd: acc_dtype is for reductions; reduction is 'none'"),
    (TypeError, lambda: strew.scatter_nd(DATA, [[0]], 1, "add", acc_dtype="float32"), "scatter_nd: acc_dtype 'float32' is for floats of 8 and 16 bits; data is int64"),
    (TypeError, lambda: strew.scatter_nd(DATA, [[0]], 1, "add", alpha=0.5), "scatter_nd: alpha holds 0.5, of type float64, but data is int64; pass values of type int64, or data of type float64"),
    (ValueError, lambda: strew.scatter_nd(DATA, [[0]], 1, alpha=2), "scatter_nd: alpha is for reductions; reduction is 'none'"),
    (ValueError, lambda: strew.scatter_nd(DATA, [[0]], 1, "add", alpha=[1, 2]), "scatter_nd: alpha has shape [2]; it must be one element"),
    (TypeError, lambda: strew.scatter_nd(DATA, [[0]], 1, "add", alpha=np.array(1, "i4")), "scatter_nd: alpha is int32 but data is int64; both must have the same type"),
    (OverflowError, lambda: strew.scatter_nd(DATA.astype("u1"), [[0]], 1, "add", alpha=256), None),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call", "message"), REFUSED, ids=[str(row[2])[:60] for row in REFUSED])
def test_what_cannot_be_is_refused(error, call, message):
    with pytest.raises(error) as refusal:
        call()
    if message is not None:
        assert str(refusal.value).startswith(message)


def test_a_flag_may_be_numpys():
    assert strew.scatter_nd(np.array([5.0, 6.0]), [[0]], [1.0], "add", include_self=np.bool_(False)).tolist() == [1, 6]
    assert strew.scatter_nd(np.array([5.0, 6.0]), [[0]], [1.0], "add", include_self=np.bool_(True)).tolist() == [6, 6]


def test_one_value_may_stand_for_all_of_the_data():
    base = strew.broadcast_full((2**40, 2**20), 0, "int8")
    assert base.strides == (0, 0) and not base.flags.writeable
    assert strew.gather(base, [2**40 - 1]).shape == (1, 2**20)
    for dtype in ("float32", "int64", "bool", "U3", "O", "M8[D]", "bfloat16"):
        dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
        value = "ab" if dtype.kind in "UO" else "2024-01-01" if dtype.kind == "M" else 1
        base, updates = strew.broadcast_full((5, 3), value, dtype), np.zeros((2, 3)).astype(dtype)
        updates = updates.astype(str).astype(object) if dtype == object else updates
        wanted = np.full((5, 3), value, dtype)
        wanted[[4, 1]] = updates
        result = strew.scatter_nd(base, [[4], [1]], updates)
        assert result.tolist() == wanted.tolist() and result.dtype == wanted.dtype
    assert strew.broadcast_full(3, 1.5).tolist() == [1.5] * 3 and strew.broadcast_full((), 7).shape == ()
    counts = strew.scatter_nd(strew.broadcast_full(300, 0), np.arange(600)[:, None] % 300, 1, "add")
    assert counts.tolist() == [2] * 300


@pytest.mark.parametrize(
    ("error", "shape", "value", "message"),
    [
        (TypeError, 2.5, 0, "shape is 2.5; it must be an int or a sequence of ints"), (TypeError, [1, "2"], 0, "shape is [1, '2']; it must"),
        (ValueError, (-1, 2), 0, "shape [-1, 2] has a negative dimension"), (ValueError, 3, [1, 2], "fill_value has shape [2]; it must be a scalar"),
        (ValueError, (2**62, 2**62), 1, f"shape [{2**62}, {2**62}] of type int64 is too large"), (ValueError, 2**70, 1, f"shape [{2**70}] of type"),
        (ValueError, [1] * 65, 1, "shape ["),
    ],
)  # fmt: skip
def test_a_shape_or_value_that_is_none_is_refused(error, shape, value, message):
    with pytest.raises(error) as refusal:
        strew.broadcast_full(shape, value)
    assert str(refusal.value).startswith(f"broadcast_full: {message}")


@pytest.mark.parametrize(
    ("error", "value", "dtype"),
    [
        (TypeError, 1.5, int), (TypeError, np.float32(1), "uint8"), (TypeError, 1.5, bool), (TypeError, 1.5, ml_dtypes.int4),
        (TypeError, ml_dtypes.bfloat16(1.5), int), (TypeError, 1j, float), (TypeError, np.complex64(1j), "float32"),
        (OverflowError, 300, "int8"), (OverflowError, np.int64(300), "int8"), (OverflowError, -1, "uint8"), (OverflowError, 9, ml_dtypes.int4),
        (TypeError, 0, "float12"), (OverflowError, 2, bool), (OverflowError, "abc", "U1"), (OverflowError, b"abc", "S2"), (TypeError, "2", int),
        (TypeError, 2, "U1"), (TypeError, "a", "S1"),
    ],
)  # fmt: skip
def test_a_value_that_its_type_cannot_hold_is_refused(error, value, dtype):
    with pytest.raises(error):
        strew.broadcast_full(3, value, dtype)


def test_a_value_takes_a_type_that_can_hold_it():
    for value, dtype in ((1, float), (np.int64(7), "int8"), (0.1, "float32"), (3, ml_dtypes.int4), (1.5, ml_dtypes.bfloat16), (2, complex), (1, bool), ("abc", "U3")):
        result = strew.broadcast_full(2, value, dtype)
        assert result.dtype == dtype and result.tolist() == np.array([value] * 2).astype(dtype).tolist()


def test_names_of_ml_dtypes_need_no_import_of_theirs():
    code = "import sys, strew; assert 'ml_dtypes' not in sys.modules; print(strew.broadcast_full(3, 0, 'bfloat16').dtype)"
    assert run_python(code) == "bfloat16\n"
    code = "import sys; sys.modules['ml_dtypes'] = None; import strew; strew.broadcast_full(3, 0, 'bfloat16')"
    words = "'bfloat16' not understood; bfloat16 and similar types need the package ml_dtypes"
    refuses(AssertionError, words, run_python, code)


def test_an_explanation_names_the_call():
    explained = strew.explain(strew.scatter_nd, DATA, [[0]], [1], "mean", include_self=False)
    assert "reduction=mean" in explained["call"] and "include_self=false" in explained["call"]
    assert repr(explained).splitlines()[0] == explained["call"]


def test_a_picture_says_what_updates_are_multiplied_by():
    picture = strew.picture(strew.scatter_nd, DATA, [[0]], [1], "add", alpha=37)
    assert picture.error is None and "alpha=37" in picture.svg


def test_duplicates_are_refused_where_that_is_asked_for():
    data = np.arange(4.0)
    with pytest.raises(ValueError, match=r"updates\[2\] has the same destination as updates\[0\]"):
        strew.scatter_nd(data, [[1], [0], [1]], [5.0, 6.0, 7.0], reject_duplicates=True, out=data)
    assert data.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match=r"^scatter_elements: updates\[1\] has the same destination as updates\[0\] \(indices\[1\] and indices\[0\]\)"):
        strew.scatter_elements(np.array(["a", "b"], object), [0, -2], ["x", "y"], reject_duplicates=True)
    assert strew.scatter_nd(data, [[1], [0]], [5.0, 6.0], reject_duplicates=True).tolist() == [6, 5, 2, 3]
    assert strew.scatter_nd(data, [[1], [1]], [5.0, 6.0], "add", reject_duplicates=True).tolist() == [0, 12, 2, 3]

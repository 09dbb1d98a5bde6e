"""strew.numpy compared with NumPy for rare operands: unusual types, subclasses, views, and shared memory."""

import copy
import warnings

import numpy as np
import pytest
import strew.numpy as snp
from numpy.lib.stride_tricks import as_strided

S = np.dtypes.StringDType


class Sub(np.ndarray):
    pass


class Duck:
    """An object that is only converted to an array by `__array__`."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


def words(n):
    return [f"{'long' * (i % 4 * 3)}{i}" for i in range(n)]


VALUES = {
    "strings": lambda n: np.array(words(n), S()),
    "strings or None": lambda n: np.array([None, *words(n - 1)], S(na_object=None)),
    "strings or nan": lambda n: np.array([*words(n - 1), np.nan], S(na_object=np.nan)),
    "objects": lambda n: np.array([None, *range(n - 1)], object),
    "objects of str": lambda n: np.array(words(n), object),
    "records": lambda n: np.array([(i, i / 2) for i in range(n)], [("a", "i1"), ("b", "f8")]),
    "records of objects": lambda n: np.array([(i, None) for i in range(n)], [("a", "i1"), ("b", object)]),
    "field": lambda n: np.array([(i, i / 2) for i in range(n)], [("a", "i1"), ("b", "f8")])["b"],
    "dates": lambda n: np.array(["NaT", *range(n - 1)], "M8[s]"),
    "spans": lambda n: np.array(["NaT", *range(n - 1)], "m8[ms]"),
    "longdouble": lambda n: np.arange(n).astype("g") / 3,
    "clongdouble": lambda n: np.arange(n).astype("G") / 3,
    "swapped": lambda n: np.arange(n).astype(">f8"),
    "swapped ints": lambda n: np.arange(n).astype(">i4"),
    "half": lambda n: np.arange(n).astype("f2") - 1,
    "complex": lambda n: np.arange(n) * 1j,
    "bools": lambda n: np.arange(n) % 2 == 0,
    "bytes": lambda n: np.array(words(n), "S20"),
    "text": lambda n: np.array(words(n), "U20"),
    "no bytes": lambda n: np.zeros(n, "V0"),
    "void": lambda n: np.arange(n, dtype="i8").view("V8"),
    "sub-arrays": lambda n: np.zeros(n, [("a", "i4", 3)]),
    "u8": lambda n: np.arange(n).astype("u8") + 2**63,
    **{kind: lambda n, kind=kind: (np.arange(n) * 37).astype(kind) for kind in "i1 u1 i2 u2 i4 u4 i8 f4 f8 c8".split()},
    "floats": lambda n: np.where(np.arange(n) % 3 == 0, np.nan, -0.0),
}
FORMS = {
    "plain": lambda a: a,
    "2-d": lambda a: a[: len(a) // 2 * 2].reshape(2, -1),
    "3-d": lambda a: a[:8].reshape(2, 2, -1),
    "fortran": lambda a: np.asfortranarray(a[: len(a) // 2 * 2].reshape(2, -1)),
    "reversed": lambda a: a[::-1],
    "every second": lambda a: a[::2],
    "0-d": lambda a: a[0:1].reshape(()),
    "empty": lambda a: a[:0],
    "read-only": lambda a: a.view() if a.setflags(write=False) else a,
    "subclass": lambda a: a.view(Sub),
    "masked": lambda a: np.ma.array(a, mask=np.arange(len(a)) % 2 == 1),
    "overlapping": lambda a: as_strided(a, (4, 3), (a.strides[0],) * 2) if a.dtype.kind not in "OT" else a,
    "all one": lambda a: as_strided(a, (4,), (0,)) if a.dtype.kind not in "OT" else a,
    "empty rows": lambda a: a[:0].reshape(3, 0),
}
INDICES = [
    lambda rng, n: rng.integers(-n, n, 3) if n else np.zeros(3, int),
    lambda rng, n: rng.integers(0, n, 2).astype("u1") if n else np.zeros(2, "u1"),
    lambda rng, n: rng.integers(-n, n, 3).astype(">i2") if n else np.zeros(1, ">i2"),
    lambda rng, n: [0, n - 1] if n else [],
    lambda rng, n: np.array([n]),
    lambda rng, n: np.array([0, -n - 1]),
    lambda rng, n: 0,
    lambda rng, n: np.int8(-1),
    lambda rng, n: [],
    lambda rng, n: np.zeros(0, int),
    lambda rng, n: np.zeros((2, 0), np.int8),
    lambda rng, n: np.zeros(0),
    lambda rng, n: np.array([0.0]),
    lambda rng, n: np.array([0], "u8"),
    lambda rng, n: np.array([0, 2**64 - 1], ">u8"),
    lambda rng, n: np.array([0], object),
    lambda rng, n: np.array([True, False]),
    lambda rng, n: True,
    lambda rng, n: None,
    lambda rng, n: np.array(["0"]),
    lambda rng, n: np.array([0], "m8[s]"),
    lambda rng, n: np.ma.array([0, 1], mask=[0, 1]),
    lambda rng, n: np.array([0, 0]).view(Sub),
    lambda rng, n: Duck(np.array([0, 0])),
    lambda rng, n: [[0], [0]],
    lambda rng, n: np.zeros((1, 2), int),
    lambda rng, n: 2**70,
    lambda rng, n: range(2),
    lambda rng, n: np.zeros(3, int)[::-1],
]
AT_INDICES = [
    *INDICES,
    lambda rng, n: np.array([0, 2**63 - 1], "u8"),
    lambda rng, n: (np.array([0, 0]),),
    lambda rng, n: (0, np.array([0, 0])),
    lambda rng, n: (slice(None), [0, 0]),
    lambda rng, n: (Ellipsis, np.array([0, -1])),
    lambda rng, n: (None, np.array([0])),
    lambda rng, n: slice(0, 2),
    lambda rng, n: (),
    lambda rng, n: np.bool_(True),
]


def drawn(rng, some):
    return some[int(rng.integers(0, len(some)))]


def array_of(seed):
    """Return a generator, the names of a type and a form, and an array of them; always the same for the same seed."""
    rng = np.random.default_rng(seed)
    kind, form = drawn(rng, list(VALUES)), drawn(rng, ["plain", *FORMS])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rng, kind, form, FORMS[form](VALUES[kind](8))


def given_values(rng, kind, a):
    """Return values to write or add, in the type of the array or another type."""
    n = int(rng.integers(0, 5))
    return drawn(
        rng,
        [
            VALUES[kind](8)[2 : 2 + n], VALUES[kind](8)[1], VALUES[kind](8)[:1], 1, 1.5, [1, 2], np.float32(2), [], None, "x", True,
            VALUES[drawn(rng, list(VALUES))](4)[:n], np.array([1, 2, 3], ">i2"), np.ma.array([1, 2], mask=[0, 1]),
            np.array([1, 2]).view(Sub), np.asarray(a).reshape(-1)[:2] if a.ndim else a,  # the last shares memory
        ],
    )  # fmt: skip


def a_call(seed, name):
    """Return the description of a call, its arguments, and the array that the call may write to."""
    rng, kind, form, a = array_of(seed)
    axis = drawn(rng, [None, 0, -1, 1, 0])
    n = a.size if axis is None or a.ndim == 0 else a.shape[axis % a.ndim]
    index = drawn(rng, AT_INDICES if name.endswith("at") else INDICES)(rng, n)
    mode = drawn(rng, ["raise", "raise", "raise", "wrap", "clip", 0, 1, 2, "bogus", "RAISE", None, True])
    about = f"{name} {kind} {form}"
    if name == "take":
        out = None
        if rng.random() < 0.4:
            shape = np.shape(index) if axis is None else a.shape[: axis % a.ndim] + np.shape(index) + a.shape[axis % a.ndim + 1 :] if a.ndim else ()
            out = np.zeros(shape, drawn(rng, [a.dtype, a.dtype, float]))
            out = drawn(rng, [out, out, out.view(Sub), np.asfortranarray(out), np.stack([out, out], -1)[..., 0]])
        return about, [a, index, axis, out, mode], out
    if name == "put":
        return about, [a, index, given_values(rng, kind, a), mode], a
    if name.endswith("along_axis"):
        shape = list(a.shape)
        if shape and rng.random() < 0.8:
            shape = [int(a.size > 0)] if axis is None else [drawn(rng, [m, 1]) if d != axis % a.ndim else 2 for d, m in enumerate(shape)]
            index = rng.integers(-1, 1, shape).astype(drawn(rng, ["i8", "i2", "u8", ">i4"]))
            if index.size and index.dtype.kind == "i" and rng.random() < 0.2:
                index.flat[-1] = drawn(rng, [n, -n - 1])
            index = drawn(rng, [index, index, index, index.view(Sub), index.tolist()])
        return about, [a, index, axis] if name == "take_along_axis" else [a, index, given_values(rng, kind, a), axis], a
    if name == "bincount":
        x = drawn(rng, [index, index, rng.integers(0, 5, 4), a])
        return about, [x, drawn(rng, [None, None, given_values(rng, kind, a), [1.0] * np.size(x)]), drawn(rng, [0, 0, 3, None, -1, 2.0, np.int8(2), "3"])], a
    return about, [a, index, given_values(rng, kind, a)], a


def outcome(module, name, seed):
    about, arguments, written = a_call(seed, name)
    function = module
    for part in name.split("."):
        function = getattr(function, part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except Exception as error:  # noqa: BLE001
            kind = type(error)
            return about, arguments, next(k for k in kind.__mro__ if k.__module__ == "builtins"), written
    return about, arguments, result, written


def same(a, b):
    if isinstance(a, type) or isinstance(b, type):
        return a is b
    if type(a) is not type(b) or np.shape(a) != np.shape(b):
        return False
    if not isinstance(a, np.ndarray | np.generic):
        return a is b or a == b or (a != a and b != b)
    if a.dtype != b.dtype:
        return False
    if isinstance(a, np.ma.MaskedArray) and not same(np.ma.getmaskarray(a), np.ma.getmaskarray(b)):
        return False
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.hasobject:
        return repr(a.tolist()) == repr(b.tolist())
    if a.dtype.kind in "fc":
        return np.array_equal(a, b, equal_nan=True)
    return a.tobytes() == b.tobytes()


NAMES = ["take", "put", "take_along_axis", "put_along_axis", "bincount", *(f"{name}.at" for name in snp.__all__ if hasattr(getattr(snp, name), "at"))]


def differs(name, seed):
    about, arguments, theirs, their_array = outcome(np, name, seed)
    _, _, ours, our_array = outcome(snp, name, seed)
    if not same(ours, theirs):
        return f"{about} {arguments} -> {ours!r}, NumPy's {theirs!r}"
    # NumPy may write before it rejects a call. Strew rejects the call without a write, unless NumPy runs it.
    untouched = isinstance(theirs, type) and same(our_array, a_call(seed, name)[2])
    if their_array is not None and not untouched and not same(our_array, their_array):
        return f"{about} {arguments} -> wrote {our_array!r}, NumPy {their_array!r}"
    return None


@pytest.mark.parametrize("name", NAMES)
def test_odd_operands_give_what_numpy_gives(name):
    found = [told for told in (differs(name, seed) for seed in range(400)) if told]
    assert not found, "\n".join(found[:5])


def test_a_wrong_index_is_found_before_values_are_cast():
    x = np.zeros(4, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a cast of 1e300 would warn
        with pytest.raises(IndexError, match=r"^put_along_axis: indices\[1\] = 9 is outside \[-4, 3\]"):
            snp.put_along_axis(x, np.array([1, 9]), np.array([1e300, 1.0]), 0)
    assert not x.any()


def test_a_ufunc_that_is_called_says_that_it_has_only_at():
    with pytest.raises(TypeError, match=r"^add: strew\.numpy\.add has only add\.at; for whole arrays use numpy\.add$"):
        snp.add(np.ones(2), 1)
    with pytest.raises(AttributeError, match=r"^strew\.numpy\.add has only at; use numpy\.add\.reduceat, or strew\.gather_scatter with"):
        snp.add.reduceat  # noqa: B018
    assert copy.copy(snp.add).__name__ == "add"
    with pytest.raises(TypeError, match=r"strew\.numpy\.maximum has only maximum\.at; for whole arrays use numpy\.maximum$"):
        snp.maximum(1, 2, out=None)

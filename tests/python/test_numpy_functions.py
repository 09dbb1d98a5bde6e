"""strew.numpy compared with NumPy: the same results bit by bit, the same errors, and no write before an error."""

import inspect
import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
import strew.numpy as snp
from hypothesis import given
from support import NUMPY_TYPES, assert_same, random_numbers, refuses, says, seeds

UFUNCS = [name for name in snp.__all__ if hasattr(getattr(snp, name), "at")]
BITWISE = [name for name in UFUNCS if name.startswith("bitwise")]
MODES = ["raise", "wrap", "clip"]
shapes = st.lists(st.sampled_from([1, 1, 2, 3, 5]), min_size=1, max_size=3).map(tuple)


def outcome(call):
    try:
        return call()
    except (IndexError, TypeError, ValueError, OverflowError) as error:
        return type(error)


def assert_same_outcome(ours, numpys):
    if isinstance(numpys, type) or isinstance(ours, type):
        assert ours is numpys
    elif isinstance(numpys, np.ndarray):
        assert_same(np.ascontiguousarray(ours).reshape(ours.shape), np.ascontiguousarray(numpys).reshape(numpys.shape))
    else:
        assert type(ours) is type(numpys)
        assert_same(np.asarray(ours), np.asarray(numpys))


def numbers(rng, shape, dtype, name):
    if np.dtype(dtype).kind in "f" and name == "divide":
        return rng.uniform(0.5, 2, shape).astype(dtype)
    return random_numbers(rng, shape, dtype)


INDICES = [
    lambda rng, shape: rng.integers(-shape[0], shape[0], 4),
    lambda rng, shape: rng.integers(0, shape[0], (2, 3)).tolist(),
    lambda rng, shape: tuple(rng.integers(-n, n, 5) for n in shape),
    lambda rng, shape: tuple(rng.integers(0, n, (2, 1) if axis else (3,)) for axis, n in enumerate(shape)),
    lambda rng, shape: rng.integers(0, 2, shape).astype(bool),
    lambda rng, shape: rng.integers(0, 2, shape[:1]).astype(bool),
    lambda rng, shape: (..., rng.integers(-shape[-1], shape[-1], 3)),
    lambda rng, shape: (slice(None, None, -1), rng.integers(0, shape[1], 3)) if len(shape) > 1 else [0],
    lambda rng, shape: (rng.integers(0, shape[0], 3), slice(None), rng.integers(0, shape[-1], 3)),
    lambda rng, shape: (slice(None), rng.integers(0, 2, shape[1]).astype(bool)) if len(shape) > 1 else [0],
    lambda rng, shape: (0, rng.integers(0, shape[1], 3)) if len(shape) > 1 else 0,
    lambda rng, shape: (0, rng.integers(0, 2, shape[1]).astype(bool)) if len(shape) == 2 else 0,
    lambda rng, shape: slice(0, 2),
    lambda rng, shape: (None, [0, 0]),
    lambda rng, shape: [],
    lambda rng, shape: [shape[0]],
    lambda rng, shape: [0.5],
    lambda rng, shape: (0,) * (len(shape) + 1),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(seeds, shapes, st.sampled_from(UFUNCS), st.sampled_from(NUMPY_TYPES), st.sampled_from(INDICES),
       st.integers(0, 5))  # fmt: skip
def test_at_is_numpys(seed, shape, name, dtype, make_index, form):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if name in BITWISE and dtype.kind not in "biu":
        dtype = np.dtype("int16")
    data = numbers(rng, shape, dtype, name)
    index = make_index(rng, shape)
    chosen = outcome(lambda: data[index].shape)
    chosen = chosen if isinstance(chosen, tuple) else (2,)
    other = [dtype, dtype, np.dtype("int8"), np.dtype("int64"), np.dtype("float32"), np.dtype("float64")][form]
    updates = numbers(rng, chosen if rng.integers(0, 3) else chosen[-1:], other, name)
    if form == 1 and dtype.kind in "iuf":
        updates = updates.reshape(-1)[:1].tolist()[0] if updates.size else 1
    ours, numpys = data.copy(), data.copy()
    # NumPy 2.4 reads past the end of updates that are broadcast to a 2-D index of 1-D data.
    whole = np.broadcast_to(updates, chosen).copy() if len(shape) == 1 and np.shape(updates) == chosen[1:] else updates
    wanted = outcome(lambda: getattr(np, name).at(numpys, index, whole))
    assert outcome(lambda: getattr(snp, name).at(ours, index, updates)) is wanted
    if wanted is not None:  # NumPy may have written before it detected the error
        return
    nan = numpys != numpys
    assert np.array_equal(ours != ours, nan)
    assert np.where(nan, np.zeros_like(ours), ours).tobytes() == np.where(nan, np.zeros_like(ours), numpys).tobytes()


@pytest.mark.parametrize("dtype", [float, object])  # NumPy runs calls with objects; its `put` writes, as documented
def test_nothing_is_written_where_an_index_is_outside(dtype):
    for call in (
        lambda x: snp.add.at(x, [0, 7], 5),
        *[lambda x: snp.put(x, [0, 7], 5)] * (dtype is float),
        lambda x: snp.put_along_axis(x, np.array([0, 7]), 5, 0),
        lambda x: snp.take(np.ones(3, dtype), [0, 7], out=x[:2]),
    ):
        x = np.arange(4).astype(dtype)
        with pytest.raises(IndexError):
            call(x)
        assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", UFUNCS)
def test_an_index_outside_beside_an_empty_one_is_as_numpys(name):
    parts = [0, 7, np.empty(0, int), np.array([], bool), np.zeros(4, bool), [7], [], np.array([[7]]), np.zeros((0, 1), int)]
    parts += [slice(0, 0), slice(None)]
    values = np.full((4, 4), 1, bool if name.startswith("bitwise") else float)
    refusals = 0
    for index in [*itertools.product(parts, parts), *((part,) for part in parts)]:
        ours, numpys = values.copy(), values.copy()
        wanted = outcome(lambda index=index, a=numpys: getattr(np, name).at(a, index, values.dtype.type(1)))
        assert outcome(lambda index=index, a=ours: getattr(snp, name).at(a, index, values.dtype.type(1))) is wanted
        assert_same(ours, numpys)
        refusals += wanted is IndexError
    assert refusals > 30


def test_results_are_no_views_and_can_be_resized():
    a = np.arange(12.0).reshape(3, 4)
    for result in (
        *(snp.take(a, [[1, 0]], axis, mode=mode) for axis in (None, 0, 1) for mode in MODES),
        snp.take(np.zeros((3, 2**17)), [0, 2], 0),  # large enough for memory of the library
        snp.take(np.array(["a", "bc"]), [1]),
        snp.take_along_axis(a, np.array([[1]]), 1),
        snp.bincount(np.ones(2**17, int)),
        snp.bincount([1, 2], [0.5, 0.5]),
    ):
        assert (result.flags.owndata, result.base) == (True, None)
        result.resize(result.size + 1, refcheck=False)
        assert result[-1] in (0, "")


def test_an_out_that_is_cast_to_or_of_another_shape_is_as_numpys():
    a = np.arange(12.0).reshape(3, 4)
    for axis, shape, dtype, mode in (
        (None, 2, int, "raise"), (None, 2, int, "clip"), (None, 2, "f4", "raise"), (None, 2, "f4", "clip"), (None, (2, 4), float, "clip"),
        (None, (2, 4), float, "raise"), (0, (2, 4), "f4", "clip"), (0, 2, float, "raise"), (1, (3, 2), int, "wrap"), (-1, (3, 2), "f4", "wrap"),
    ):  # fmt: skip
        ours, numpys = np.full(shape, 9, dtype), np.full(shape, 9, dtype)
        wanted = outcome(lambda axis=axis, out=numpys, mode=mode: np.take(a, [0, 1], axis, out, mode))
        assert_same_outcome(outcome(lambda axis=axis, out=ours, mode=mode: snp.take(a, [0, 1], axis, out, mode)), wanted)
        assert_same(ours, numpys)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: snp.take(np.zeros((3, 4)), [0, 9], 1), "take: indices[1] = 9 is outside [-4, 3] for axis 1 of data with shape [3, 4]"),
        (lambda: snp.take(np.zeros(4), [9], out=np.zeros(1)), "take: indices[0] = 9 is outside [-4, 3] for axis 0 of data with shape [4]"),
        (lambda: snp.take_along_axis(np.zeros(4), np.array([9])), "take_along_axis: indices[0] = 9 is outside [-4, 3] for axis 0 of"),
        (lambda: snp.take(np.zeros((3, 4)), [0, 50]), "take: indices[1] = 50 is outside [-12, 11] for the flattened array of shape [3, 4]"),
        (lambda: snp.take(5.0, [1]), "take: indices[0] = 1 is outside [-1, 0] for the flattened array of shape []"),
        (
            lambda: snp.take_along_axis(np.zeros((1, 3)), np.array([[0], [5]]), 1),
            "take_along_axis: indices[1, 0] = 5 is outside [-3, 2] for axis 1 of data with shape [1, 3]",
        ),
        (
            lambda: snp.take_along_axis(np.zeros((3, 4)), np.array([12]), None),
            "take_along_axis: indices[0] = 12 is outside [-12, 11] for the flattened array of shape [3, 4]",
        ),
        (lambda: snp.put(np.zeros((3, 4)).T, [12], 1), "put: indices[0] = 12 is outside [-12, 11] for the flattened array of shape [4, 3]"),
        (
            lambda: snp.put_along_axis(np.zeros((3, 4)), np.array([12]), 1, None),
            "put_along_axis: indices[0] = 12 is outside [-12, 11] for the flattened array of shape [3, 4]",
        ),
        (lambda: snp.put(np.zeros(4), [9], 1), "put: indices[0] = 9 is outside [-4, 3] for axis 0 of"),
        (lambda: snp.put_along_axis(np.zeros(4), np.array([9]), 1, 0), "put_along_axis: indices[0] = 9 is outside [-4, 3] for axis 0 of"),
        (
            lambda: snp.add.at(np.zeros((3, 4)), (slice(None), [0, 9]), 1),
            "add.at: the index 9 at [1] is outside [-4, 3] for axis 1 of an array of shape [3, 4]",
        ),
        (
            lambda: snp.maximum.at(np.zeros((3, 4, 5)), (np.uint64([[2], [1]]), slice(None), [0, -6]), 1),
            "maximum.at: the index -6 at [0, 1] is outside [-5, 4] for axis 2 of an array of shape [3, 4, 5]",
        ),
        (lambda: snp.add.at(np.zeros(3), np.array([0, 3]), 1), "add.at: the index 3 at [1] is outside [-3, 2] for axis 0 of an array"),
    ],
)  # fmt: skip
def test_a_bad_index_is_named_in_the_words_of_the_call(call, message):
    with pytest.raises(IndexError) as caught:
        call()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("take", lambda: snp.take(np.zeros(3), np.broadcast_to(0, (2**50,)))),
        ("take_along_axis", lambda: snp.take_along_axis(np.zeros(3), np.broadcast_to(0, (2**50,)))),
        ("bincount", lambda: snp.bincount(np.r_[np.zeros(70000, int), 2**50])),
    ],
)
def test_a_result_without_memory_is_named_as_the_call(name, call):
    with pytest.raises(MemoryError, match=f"^{name}: no memory") as caught:
        call()
    assert caught.value.operator == name


def test_operands_may_share_memory():
    for name in ("add", "maximum"):
        ours, numpys = np.arange(6.0), np.arange(6.0)
        getattr(np, name).at(numpys, [3, 3, 1], numpys[2:5].copy())
        getattr(snp, name).at(ours, [3, 3, 1], ours[2:5])
        assert_same(ours, numpys)
    x = np.arange(5)
    snp.put(x, x[:2], x[3:])
    assert x.tolist() == [3, 4, 2, 3, 4]
    x = np.arange(5)
    snp.take(x, [4, 3, 2], out=x[:3])
    assert x.tolist() == [4, 3, 2, 3, 4]


def extremes(dtype):
    """Return values of the type, including values that other types wrap, round or lack."""
    if dtype.kind == "b":
        return np.array([False, True])
    ends = [-np.inf, np.inf, -1] if dtype.kind == "f" else [np.iinfo(dtype).min, np.iinfo(dtype).max, -(dtype.kind == "i")]
    return np.array([*ends, 0, 2, 5], dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("b", [2**64, -(2**64), 1e300, 1e-300, np.float64(1e300)])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_a_scalar_beyond_the_type_of_data_is_cast_without_a_warning(name, b):
    for dtype, start in itertools.product(("f4", "f8"), (np.nan, 1)):
        ours, numpys = np.full(2, start, dtype), np.full(2, start, dtype)
        with np.errstate(all="ignore"):
            getattr(np, name).at(numpys, np.array([0]), b)
        with np.errstate(over="raise" if start == 1 and name == "minimum" else "ignore"):
            getattr(snp, name).at(ours, np.array([0]), b)
        np.testing.assert_array_equal(ours, numpys, dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", UFUNCS)
def test_values_that_the_type_of_data_lacks_combine_as_numpys(name):
    types = [np.dtype(kind) for kind in ("?", "i1", "u1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")]
    for dtype, other in itertools.product(types, types):
        for b in (*extremes(other)[:, None], *extremes(other), *extremes(other).tolist(), 0.1, 10**400):
            ours, numpys = extremes(dtype), extremes(dtype)
            places = np.arange(len(ours))
            wanted = outcome(lambda: getattr(np, name).at(numpys, places, b))
            assert outcome(lambda: getattr(snp, name).at(ours, places, b)) is wanted, (dtype, other, b)
            if wanted is None:
                np.testing.assert_array_equal(ours, numpys, f"{dtype} {other} {b}")


def test_at_takes_unsigned_indices_beside_signed_ones():
    for other in (np.array([1, 2]), -1, np.array([False, True, True])):
        for row in (np.array([1, 0], "u8"), np.array([2**64 - 1, 0], "u8"), np.array([0, 9], "u8"), np.array([], "u8")):
            ours, numpys = np.zeros((2, 3)), np.zeros((2, 3))
            wanted = outcome(lambda: np.add.at(numpys, (row, other), 1))
            assert outcome(lambda: snp.add.at(ours, (row, other), 1)) is wanted
            if wanted is None:
                assert_same(ours, numpys)


@pytest.mark.parametrize("mode", MODES)
def test_data_without_axes_and_axes_without_positions_are_taken_as_by_numpy(mode):
    nothing = np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((0, 0))
    calls = [(np.array(5), indices, axis) for indices in (0, [0, 0], [1]) for axis in (None, 0, -1, 1)]
    calls += [(data, indices, axis) for data in nothing for indices in ([], [0], [7], 0) for axis in (None, 0, 1)]
    for data, indices, axis in calls:
        indices = np.asarray(indices, int)
        numpys = "clip" if mode == "wrap" and data.size == 0 else mode  # NumPy's wrap loops forever on an empty axis
        wanted = outcome(lambda call=(data, indices, axis), mode=numpys: np.take(*call, mode=mode))
        assert_same_outcome(outcome(lambda call=(data, indices, axis): snp.take(*call, mode=mode)), wanted)


def test_many_values_are_counted_whatever_a_sample_of_them_says():
    few = np.arange(70_000) % 1000
    late, negative, spread = few.copy(), few.copy(), few * 1000
    late[1], negative[1] = 5000, -1
    for values in (few, late, negative, spread, few.astype(np.uint8), few + 1000):
        for least in (0, 3000):
            call = (values, None, least)
            assert_same_outcome(outcome(lambda call=call: snp.bincount(*call)), outcome(lambda call=call: np.bincount(*call)))


@pytest.mark.parametrize("least", [True, 2**62, 2**63, 2**70, -1, 1.5])
def test_a_minlength_that_is_none_is_refused_as_by_numpy(least):
    assert outcome(lambda: snp.bincount([1, 2], minlength=least)) is outcome(lambda: np.bincount([1, 2], minlength=least))


def test_more_bins_than_an_array_may_have_are_refused_as_by_numpy():
    for call in (lambda lib: lib.bincount([2**62]), lambda lib: lib.bincount([0], minlength=2**60)):
        with pytest.raises((ValueError, MemoryError)) as numpys:
            call(np)
        says(numpys.type, str(numpys.value), call, snp)


def test_an_axis_that_is_a_bool_and_an_array_that_is_read_only_are_refused_as_by_numpy():
    refuses(TypeError, "an integer is required for the axis", snp.take, np.zeros((2, 2)), [0], axis=True)
    refuses(ValueError, "^put: output array is read-only$", snp.put, np.frombuffer(bytes(24)), [0], 1)


def test_the_functions_have_numpys_parameters():
    for name in ("take", "take_along_axis", "put", "put_along_axis"):
        ours, numpys = (inspect.signature(getattr(module, name)).parameters for module in (snp, np))
        assert list(ours) == list(numpys)
        if np.__version__ >= "2.3":
            assert [p.default for p in ours.values()] == [p.default for p in numpys.values()]

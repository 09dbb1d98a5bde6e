"""Elements of types that the library lacks (dates, long doubles, records) are copied unchanged."""

import ml_dtypes
import numpy as np
import pytest
import support
from support import elements_index, refuses, restrided, says, tuples_index

import strew

TYPES = {
    "dates": "M8[s]",
    "durations": "m8[ms]",
    "longdouble": np.longdouble,
    "clongdouble": np.clongdouble,
    "void": "V5",
    "record": [("a", "i4"), ("b", "S3"), ("c", "f8", (2,))],
    "swapped dates": ">M8[ns]",
    "float6": ml_dtypes.float6_e2m3fn,
}


def assert_same(result, wanted):
    """Assert equal bits, except in the padding of long doubles, which NumPy does not always copy."""
    assert result.dtype == wanted.dtype
    if wanted.dtype.char in "gG":
        result, wanted = result.astype(complex), wanted.astype(complex)
    support.assert_same(result, wanted)


def some(rng, shape, dtype):
    """Return random values of the type without undefined padding bytes."""
    dtype = np.dtype(dtype)
    if dtype.char in "gG":
        return rng.standard_normal(shape).astype(dtype)
    if dtype.name.startswith("float"):
        return rng.integers(0, 4, shape).astype(dtype)
    return rng.integers(1, 255, (*shape, dtype.itemsize), dtype=np.uint8).view(dtype).reshape(shape)


@pytest.mark.parametrize("name", TYPES)
def test_every_operator_moves_them(name):
    rng = np.random.default_rng(5)
    data = some(rng, (4, 3), TYPES[name])
    for given in (data, restrided(rng, data), np.broadcast_to(data[:1], data.shape)):
        whole = np.array(given)
        assert_same(strew.gather(given, [3, -4]), whole[[3, 0]])
        assert_same(strew.gather(given, [[2], [0]], axis=1), whole[:, [[2], [0]]])
        places = rng.integers(-4, 4, (2, 3))
        assert_same(strew.gather_elements(given, places), whole[elements_index(places, 0)])
        tuples = np.array([[0, 1], [-1, 2], [0, 1]])
        assert_same(strew.gather_nd(given, tuples), whole[tuples_index(tuples)])
        updates = some(rng, (2, 3), TYPES[name])
        wanted = whole.copy()
        for i in np.ndindex(places.shape):
            wanted[places[i], i[1]] = updates[i]
        assert_same(strew.scatter_elements(given, places, restrided(rng, updates)), wanted)
        wanted = whole.copy()
        wanted[1], wanted[3] = updates
        assert_same(strew.scatter_nd(given, [[1], [-1]], updates), wanted)
        wanted = whole.copy()
        wanted[...] = updates[0, 1]
        same = np.broadcast_to(updates[0, 1], (1, 4, 3))
        assert_same(strew.scatter_nd(given, np.empty((1, 0), int), same), wanted)
        wanted = whole.copy()
        wanted[2] = updates[1, 1]
        assert_same(strew.scatter_nd(given, [[2]], updates[1, 1:2].reshape(())), wanted)
        wanted = whole.copy()
        wanted[:2, 1:] = updates[:, 1:]
        assert_same(strew.tensor_scatter(given[:2], updates[:, 1:], [1, 1], axis=1), wanted[:2])
        out = data.copy()
        strew.scatter_nd(out, [[1], [-1]], updates, out=out)
        wanted = data.copy()
        wanted[1], wanted[3] = updates
        assert_same(out, wanted)
        assert strew.explain(strew.scatter_nd, out, [[1], [-1]], updates)["strategy"] == "serial"


def test_many_of_them_are_moved_by_many_threads():
    rng = np.random.default_rng(6)
    data = some(rng, (5000, 3), "M8[s]")
    places, updates = rng.integers(-5000, 5000, 7000), some(rng, (7000, 3), "M8[s]")
    wanted = data.copy()
    for place, update in zip(places, updates, strict=True):
        wanted[place] = update
    for threads in (1, 2, 3):
        with strew.num_threads(threads):
            assert_same(strew.scatter_nd(data, places[:, None], updates), wanted)
            assert_same(strew.gather(data, places), data[places])


def test_what_is_outside_is_filled_or_dropped():
    days = np.array(["2024-01-01", "2024-02-29"], "M8[D]")
    never = np.datetime64("NaT")
    result = strew.gather(days, [1, 2], out_of_bounds="fill", fill_value=never)
    assert result[0] == days[1] and np.isnat(result[1])
    assert strew.gather(days, [2], out_of_bounds="fill") == np.datetime64("1970-01-01")
    assert strew.gather(days, [2], out_of_bounds="fill", fill_value="2000-01-01") == np.datetime64("2000-01-01")
    assert strew.gather(days, [9, -1], out_of_bounds="clip", negative_indices="out_of_bounds").tolist() == days[::-1].tolist()
    records = np.zeros(2, [("a", "i4"), ("b", "U2")])
    filled = strew.gather(records, [0, 5], out_of_bounds="fill", fill_value=(7, "no"))
    assert filled.tolist() == [(0, ""), (7, "no")]
    dropped = strew.scatter_nd(days, [[5], [0]], days[::-1].copy(), out_of_bounds="drop")
    assert dropped.tolist() == [days[0], days[1]]
    with pytest.raises(TypeError, match="^gather: fill_value cannot go into data of type datetime64.D.: "):
        strew.gather(days, [2], out_of_bounds="fill", fill_value=1.5)
    with pytest.raises(ValueError, match="^gather: fill_value has shape .2.; it must be one element$"):
        strew.gather(days, [2], out_of_bounds="fill", fill_value=days)


def test_sequences_take_the_type_of_the_data():
    days = np.array(["2024-01-01", "2024-02-29"], "M8[D]")
    assert strew.scatter_nd(days, [[0]], ["1999-12-31"]).astype(str).tolist() == ["1999-12-31", "2024-02-29"]
    assert strew.scatter_nd(np.zeros(2, np.longdouble), [[0]], 1.5).tolist() == [1.5, 0]
    assert strew.scatter_nd(np.zeros(2, "i4,f8"), [[1]], [(1, 2.5)]).tolist() == [(0, 0), (1, 2.5)]
    assert strew.scatter_nd(np.zeros(2, "m8[s]"), [[1]], 3).tolist()[1].seconds == 3


DAYS, SECONDS = np.zeros(2, "M8[D]"), np.zeros(2, "M8[s]")
REFUSED = [
    (TypeError, lambda: strew.scatter_nd(DAYS, [[0]], SECONDS[:1]), "scatter_nd: updates are datetime64[s] but data is datetime64[D]; both must have the same type; use .astype('datetime64[D]') or casting='same_kind'"),
    (TypeError, lambda: strew.scatter_nd(np.zeros(2), [[0]], DAYS[:1]), "scatter_nd: updates are datetime64[D] but data is float64; both must have the same type"),
    (TypeError, lambda: strew.scatter_nd(DAYS, [[0]], np.zeros(1)), "scatter_nd: updates are float64 but data is datetime64[D]; both must have the same type"),
    (TypeError, lambda: strew.tensor_scatter(DAYS.reshape(1, 2), SECONDS.reshape(1, 2), axis=1), "tensor_scatter: update is datetime64[s] but past_cache is datetime64[D]; both must have the same type; use .astype('datetime64[D]') or casting='same_kind'"),
    (TypeError, lambda: strew.scatter_nd(DAYS, [[0]], DAYS[:1], "max"), "scatter_nd: reduction 'max' is not supported for datetime64[D], which can only be moved"),
    (TypeError, lambda: strew.gather(DAYS, [0], out=SECONDS[:1]), "gather: out has type datetime64[s]; the result has type datetime64[D]"),
    (TypeError, lambda: strew.gather(DAYS, [0], out=np.zeros(1)), "gather: out has type float64; the result has type datetime64[D]"),
    (TypeError, lambda: strew.gather(np.zeros(2), [0], out=DAYS[:1]), "gather: out has type datetime64[D]; the result has type float64"),
    (TypeError, lambda: strew.gather(np.zeros(2), DAYS), "gather: indices are of type datetime64[D]; they must be integers"),
    (TypeError, lambda: strew.picture(strew.gather, data=DAYS, indices=[0]), "gather: a picture shows elements of ONNX's types; data is datetime64[D]"),
    (IndexError, lambda: strew.scatter_nd(DAYS, [[2]], DAYS[:1]), "scatter_nd: indices[0, 0] = 2 is outside [-2, 1] for axis 0 of data with shape [2]"),
    (IndexError, lambda: strew.tensor_scatter(DAYS.reshape(1, 2), DAYS[:1].reshape(1, 1), [2], axis=1), "tensor_scatter: write_indices[0] = 2 leaves no room for an update of length 1 on axis 1 of past_cache with shape [1, 2]; the highest valid value is 1"),
    (TypeError, lambda: strew.scatter_nd(np.zeros(1), [[0]], 1, casting=True), "scatter_nd: casting is a bool; it must be a str"),
    (ValueError, lambda: strew.scatter_nd(np.zeros(1), [[0]], 1, casting="unsafe"), "scatter_nd: casting 'unsafe' is not one of 'equiv', 'same_kind'"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call", "message"), REFUSED, ids=[row[2][:60] for row in REFUSED])
def test_what_does_not_fit_is_refused_in_elements_not_in_bytes(error, call, message):
    says(error, message, call)


def test_shapes_are_refused_in_elements_not_in_bytes():
    refuses(ValueError, r"updates have shape \[2\]; they must have \[1\]", strew.scatter_nd, DAYS, [[1]], DAYS)


@pytest.mark.parametrize(
    ("data", "updates"),
    [("f8", "f4"), ("f4", "f8"), ("i4", "i8"), ("f4", "i8"), ("i8", "u1"), ("c8", "f8"), ("f8", "?"), ("M8[s]", "M8[D]"),
     ("g", "f4"), ("f4", "g")],
)  # fmt: skip
def test_cast_updates_take_the_type_of_the_data(data, updates):
    data, updates = np.zeros(3, data), np.array([1, 0, 1]).astype(updates)
    refuses(TypeError, "or casting='same_kind'$", strew.scatter_nd, data, [[2], [1], [0]], updates)
    wanted = data.copy()
    wanted[[2, 1, 0]] = updates
    assert_same(strew.scatter_nd(data, [[2], [1], [0]], updates, casting="same_kind"), wanted)
    assert_same(strew.scatter_elements(data, [2, 1, 0], updates, casting="same_kind"), wanted)
    wanted = data.reshape(1, 3).copy()
    wanted[:] = updates
    assert_same(strew.tensor_scatter(data.reshape(1, 3), updates.reshape(1, 3), axis=1, casting="same_kind"), wanted)


def test_a_broadcast_update_is_cast_once():
    huge = np.broadcast_to(np.float32(2), (2**20, 2**20))
    result = strew.scatter_nd(np.zeros((1, 2**20)), np.zeros((2, 1), int), huge[:2], "add", casting="same_kind")
    assert np.all(result == 4)
    assert strew.scatter_nd(np.zeros(2), [[0]], np.float32(3).reshape(()), casting="same_kind").tolist() == [3, 0]
    with pytest.raises(ValueError, match="updates have shape .1048576, 1048576."):
        strew.scatter_nd(np.zeros((1, 2)), [[0]], huge, casting="same_kind")


@pytest.mark.parametrize(("data", "updates"), [("i8", "f8"), ("u8", "i8"), ("f8", "c16"), ("?", "i1"), ("f8", "U3"), ("i4", "M8[s]")])
def test_what_numpy_casts_only_by_force_is_refused_also_with_same_kind(data, updates):
    with pytest.raises(TypeError, match=r"both must have the same type(; convert the latter with .astype\('[a-z0-9]+'\))?$"):
        strew.scatter_nd(np.zeros(3, data), [[0]], np.zeros(1, updates), casting="same_kind")


def test_types_of_ml_dtypes_are_cast_by_kind():
    data = np.zeros(2, ml_dtypes.bfloat16)
    assert strew.scatter_nd(data, [[1]], np.float32([1.5]), casting="same_kind").tolist() == [0, 1.5]
    assert strew.scatter_nd(np.zeros(2), [[1]], np.ones(1, ml_dtypes.bfloat16), casting="same_kind").tolist() == [0, 1]
    with pytest.raises(TypeError, match="updates are bfloat16 but data is int64"):
        strew.scatter_nd(np.zeros(2, int), [[1]], np.ones(1, ml_dtypes.bfloat16), casting="same_kind")


def test_equal_types_of_any_byte_order_are_equiv():
    assert strew.scatter_nd(np.zeros(1), [[0]], np.ones(1, ">f8"), casting="equiv").tolist() == [1]


def test_tensors_are_cast():
    torch = pytest.importorskip("torch")
    data, updates = torch.zeros(3), torch.tensor([1, 2])
    with pytest.raises(TypeError, match=r"; use .to\(torch.float32\) or casting='same_kind'$"):
        strew.scatter_nd(data, torch.tensor([[0], [2]]), updates)
    assert strew.scatter_nd(data, torch.tensor([[0], [2]]), updates, casting="same_kind").tolist() == [1, 0, 2]
    assert strew.scatter_nd(data, [[0], [2]], updates.numpy(), casting="same_kind").tolist() == [1, 0, 2]
    assert strew.scatter_nd(data.numpy(), [[0], [2]], updates, casting="same_kind").tolist() == [1, 0, 2]

"""Strings as objects, with fixed width, and as StringDType are copied unchanged, and sums concatenate them."""

import sys

import numpy as np
import pytest
from support import Meddler, assert_same, refuses, restrided, says

import strew

WORDS = ["", "a", "né", "naïve ☃", "𝄞" * 3, "x\0y", "tail"]
TYPES = ["O", "U", "T", "S"]


def array_of(values, kind):
    if kind == "S":
        return np.array([value.encode() for value in values])
    return np.array(values, object if kind == "O" else np.dtypes.StringDType() if kind == "T" else "U")


def assert_equal(result, wanted):
    assert type(result) is np.ndarray
    assert result.dtype == wanted.dtype
    assert result.tolist() == wanted.tolist()


@pytest.mark.parametrize("kind", TYPES)
def test_strings_are_moved(kind):
    data = array_of(WORDS, kind)
    square = array_of(WORDS[:6], kind).reshape(2, 3)
    for index in ([3, -1, 0], [], [[6], [2]]):
        assert_equal(strew.gather(data, index), data[np.array(index, int)])
    assert_equal(strew.gather(square, [2, 0], axis=-1), square[:, [2, 0]])
    assert_equal(
        strew.gather_elements(square, [[2], [0]], axis=-1), np.array([square[0, 2:], square[1, :1]], square.dtype)
    )
    assert_equal(strew.gather_nd(square, [[1, 2]]), square[1:, 2])
    assert_equal(strew.gather_nd(square, [[2], [0]], batch_dims=1), square[[0, 1], [2, 0]])
    wanted = data.copy()
    wanted[1:3] = data[4:6]
    assert_equal(strew.scatter_nd(data, [[1], [2]], data[4:6]), wanted)
    assert_equal(strew.scatter_elements(data, [1, 2], data[4:6]), wanted)
    wanted = square[None].copy()
    wanted[0, 1] = square[0]
    assert_equal(strew.tensor_scatter(square[None], square[None, :1], [1]), wanted)


@pytest.mark.parametrize("kind", ["O", "U", "S"])
def test_strided_strings_are_moved(kind):
    data = array_of(WORDS[:6], kind).reshape(3, 2)
    memory = np.zeros((7, 3), data.dtype)[::-2, ::2][:3]
    memory[...] = data
    for view in (memory, np.broadcast_to(data[:1], (3, 2)), np.asfortranarray(data), data[::-1, ::-1]):
        assert_equal(strew.gather(view, [2, 0]), view[[2, 0]])
        assert_equal(strew.gather_elements(view, [[1, 1]]), view[1:2])
        assert_equal(strew.scatter_nd(view, [[0]], view[1:2]), view[[1, 1, 2]])
    if kind != "O":
        view = restrided(np.random.default_rng(2), data)
        assert_equal(strew.gather_nd(view, [[-1], [0]]), view[[-1, 0]])


@pytest.mark.parametrize("kind", TYPES)
def test_adding_is_concatenation_in_row_major_order(kind):
    data, updates = array_of(["a", "b", ""], kind), array_of(["1", "22", "333", "4"], kind)
    wanted = array_of(["a14", "b", "22333"], kind)
    assert_equal(strew.scatter_elements(data, [0, 2, -1, 0], updates, reduction="add"), wanted)
    assert_equal(strew.scatter_nd(data, [[0], [2], [-1], [0]], updates, "add"), wanted)
    assert_equal(
        strew.scatter_nd(data, np.empty((1, 0), int), updates[None, :3], "add"),
        array_of(["a1", "b22", "333"], kind),
    )
    assert_equal(
        strew.scatter_nd(data.reshape(3, 1), [[1], [1]], updates[:2, None], "add")[1], array_of(["b122"], kind)
    )


@pytest.mark.parametrize("reduction", ["mul", "max", "min"])
@pytest.mark.parametrize("kind", TYPES)
def test_other_reductions_of_strings_are_refused(kind, reduction):
    data = array_of(["a"], kind)
    with pytest.raises(TypeError, match=f"^scatter_nd: reduction '{reduction}' is not supported for string$"):
        strew.scatter_nd(data, [[0]], data, reduction)


def test_appending_many_strings_to_one_takes_linear_time():
    count = 200_000
    data = np.array(["", ""], object)
    result = strew.scatter_nd(data, np.zeros((count, 1), int), np.full(count, "wörd"), "add")
    assert result[0] == "wörd" * count
    raw = strew.scatter_nd(np.array([b""], object), np.zeros((count, 1), int), np.full(count, b"word", object), "add")
    assert raw[0] == b"word" * count


@pytest.mark.parametrize("operator", ["scatter_nd", "scatter_elements"])
def test_errors_of_additions_bear_the_operator_s_name(operator):
    data = np.array(["a", "b"], object)
    indices = [[5]] if operator == "scatter_nd" else [5]
    place = "indices[0, 0]" if operator == "scatter_nd" else "indices[0]"
    words = f"{operator}: {place} = 5 is outside [-2, 1] for axis 0 of data with shape [2]"
    says(IndexError, words, getattr(strew, operator), data, indices, ["q"], reduction="add")


def test_str_and_bytes_are_not_mixed_up():
    data = np.array(["a", b"b"], object)
    assert strew.gather(data, [1, 0]).tolist() == [b"b", "a"]
    words = "scatter_nd: update number 1 is of type str and cannot be appended to an element of type bytes"
    says(TypeError, words, strew.scatter_nd, data, [[0], [1]], np.array(["c", "d"], object), "add")
    assert data.tolist() == ["a", b"b"]


class Shouting(str):
    """A str whose own code must not run during a call."""

    def __add__(self, other):
        raise AssertionError("called")

    __radd__ = __add__


def test_no_code_of_a_subclass_runs():
    word = Shouting("a")
    data = np.array([word, "b"], object)
    assert strew.gather(data, [0])[0] is word
    assert strew.scatter_nd(data, [[0], [1]], np.array([word, word], object), "add").tolist() == ["aa", "ba"]


@pytest.mark.parametrize("missing", [None, np.nan, 5, "n/a"], ids=str)
def test_missing_strings_are_moved_but_not_added(missing):
    dtype = np.dtypes.StringDType(na_object=missing)
    data = np.array(["a", missing, "c"], dtype)
    plain = np.array(["x", "y"], np.dtypes.StringDType())
    moved = strew.gather(data, [1, 2])
    assert moved.dtype == dtype
    assert (moved[0] is missing or moved[0] == missing) and moved[1] == "c"
    assigned = strew.scatter_nd(plain, [[1]], data[1:2])
    assert assigned.dtype == dtype
    assert assigned[0] == "x" and (assigned[1] is missing or assigned[1] == missing)
    if missing != "n/a":
        words = "^scatter_nd: update number 1 is of type str and cannot be appended to an element of"
        refuses(TypeError, words, strew.scatter_nd, data, [[0], [1]], plain, "add")


def test_results_are_as_wide_as_need_be():
    assert_equal(strew.scatter_nd(np.array(["ab"]), [[0]], ["long text"]), np.array(["long text"]))
    assert_equal(strew.scatter_nd(np.array(["ab"]), [[0]], "long text", "add"), np.array(["ablong text"]))
    assert_equal(strew.scatter_nd(np.array(["ab"]), [[0]], np.array(["é"], object)), np.array(["é"], object))
    assert_equal(strew.gather(np.array(["ab", "abc"], ">U3"), [1]), np.array(["abc"], ">U3"))
    assert_equal(strew.scatter_nd(np.array(["ab", "abc"], ">U3"), [[1]], ["d"]), np.array(["ab", "d"], ">U3"))
    assert_equal(strew.gather(["ab", "abc"], [0]), np.array(["ab"], "<U3"))


MIXED = [
    (np.array(["a"]), [b"zzz"], "updates hold b'zzz', but data is <U1; write a str"),
    (np.array(["a"]), b"zzz", "updates hold b'zzz', but data is <U1; write a str"),
    (np.array(["a"]), ["b", b"\xff"], r"updates hold b'\\xff', but data is <U1; write a str"),
    (np.array([b"ab"]), ["x"], r"updates hold 'x', but data is \|S2; write bytes"),
    (np.array([b"ab"]), np.array(["é"]), r"updates of type <U1 cannot go into data of type \|S2; use .astype\('S'\)"),
    (np.array(["a"], np.dtypes.StringDType()), np.array([b"x"]), r"updates of type \|S1 cannot go into data of type StringDType"),
]


@pytest.mark.parametrize(("data", "updates", "message"), MIXED)
def test_str_and_bytes_do_not_mix(data, updates, message):
    with pytest.raises(TypeError, match=f"^scatter_nd: {message}"):
        strew.scatter_nd(data, [[0]] if isinstance(updates, bytes) else [[0]] * len(updates), updates)


def test_a_fill_value_is_of_the_kind_of_the_strings():
    for data, value, message in ((["a"], b"x", "fill_value is b'x', but data is <U1; write a str"), ([b"a"], "x", "fill_value is 'x'")):
        with pytest.raises(TypeError, match=f"^gather: {message}"):
            strew.gather(np.array(data), [5], out_of_bounds="fill", fill_value=value)
    assert strew.gather(np.array(["a"]), [5], out_of_bounds="fill", fill_value="x").tolist() == ["x"]


@pytest.mark.parametrize("kind", TYPES)
def test_strings_go_into_out_or_nothing_does(kind):
    data = array_of(["a", "b", "c"], kind)
    out = array_of(["x", "x"], kind)
    assert strew.gather(data, [2, 0], out=out) is out
    assert_equal(out, data[[2, 0]])
    assert strew.scatter_nd(data, [[0]], data[1:2], out=data) is data
    assert_equal(data, array_of(["b", "b", "c"], kind))
    for bad, error in [
        (np.zeros(2), TypeError),
        (np.zeros(2, "i8"), TypeError),
        ([1, 2], TypeError),
        (array_of(["x"], kind), ValueError),
    ]:
        before = np.array(bad).tolist()
        refuses(error, "^gather: out ", strew.gather, data, [2, 0], out=bad)
        assert np.array(bad).tolist() == before
    out.flags.writeable = False
    refuses(ValueError, "^gather: out is read-only$", strew.gather, data, [1, 1], out=out)


def test_an_out_of_wider_strings_takes_narrower_ones_and_joined_ones_that_fit():
    out = np.zeros(2, "U7")
    assert strew.gather(np.array(["a", "bc"]), [1, 0], out=out).tolist() == ["bc", "a"] and out.dtype == "U7"
    assert strew.scatter_nd(out, [[0]], ["xyz"], "add", out=out).tolist() == ["bcxyz", "a"]
    with pytest.raises(TypeError, match="^scatter_nd: out has type <U7; the result has type <U8$"):
        strew.scatter_nd(out, [[0]], ["xyz"], "add", out=out)
    assert out.tolist() == ["bcxyz", "a"]


def test_references_are_counted():
    words = [f"word {i}" for i in range(5)]
    data, update = np.array(words[:4], object), np.array(words[4:], object)
    before = [sys.getrefcount(word) for word in words]
    for _ in range(50):
        results = [
            strew.gather(data, [0, 1, 1]),
            strew.scatter_nd(data, [[0]], update),
            strew.scatter_nd(data, [[0], [0]], "x", "add"),
            strew.gather(data, [[3]], out=np.empty((1, 1), object)),
            strew.scatter_elements(data, [1], update, out=np.empty(4, object)),
        ]
    after = [sys.getrefcount(word) for word in words]
    assert np.subtract(after, before).tolist() == [2, 4, 3, 4, 2]
    del results
    for _ in range(50):
        with pytest.raises(IndexError):
            strew.scatter_nd(data, [[9]], update, "add")
        with pytest.raises(TypeError):
            strew.scatter_nd(data, [[1], [2]], np.array([words[4], b""], object), "add")
    assert [sys.getrefcount(word) for word in words] == before


def test_a_broadcast_object_array_is_never_walked_through():
    data = np.broadcast_to(np.array(["a", "b"], object), (2**38, 2))
    assert strew.gather(data, [2**37]).tolist() == [["a", "b"]]
    with pytest.raises(TypeError, match=r"^gather: data\[0, 1\] is of type int"):
        strew.gather(np.broadcast_to(np.array(["a", 1], object), (2**38, 2)), [0])


def test_records_fields_of_no_width_are_refused_not_divided_by():
    empty = np.zeros(3, [("none", "S0"), ("n", "i4")])["none"]
    assert strew.gather(empty, [0]).tolist() == [b""]
    refuses((TypeError, ValueError), "^gather: out ", strew.gather, np.zeros(3), [0, 1, 2], out=empty)


def test_bytes_of_any_value_are_kept():
    raw = np.array([bytes(range(1, 256)), b"\xff\xfe"])
    assert_same(strew.gather(raw, [1, 0]), raw[[1, 0]])
    assert strew.gather(np.array([b"a\0", "b\0"], object), [0, 1]).tolist() == [b"a\0", "b\0"]


def test_operands_that_change_each_other_do_no_harm():
    data, update = np.array([f"word {i}" for i in range(1000)], object), np.array(["q"], object)
    words = Meddler(update, lambda: np.copyto(data, [f"new {i}" for i in range(1000)]))
    assert strew.scatter_nd(data, [[0]], words, "add")[:2].tolist() == ["new 0q", "new 1"]
    numbers = Meddler(update, lambda: data.fill(5))
    refuses(TypeError, "cannot be appended to an element of type int$", strew.scatter_nd, data, [[0]], numbers, "add")


class Calling(str):
    """Calls the library when it is destroyed."""

    def __del__(self):
        strew.gather(np.arange(3), [0])


def test_strings_that_call_back_when_they_go_do_no_harm():
    data = np.array([Calling("a") for _ in range(5)], object)
    updates = np.array([Calling("b") for _ in range(5)], object)
    assert strew.scatter_nd(data, [[0]] * 5, updates, "add").tolist() == ["abbbbb", *"aaaa"]
    assert strew.scatter_nd(data, [[0]] * 5, updates, out=data).tolist() == [*"baaaa"]
    del data, updates


@pytest.mark.parametrize("data", [["x", b"y"], [("x",), [b"\xff"]]])
def test_a_list_does_not_mix_str_and_bytes(data):
    with pytest.raises(TypeError, match=r"^gather: data holds both str and bytes, 'x' and b'.+'; use only one of them") as found:
        strew.gather(data, [0])
    assert found.value.operand == "data"
    objects = np.array(data, object)
    assert strew.gather(objects, [1]).tolist() == objects[1:].tolist()

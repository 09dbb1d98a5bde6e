"""Functions of strew.torch_scatter reject illegal arguments and name themselves in the error; tests segments too."""

import inspect
import math
import pickle

import pytest
import strew
import strew.torch_scatter as ts
from support import refuses, says
import torch

FUNCTIONS = [name for name in ts.__all__ if name != "__version__"]
SRC, INDEX = torch.arange(6.0).view(3, 2), torch.tensor([0, 2, 2])
POINTERS = torch.tensor([0, 1, 1, 3])

# Values that replace one argument of a legal call; every function that has the argument rejects them.
OF_A_TENSOR = {"nothing": None, "a list": [1.0, 2.0, 3.0], "a number": 3, "a word": "src"}
OF_A_TENSOR |= {"sparse": SRC.to_sparse(), "of rank 0": torch.tensor(1.0)}
HOSTILE = {
    "src": OF_A_TENSOR,
    "index": {
        **OF_A_TENSOR,
        "of floats": INDEX.float(),
        "of bool": INDEX.bool(),
        "complex": INDEX.cfloat(),
        "too short": torch.tensor([0, 1]),
        "too long": torch.tensor([0, 1, 2, 2]),
        "of too many ranks": torch.zeros(3, 2, 1, dtype=torch.int64),
        "of another shape": torch.zeros(3, 5, dtype=torch.int64),
        "negative": torch.tensor([-5, -7, -5]),
        **{f"{n} once": torch.tensor([0, n, 2]) for n in (-1, 1676240524292489355, 2**62, 2**63 - 1, -(2**63))},
    },
    "indptr": {
        **OF_A_TENSOR,
        "of floats": POINTERS.float(),
        "of bool": POINTERS.bool(),
        "falling": torch.tensor([0, 2, 1, 3]),
        "negative": torch.tensor([-5, 0, 1, 3]),
        "too large": torch.tensor([0, 1, 1, 2**62]),
        "of too many ranks": torch.zeros(3, 2, 4, dtype=torch.int64),
        "of another shape": torch.zeros(2, 4, dtype=torch.int64),
    },
    "dim": {
        **{f"{value}": value for value in (2, -3, 2**40, -(2**40), 2**63, 2**70)},
        **{"a float": 0.5, "a word": "0", "nothing": None, "a flag": True},
    },
    "out": {
        **{"a list": [0.0, 0.0], "a number": 3, "sparse": SRC.to_sparse()},
        "of another type": SRC.double(),
        "of integers": SRC.long(),
        "of rank 0": torch.tensor(1.0),
        "of rank 1": torch.zeros(3),
        "of another shape": torch.zeros(3, 5),
        "of one value": torch.zeros(1, 1).expand(3, 2),
    },
    "dim_size": {**{f"{n}": n for n in (-1, 1, 2**62, 2**70)}, "a float": 3.0, "a word": "3", "a flag": True},
    "eps": {"nothing": None, "a word": "1", "a list": [1.0]},
    "reduce": {"nothing": None, "another word": "amax", "a number": 3},
}
# gather_coo accepts any number of positions.
LEGAL = {("gather_coo", "too short"), ("gather_coo", "too long"), ("gather_coo", "of another shape")}


def arguments_of(name):
    return list(inspect.signature(getattr(ts, name)).parameters)


def called(name, **changed):
    given = {"src": SRC, "index": INDEX, "indptr": POINTERS, "dim": 0} | changed
    return getattr(ts, name)(**{key: value for key, value in given.items() if key in arguments_of(name)})


CASES = [
    pytest.param(name, argument, id=f"{name} {argument}")
    for name in FUNCTIONS
    for argument in arguments_of(name)
    if argument in HOSTILE
]


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_what_is_not_legal_is_refused_in_the_words_of_the_function(name, argument):
    for kind, value in HOSTILE[argument].items():
        if (name, kind) in LEGAL:
            continue
        with pytest.raises((IndexError, TypeError, ValueError)) as refused:
            called(name, **{argument: value})
        text = str(refused.value)
        assert text.startswith(f"{name}: ") and type(refused.value) in (IndexError, TypeError, ValueError), kind
        others = [other for other in FUNCTIONS if len(other) > 7 and other not in name and name not in other]
        foreign = ["updates", "indices", "data ", "Storage", "negative dimension", "elements", "gather_scatter", *others]
        assert not any(word in text for word in foreign), (kind, text)


def test_every_argument_is_tried():
    assert {argument for name in FUNCTIONS for argument in arguments_of(name)} - set(HOSTILE) == {"unbiased"}


@pytest.mark.parametrize("dtype", [torch.complex64, torch.float8_e5m2, torch.bool, torch.uint16, torch.int8], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_type_is_computed_with_or_refused_by_its_name(name, dtype):
    try:
        called(name, src=SRC.to(dtype))
    except (TypeError, ValueError) as error:
        assert str(error).startswith(f"{name}: ") and str(dtype).removeprefix("torch.") in str(error)


INTEGERS = [torch.int8, torch.int16, torch.int32, torch.uint8, torch.uint16, torch.uint32, torch.uint64]


@pytest.mark.parametrize("values", [torch.float32, torch.int32], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_index_may_have_any_type_of_integers(name, values):
    src, argument = SRC.to(values), "indptr" if "indptr" in arguments_of(name) else "index"
    if values == torch.int32 and ("softmax" in name or "logsumexp" in name):
        return
    wanted, whole = called(name, src=src), POINTERS if argument == "indptr" else INDEX
    for dtype in INTEGERS:
        found = called(name, src=src, **{argument: whole.to(dtype)})
        assert all(torch.equal(f, w) for f, w in zip(found, wanted, strict=True)), dtype


def at(*values):
    return torch.tensor(values)


def csr(src, *indptr):
    return lambda: ts.segment_csr(src, torch.tensor(*indptr))


TWO, ROWS, BATCHES = torch.ones(2), torch.arange(4.0), torch.arange(10.0).view(2, 5)
REFUSED = [
    (lambda: ts.scatter_sum(TWO, at(0, 4), dim_size=3), IndexError,
     "scatter_sum: index[1] = 4 is outside [0, 2] for dim 0 of out with shape [3]"),
    (lambda: ts.scatter_max(TWO, at(0, -1), dim_size=3), IndexError,
     "scatter_max: index[1] = -1 is outside [0, 2] for dim 0 of out with shape [3]"),
    (lambda: ts.scatter_max(torch.ones(2, 2), at(0, 3), dim_size=3), IndexError,
     "scatter_max: index[1] = 3 is outside [0, 2] for dim 1 of out with shape [2, 3]"),
    (lambda: ts.scatter_mean(torch.ones(2, 3, 4), torch.tensor([[0, 1, 1], [0, 1, 7]]), dim=1, dim_size=3), IndexError,
     "scatter_mean: index[1, 2] = 7 is outside [0, 2] for dim 1 of out with shape [2, 3, 4]"),
    (lambda: ts.scatter_std(torch.ones(2, 3), torch.tensor([[0], [5]]), dim=0, dim_size=3), IndexError,
     "scatter_std: index[1, 0] = 5 is outside [0, 2] for dim 0 of out with shape [3, 3]"),
    (lambda: ts.gather_coo(torch.ones(2, 3), at(1, 0, 2)), IndexError,
     "gather_coo: index[2] = 2 is outside [0, 1] for dim 0 of src with shape [2, 3]"),
    (lambda: ts.gather_coo(TWO, at(0, 2)), IndexError,
     "gather_coo: index[1] = 2 is outside [0, 1] for dim 0 of src with shape [2]"),
    (lambda: ts.segment_sum_csr(TWO, at(0, 3)), IndexError, "segment_sum_csr: indptr[1] = 3 is outside [0, 2]"),
    (lambda: ts.segment_max_csr(torch.ones(4), at(0, 3, 2, 4)), ValueError,
     "segment_max_csr: indptr[2] = 2 is below the value before it, 3"),
    (lambda: ts.segment_sum_csr(torch.ones(9), at(5, 3, 8)), ValueError,
     "segment_sum_csr: indptr[1] = 3 is below the value before it, 5"),
    (lambda: ts.segment_max_csr(torch.ones(10), at(2, 9, 8, 10)), ValueError,
     "segment_max_csr: indptr[2] = 8 is below the value before it, 9"),
    (lambda: ts.segment_sum_csr(torch.ones(9), torch.tensor([5, 3], dtype=torch.uint8)), ValueError,
     "segment_sum_csr: indptr[1] = 3 is below the value before it, 5"),
    (lambda: ts.segment_sum_csr(torch.ones(2, 9), torch.tensor([[0, 5, 8], [5, 3, 8]])), ValueError,
     "segment_sum_csr: indptr[1, 1] = 3 is below the value before it, 5"),
    (lambda: ts.segment_sum_csr(torch.arange(9), at(0, 5, 3)), ValueError,
     "segment_sum_csr: indptr[2] = 3 is below the value before it, 5"),
    (lambda: ts.segment_sum_csr(torch.arange(9), torch.tensor([5, 3, 8], dtype=torch.uint8)), ValueError,
     "segment_sum_csr: indptr[1] = 3 is below the value before it, 5"),
    (lambda: ts.gather_csr(TWO, at(0, 3, 2)), ValueError, "gather_csr: indptr[2] = 2 is below the value before it, 3"),
    (lambda: ts.gather_csr(TWO, at(0, 3)), ValueError, "gather_csr: indptr has shape [2]; dim 0 must have length 3"),
    (lambda: ts.scatter(TWO, at(0, 1), reduce="div"), ValueError,
     "scatter: reduce is 'div'; it must be 'sum', 'add', 'mul', 'mean', 'min' or 'max'"),
    (lambda: ts.segment_coo(TWO, at(0, 1), reduce="mul"), ValueError,
     "segment_coo: reduce is 'mul'; it must be 'sum', 'add', 'mean', 'min' or 'max'"),
    (lambda: ts.segment_csr(TWO, at(0, 1), reduce=None), TypeError, "segment_csr: reduce is None; it must be a str"),
    (lambda: ts.scatter_std(TWO, at(0, 1), unbiased=torch.tensor(True)), TypeError,
     "scatter_std: unbiased is a torch.Tensor; it must be a bool"),
    (lambda: ts.scatter_sum(TWO, torch.tensor([0, 1], device="meta"), dim_size=3), ValueError,
     "scatter_sum: index is on the device meta, without values; src is on cpu"),
    (lambda: ts.scatter_sum(torch.ones(2, device="meta"), torch.tensor([0, 1], device="meta")), ValueError,
     "scatter_sum: index is a meta tensor, without values from which to compute the size of the result; pass dim_size"),
    (lambda: ts.gather_csr(torch.ones(2, device="meta"), torch.tensor([0, 1, 2], device="meta")), ValueError,
     "gather_csr: indptr is a meta tensor, without values from which to compute the size of the result; pass out"),
    (lambda: ts.scatter_softmax(at(1), at(0)), ValueError, "scatter_softmax: src is int64; it must be a tensor of floats"),
    (lambda: ts.scatter(TWO, at(-5, -7)), IndexError, "scatter: index[0] = -5 is negative; it must be 0 or more"),
    (lambda: ts.scatter(TWO, at(0, 1676240524292489355), reduce="max"), IndexError,
     "scatter: index[1] = 1676240524292489355 requires a result of shape [1676240524292489356], which does not fit in memory"),
    (lambda: ts.scatter_max(TWO, at(2**62, 0)), IndexError,
     "scatter_max: index[0] = 4611686018427387904 requires a result of shape [4611686018427387905], which does not fit in memory"),
    (lambda: ts.segment_mean_coo(TWO, at(0, 2**62)), IndexError,
     "segment_mean_coo: index[1] = 4611686018427387904 requires a result of shape [4611686018427387905], which does not fit in memory"),
    (lambda: ts.gather_csr(TWO, at(0, 1, 2**62)), IndexError,
     "gather_csr: indptr[2] = 4611686018427387904 requires a result of size 4611686018427387904 along dim 0, which does not fit in memory"),
    (lambda: ts.scatter_min(TWO, at(0, 1), dim_size=2**62), ValueError,
     "scatter_min: dim_size 4611686018427387904 requires a result of shape [4611686018427387904], which does not fit in memory"),
    (lambda: ts.scatter_max(TWO, at(0, 1), 2**40), IndexError,
     "scatter_max: dim 1099511627776 is outside [-1, 0] for src of shape [2]"),
    (lambda: ts.scatter_mean(TWO, at(0, 1), -2), IndexError, "scatter_mean: dim -2 is outside [-1, 0] for src of shape [2]"),
    (lambda: ts.scatter_sum(SRC, at(0, 1), 0), ValueError,
     "scatter_sum: index has shape [2] and src [3, 2]; each dimension of index must be 1 or equal that of src (an index of rank 1 runs along dim)"),
    (lambda: ts.scatter_softmax(TWO, at(0, 5), dim_size=3), IndexError,
     "scatter_softmax: index[1] = 5 is outside [0, 2] for dim 0 of out with shape [3]"),
    (lambda: ts.scatter_std(TWO, at(0, -1)), IndexError, "scatter_std: index[1] = -1 is outside [0, 0] for dim 0 of out with shape [1]"),
    (lambda: ts.scatter_max(TWO.cfloat(), at(0, 1)), TypeError, "scatter_max: reduction 'max' is not supported for complex64"),
    (lambda: ts.scatter_max(SRC, INDEX, 0, torch.zeros(3, 3)), ValueError,
     "scatter_max: out has shape [3, 3]; it must be [3, 2], the shape of the result"),
    (lambda: ts.scatter_sum(TWO, at(0, 1), out=TWO.double()), TypeError,
     "scatter_sum: out is float64 but src is float32; both must have the same type; use .to(torch.float32)"),
    (lambda: ts.scatter_sum(TWO, at(0.0, 1.0)), TypeError, "scatter_sum: index is float32; it must hold integers"),
    (lambda: ts.scatter_sum(TWO, torch.tensor([True, False])), TypeError,
     "scatter_sum: index is bool; it must hold integers; convert a mask to positions with mask.nonzero()"),
    (lambda: ts.scatter_sum([1.0], INDEX), TypeError, "scatter_sum: src is a list; it must be a tensor"),
    (lambda: ts.scatter_sum(TWO, at(0, 1), dim_size=-3), ValueError, "scatter_sum: dim_size is -3; it must be 0 or more"),
    (lambda: ts.segment_csr(TWO, at(0, 3)), IndexError, "segment_csr: indptr[1] = 3 is outside [0, 2]"),
    (lambda: ts.segment_coo(TWO, at(0, 3), dim_size=1, reduce="min"), IndexError,
     "segment_coo: index[1] = 3 is outside [0, 0] for dim 0 of out with shape [1]"),
    (csr(ROWS[:0], [0, 5]), IndexError, "segment_csr: indptr[1] = 5 is outside [0, 0]"),
    (csr(ROWS, [50]), IndexError, "segment_csr: indptr[0] = 50 is outside [0, 4]"),
    (csr(ROWS.view(4, 1)[:, :0], [0, 3, 1]), ValueError, "segment_csr: indptr[2] = 1 is below the value before it, 3"),
    (csr(ROWS.long(), [0, 50]), IndexError, "segment_csr: indptr[1] = 50 is outside [0, 4]"),
    (csr(ROWS, [0.0, 2.0]), TypeError, "segment_csr: indptr is float32; it must hold integers"),
    (csr(ROWS[:0], [0.0, 2.0]), TypeError, "segment_csr: indptr is float32; it must hold integers"),
    (csr(ROWS.long(), [0.0, 2.0]), TypeError, "segment_csr: indptr is float32; it must hold integers"),
    (csr(ROWS, 3), ValueError, "segment_csr: indptr has shape [] of rank 0; the rank must be 1 or more"),
    (csr(ROWS[0], [0]), ValueError, "segment_csr: src has shape [] of rank 0; the rank must be 1 or more"),
    (csr(ROWS, [[0, 4]]), ValueError,
     "segment_csr: indptr has shape [1, 2] of rank 2; its rank must be at most 1, the rank of src, which has shape [4]"),
    (csr(BATCHES, [[0, 5]] * 3), ValueError,
     "segment_csr: indptr has shape [3, 2]: dimension 0 is 3; it must be 1, or 2 as in src"),
    (csr(BATCHES, [[0, 2, 5], [0, 4, 3]]), ValueError, "segment_csr: indptr[1, 2] = 3 is below the value before it, 4"),
    (lambda: ts.segment_max_csr(ROWS[:0], at(0, 5)), IndexError, "segment_max_csr: indptr[1] = 5 is outside [0, 0]"),
    (lambda: ts.segment_min_csr(ROWS.long(), at(0.0, 2.0)), TypeError,
     "segment_min_csr: indptr is float32; it must hold integers"),
    (lambda: ts.gather_csr(ROWS[:0], at(0, 5)), ValueError,
     "gather_csr: indptr has shape [2]; dim 0 must have length 1"),
    (lambda: ts.gather_csr(ROWS[:1], at(0, 5), ROWS[:0]), IndexError, "gather_csr: indptr[1] = 5 is outside [0, 0]"),
    (lambda: ts.gather_csr(ROWS[:1], at(0.0, 5.0)), TypeError, "gather_csr: indptr is float32; it must hold integers"),
    (lambda: ts.gather_csr(ROWS, torch.tensor(3), ROWS), ValueError,
     "gather_csr: indptr has shape [] of rank 0; the rank must be 1 or more"),
    (lambda: ts.gather_csr(BATCHES[:, :1], torch.tensor([[0, 5]] * 3)), ValueError,
     "gather_csr: indptr has shape [3, 2]: dimension 0 is 3; it must be 1, or 2 as in src"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), REFUSED, ids=[text for _, _, text in REFUSED])
def test_refusals_name_the_function_the_argument_and_what_is_right(call, kind, text):
    refused = says(kind, text, call)
    assert isinstance(refused, strew.Refusal) and refused.operator == text.split(":")[0]
    for error in (refused, pickle.loads(pickle.dumps(refused))):
        assert f"{error.operator}: {error.text}" == text


def test_a_refusal_of_an_index_value_has_it_as_attributes():
    with pytest.raises(IndexError) as refused:
        ts.scatter(TWO, torch.tensor([0, -5]), dim_size=2)
    error = refused.value
    assert (error.code, error.operand, error.position, error.value, error.axis) == ("index out of range", "index", (1,), -5, 0)


def test_rows_without_columns_have_no_result_whatever_the_index():
    src, index = torch.ones(3, 0), torch.tensor([0, 7, 2])
    for name in ("sum", "mul", "mean", "min", "max"):
        assert ts.scatter(src, index, 0, reduce=name).shape == (0, 0)
    assert ts.segment_coo(src, index).shape == (8, 0)


def test_one_index_for_all_elements_is_counted_for_each():
    for index in (torch.tensor([1]), torch.tensor(1)):
        assert ts.scatter(torch.tensor([1.0, 2.0, 6.0]), index, reduce="mean").tolist() == [0, 3]
        torch.testing.assert_close(ts.scatter_std(torch.tensor([1.0, 2.0, 3.0]), index), torch.tensor([0.0, 1.0]))


@pytest.mark.parametrize("name", ["scatter_softmax", "scatter_log_softmax", "scatter_logsumexp", "scatter_std"])
@pytest.mark.parametrize("index", [[], [-1, 0, 0]])
def test_a_composite_refuses_an_index_of_another_length_by_its_shape(name, index):
    with pytest.raises(ValueError, match=f"^{name}: index has shape \\[{len(index)}\\] and src \\[2, 2\\]"):
        getattr(ts, name)(torch.ones(2, 2), torch.tensor(index, dtype=torch.int64), 0)


INTO_OUT = {
    "segment_csr": lambda out: ts.segment_csr(ROWS, torch.tensor([0, 2]), out),
    "segment_max_csr": lambda out: ts.segment_max_csr(ROWS, torch.tensor([0, 2]), out),
    "gather_csr": lambda out: ts.gather_csr(ROWS[:1], torch.tensor([0, 1]), out[:, :1] if out.dim() > 1 else out[:1]),
    "gather_coo": lambda out: ts.gather_coo(ROWS, torch.tensor([2]), out),
}


@pytest.mark.parametrize("name", INTO_OUT)
def test_an_out_of_another_shape_or_type_is_refused_and_left_as_it_is(name):
    call, out = INTO_OUT[name], torch.full((1, 3), 7.0)
    refuses(ValueError, rf"{name}: out has shape \[1, .\]; it must be \[1\], the shape of the result", call, out)
    wide = torch.zeros(1, dtype=torch.double)
    refuses(TypeError, rf"{name}: out is float64 but src is float32; both must have the same type", call, wide)
    assert (out.tolist(), wide.tolist()) == ([[7, 7, 7]], [0])


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_an_out_of_another_shape_is_refused_in_torchscript():
    scripted = torch.jit.script(ts.segment_csr)
    with pytest.raises(torch.jit.Error, match=r"segment_csr: out has shape \[3\]; it must be \[1\]"):
        scripted(ROWS, torch.tensor([0, 2]), torch.zeros(3))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64])
def test_the_mean_of_integers_has_their_type(dtype):
    src, indptr = torch.tensor([1, 2, 3, 6], dtype=dtype), torch.tensor([0, 2, 4])
    mean = ts.segment_csr(src, indptr, reduce="mean")
    assert (mean.dtype, mean.tolist()) == (dtype, [1, 4])
    torch.library.opcheck(torch.ops.strew.segment_csr, (src, indptr, "mean"))


def test_rows_of_no_columns_are_gathered():
    assert ts.gather_csr(torch.zeros(3, 0), torch.tensor([0, 2, 5, 6])).shape == (6, 0)


def test_pointers_of_a_byte_reach_over_more_rows_than_a_byte_counts():
    assert ts.segment_csr(torch.ones(300, dtype=torch.int64), torch.tensor([1, 4, 4], dtype=torch.uint8)).tolist() == [3, 0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64])
@pytest.mark.parametrize("bounds", [[0, 2, 2, 5, 8], [1, 3, 3, 5, 7], [[0, 2, 2, 5, 8]], [[1, 2, 3, 3, 3], [0, 2, 2, 5, 8]]])
@pytest.mark.parametrize("reduce", ["max", "min"])
def test_extremes_without_positions_are_those_with_them(dtype, bounds, reduce):
    src, indptr = torch.tensor([[1.0, -2, 5, -7, 0, 3, 4, -1]] * 2), torch.tensor(bounds)
    if dtype.is_floating_point:
        src[:, 2:5], src[:, 7] = math.inf if reduce == "min" else -math.inf, math.nan
    src = (src[0] if indptr.dim() == 1 else src[: len(bounds)]).to(dtype)
    wanted = {"max": ts.segment_max_csr, "min": ts.segment_min_csr}[reduce](src, indptr)[0]
    torch.testing.assert_close(ts.segment_csr(src, indptr, reduce=reduce), wanted, equal_nan=True)
    assert not dtype.is_floating_point or wanted.flatten()[1:3].tolist() == [0, 0] or wanted.dim() > 1

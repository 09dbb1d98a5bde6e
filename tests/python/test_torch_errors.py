"""Errors of `strew.torch` for wrong arguments, in eager and in compiled code."""

import math

import numpy as np
import pytest
import strew
import strew.torch as st
from support import refuses, says
import torch

TENSOR, INDICES = torch.zeros(3, 4), torch.tensor([[0]])

def test_an_integer_of_another_library_is_an_axis():
    assert st.gather(TENSOR, INDICES, np.int64(1)).shape == (3, 1, 1)


@pytest.mark.parametrize("recorded", [False, True])
def test_errors_keep_their_type_and_text(recorded):
    data = torch.zeros(3, 4, requires_grad=recorded)
    refuses(IndexError, r"gather: indices\[0\] = 3 is outside \[-3, 2\]", st.gather, data, [3])
    refuses(TypeError, "gather: indices are float32; they must be integers", st.gather, data, [1.0])
    with pytest.raises(ValueError, match="scatter_nd: reduction 'average' is not one of"):
        st.scatter_nd(data, [[1]], torch.ones(1, 4), "average")
    words = "scatter_elements: updates are torch.float32 but data is torch.int64; pass values of type torch.int64"
    refuses(TypeError, words, st.scatter_elements, torch.zeros(3, dtype=torch.int64), [0], [1.5])


FOUND_WHEN_IT_RUNS = {
    IndexError: lambda x: st.gather(x, [9]) + 1,
    ValueError: lambda x: st.gather_elements(x, INDICES, 2) + 1,
    TypeError: lambda x: st.scatter_nd(x, INDICES, x[:1].double()) + 1,
}

FOUND_WHILE_TRACING = {
    ValueError: lambda x: st.gather(x, INDICES, 2) + 1,
    TypeError: lambda x: st.gather(x, INDICES, "1") + 1,
}


def compiled(function, fullgraph):
    torch.compiler.reset()
    return torch.compile(function, fullgraph=fullgraph, backend="aot_eager")


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("kind", FOUND_WHEN_IT_RUNS)
def test_errors_of_compiled_code_that_runs_keep_their_type(kind, fullgraph):
    refuses(kind, "outside|must", compiled(FOUND_WHEN_IT_RUNS[kind], fullgraph), TENSOR)


@pytest.mark.parametrize("kind", FOUND_WHILE_TRACING)
def test_errors_found_while_tracing_keep_their_type_unless_one_graph_is_demanded(kind):
    refuses(kind, "gather: axis", compiled(FOUND_WHILE_TRACING[kind], False), TENSOR)
    with pytest.raises(torch._dynamo.exc.Unsupported, match=f"{kind.__name__}.*gather: axis"):
        compiled(FOUND_WHILE_TRACING[kind], True)(TENSOR)


def test_tracing_refuses_an_axis_that_is_not_there():
    with pytest.raises(ValueError, match=r"gather: axis 2 is outside \[-2, 1\] for data of shape"):
        st.gather(torch.zeros(3, 4, device="meta"), torch.zeros(1, dtype=torch.int64, device="meta"), 2)


def test_forward_mode_is_refused_and_not_taken_for_zero():
    x = torch.ones(3)
    with pytest.raises(NotImplementedError, match="gather: there is no forward-mode derivative"):
        torch.func.jvp(lambda t: st.gather(t, [0]), (x,), (x,))
    with pytest.raises(NotImplementedError, match="scatter_nd_: there is no forward-mode derivative"):
        torch.func.jvp(lambda t: st.scatter_nd_(t.clone(), [[0]], torch.ones(1)), (x,), (x,))
    with pytest.raises(NotImplementedError, match="there is no forward-mode derivative"):
        torch.func.hessian(lambda t: st.gather(t, [0]).square().sum())(x)


def test_a_gradient_that_is_dual_is_refused_and_not_taken_for_constant():
    from torch.autograd import forward_ad

    data = torch.zeros(3, requires_grad=True)
    result = st.gather_elements(data, [1])
    with forward_ad.dual_level(), pytest.raises(NotImplementedError, match="there is no forward-mode derivative"):
        torch.autograd.grad(result, data, forward_ad.make_dual(torch.ones(1), torch.ones(1)))


def test_second_derivatives_of_a_product_are_refused():
    x = torch.ones(3, requires_grad=True)
    y = st.scatter_elements(torch.ones(3), [0, 0, 1], x, reduction="mul")
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    refuses(NotImplementedError, 'no second derivatives of reduction "mul"', first.sum().backward)


def test_integers_that_do_not_fit_are_refused():
    for dtype, value in [(torch.int8, 300), (torch.uint8, -1), (torch.uint16, -1), (torch.uint64, -1)]:
        with pytest.raises(OverflowError, match=f"scatter_nd: updates hold {value}, which"):
            st.scatter_nd(torch.zeros(3, dtype=dtype), [[0]], [value])


@pytest.mark.parametrize(
    ("dtype", "value", "shown"),
    [
        (torch.float16, 1e6, "1000000.0, which float16 cannot hold; its largest value is 65504.0"),
        (torch.float16, [1, 65520], "65520, which float16 cannot hold; its largest value is 65504.0"),
        (torch.bfloat16, -1e39, "-1e+39, which bfloat16 cannot hold; its largest value is 3.3895313892515355e+38"),
        (torch.float32, [math.nan, math.inf, 1e39], "1e+39, which float32 cannot hold; its largest value is 3.4028234663852886e+38"),
        (torch.float32, np.float64(1e39), "1e+39, which float32 cannot hold; its largest value is 3.4028234663852886e+38"),
        (torch.complex64, 1 + 1e39j, "(1+1e+39j), which complex64 cannot hold; its largest value is 3.4028234663852886e+38"),
        (torch.float8_e4m3fn, 465.0, "465.0, which float8_e4m3fn cannot hold; its largest value is 448.0"),
        (torch.int8, 200, "200, which int8 cannot hold; its range is -128 to 127"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_as_those_for_arrays(dtype, value, shown):
    data = torch.zeros(3, dtype=dtype)
    tuples = [[0]] if np.ndim(value) == 0 else [[0]] * len(value)
    refused = says(OverflowError, f"scatter_nd: updates hold {shown}", st.scatter_nd, data, tuples, value)
    assert (refused.operand, refused.code) == ("updates", "invalid argument")
    assert not data.float().any() if not dtype.is_complex else not data.any()


def test_numbers_that_are_rounded_to_the_largest_value_are_kept():
    for dtype, value in [(torch.float16, 65519.0), (torch.float8_e4m3fn, 464.0), (torch.float64, 1e308)]:
        result = st.scatter_nd(torch.zeros(2, dtype=dtype), [[0]], [value])
        assert float(result[0]) == (value if dtype == torch.float64 else torch.finfo(dtype).max)
    assert st.scatter_nd(torch.zeros(2), [[0], [1]], [math.inf, -math.inf]).tolist() == [math.inf, -math.inf]


def test_a_list_of_tensors_is_refused_since_gradients_would_be_lost():
    rows = torch.ones(2, requires_grad=True)
    refuses(TypeError, "use torch.stack", st.scatter_nd, torch.zeros(3), [[0]], [rows[0] * 2])


def test_a_list_that_holds_itself_is_refused():
    itself: list = [0]
    itself[0] = itself
    deep: list = [0]
    for _ in range(100_000):
        deep = [deep]
    for endless in (itself, [[itself]], (itself, itself), deep):
        for call in (lambda o: st.scatter_elements(TENSOR, INDICES, o), lambda o: st.scatter_nd(TENSOR, INDICES, o)):
            refuses(ValueError, "^scatter_(elements|nd): updates are not an array: too many dimensions", call, endless)
        refuses(ValueError, "^gather: indices are not an array: too many dimensions", st.gather, TENSOR, endless)


def test_an_array_of_another_type_is_refused_as_strew_does():
    refuses(TypeError, "both must have the same type", st.scatter_nd, torch.zeros(3), [[0]], np.ones(1))


HALVES = TENSOR.bfloat16()
OF_ANOTHER_TYPE = {
    "scatter_elements": (TENSOR, INDICES, HALVES[:1, :1]),
    "scatter_nd": (TENSOR, INDICES, HALVES[:1]),
    "tensor_scatter": (TENSOR[None], HALVES[None]),
}


@pytest.mark.parametrize("name", [name + end for name in OF_ANOTHER_TYPE for end in ("", "_")])
def test_updates_of_another_type_are_refused_without_advice_that_is_not_there(name):
    data, *rest = OF_ANOTHER_TYPE[name.rstrip("_")]
    for call in (getattr(st, name), getattr(torch.ops.strew, name)):
        refuses(TypeError, r"; both must have the same type; use .to\(torch.float32\)$", call, data.clone(), *rest)
        refuses(TypeError, r"; convert the latter with .to\(torch.bfloat16\)$", call, data.int(), *rest)


FIELDS = [
    (lambda: st.gather([1.0], [0]), {"code": "invalid type", "operator": "gather", "operand": "data"}),
    (lambda: st.gather(torch.ones(3), [0], 2**63), {"code": "invalid argument", "operand": "axis", "value": 2**63}),
    (lambda: st.scatter_nd(torch.ones(3), [[0]], torch.ones(1).double()), {"code": "invalid type", "operator": "scatter_nd", "operand": "updates"}),
    (lambda: st.tensor_scatter(torch.ones(1, 3, 2), torch.ones(1, 3, 2).double()), {"operator": "tensor_scatter", "operand": "update"}),
    (lambda: st.scatter_elements(torch.ones(3).cfloat(), [0], [1], reduction="max"), {"operand": "reduction", "value": "max"}),
]  # fmt: skip


@pytest.mark.parametrize(("call", "fields"), FIELDS)
def test_refusals_carry_their_fields(call, fields):
    with pytest.raises((TypeError, ValueError)) as refused:
        call()
    assert isinstance(refused.value, strew.Refusal)
    assert {name: getattr(refused.value, name) for name in fields} == fields
    assert str(refused.value) == f"{refused.value.operator}: {refused.value.text}"
    assert "casting" not in str(refused.value)

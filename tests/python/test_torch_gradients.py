"""Compares the gradients of `strew.torch` with finite differences and with torch, also at ties, zeros and NaN."""

import pytest
import strew
import strew.torch as st
import torch
from torch_support import ELEMENTS, REDUCTIONS, assert_same, doubles, gradients

ROWS = [
    pytest.param(torch.tensor([[1], [0]]), id="distinct"),
    pytest.param(torch.tensor([[0], [0], [-3], [2], [0]]), id="repeated"),
    pytest.param(torch.tensor([[2, 1], [0, 1], [2, -3]]), id="elements"),
    pytest.param(torch.empty(3, 0, dtype=torch.int64), id="empty tuples"),
    pytest.param(torch.empty(0, 1, dtype=torch.int64), id="no tuples"),
    pytest.param(torch.tensor([[[0], [1]], [[1], [1]]], dtype=torch.int16), id="two axes of tuples"),
]


def whole_numbers(*shape, seed=0):
    """Return -1, 0 and 1 at random, so that there are ties and zeros."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-1, 2, shape, generator=generator).to(torch.float64).requires_grad_()


def assert_derivatives(name, operands, *rest):
    """Check the bits of a function, and its first and second derivatives. Products have no second derivatives."""
    first = 2 if name == "tensor_scatter" else 1  # indices follow the data, or the update

    def call(module, *operands):
        return getattr(module, name)(*operands[:first], rest[0], *operands[first:], *rest[1:])

    wanted = call(strew, *(operand.detach() for operand in operands))
    assert torch.equal(call(st, *operands), wanted)
    assert torch.autograd.gradcheck(lambda *given: call(st, *given), operands)
    if "mul" not in rest:
        assert torch.autograd.gradgradcheck(lambda *given: call(st, *given), operands)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("indices", [1, [2, 0, 2], [[0, -1], [1, 1]], []], ids=["scalar", "list", "matrix", "empty"])
def test_gather_and_its_derivatives(indices, axis):
    assert_derivatives("gather", (doubles(3, 4, 3),), indices, axis)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_elements_and_its_derivatives(axis):
    assert_derivatives("gather_elements", (doubles(3, 4),), ELEMENTS, axis)


BATCHED = {
    "no batch": (0, torch.tensor([[0, 1], [0, 1], [2, -3]])),
    "one axis": (1, torch.tensor([[[1], [1]], [[-1], [0]], [[0], [0]]], dtype=torch.int8)),
    "unsigned": (1, torch.tensor([[1], [1], [0]], dtype=torch.uint32)),
    "two axes": (2, torch.tensor([[[1], [1], [0], [0]]] * 3)),
}


@pytest.mark.parametrize("batch_dims, indices", BATCHED.values(), ids=BATCHED)
def test_gather_nd_and_its_derivatives(batch_dims, indices):
    assert_derivatives("gather_nd", (doubles(3, 4, 2),), indices, batch_dims)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scatter_elements_and_its_gradients(reduction, axis):
    assert_derivatives("scatter_elements", (doubles(3, 4), doubles(3, 3, seed=1)), ELEMENTS, axis, reduction)


@pytest.mark.parametrize("indices", ROWS)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scatter_nd_and_its_gradients(reduction, indices):
    data = doubles(3, 4, 2)
    updates = doubles(*indices.shape[:-1], *data.shape[indices.shape[-1] :], seed=1)
    assert_derivatives("scatter_nd", (data, updates), indices, reduction)


@pytest.mark.parametrize("reduction", ["none", "add", "mul"])
def test_complex_gradients(reduction):
    data, updates = doubles(3, 4, dtype=torch.complex128), doubles(3, 3, seed=1, dtype=torch.complex128)
    assert torch.autograd.gradcheck(lambda d, u: st.scatter_elements(d, ELEMENTS, u, 1, reduction), (data, updates))


CACHES = {
    "from the start": (None, -2, "linear"),
    "at a place": ([2, 0], -2, "linear"),
    "on the last axis": ([0, 2], -1, "linear"),
    "around the end": ([3, 9], 1, "circular"),
}


@pytest.mark.parametrize("starts, axis, mode", CACHES.values(), ids=CACHES)
def test_tensor_scatter_and_its_derivatives(starts, axis, mode):
    update = doubles(2, 2, 4, seed=1) if axis != -1 else doubles(2, 4, 2, seed=1)
    assert_derivatives("tensor_scatter", (doubles(2, 4, 4), update), starts, axis, mode)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_gradient_is_computed_only_for_what_needs_it(reduction):
    both = (doubles(3, 4), doubles(3, 3, seed=1))
    wanted = torch.autograd.grad(st.scatter_elements(both[0], ELEMENTS, both[1], 1, reduction).square().sum(), both)
    for which in (0, 1):
        some = [operand if i == which else operand.detach() for i, operand in enumerate(both)]
        result = st.scatter_elements(some[0], ELEMENTS, some[1], 1, reduction).square().sum()
        (alone,) = torch.autograd.grad(result, some[which])
        assert torch.equal(alone, wanted[which])


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduction", ["add", "mul", "mean", "max", "min"])
def test_gradients_of_reductions_with_and_without_data_are_those_of_differences(reduction, include_self):
    call = lambda d, u: st.scatter_elements(d, ELEMENTS, u, 0, reduction, include_self=include_self)  # noqa: E731
    assert torch.autograd.gradcheck(call, (doubles(4, 3), doubles(3, 3, seed=1)))


@pytest.mark.parametrize("reduction", ["sub", "div"])
def test_gradients_of_differences_and_quotients(reduction):
    data = torch.tensor([3.0, 5.0, 7.0], dtype=torch.float64, requires_grad=True)
    updates = torch.tensor([2.0, 4.0, 0.5], dtype=torch.float64, requires_grad=True)
    call = lambda d, u: st.scatter_elements(d, [0, 2, 0], u, reduction=reduction)  # noqa: E731
    assert torch.autograd.gradcheck(call, (data, updates))
    with pytest.raises(NotImplementedError, match=f'no derivative of reduction "{reduction}" with include_self=False'):
        st.scatter_elements(data, [0, 2, 0], updates, reduction=reduction, include_self=False).sum().backward()


def test_second_gradients_of_means_are_finite_where_nothing_goes():
    data, values = torch.ones(3, requires_grad=True), torch.tensor([2.0, 4.0], requires_grad=True)
    mean = st.scatter_elements(data, [1, 1], values, 0, "mean", include_self=False)
    first = torch.autograd.grad(mean.square().sum(), (data, values), create_graph=True)
    second = torch.autograd.grad(sum(grad.sum() for grad in first), (data, values))
    assert [grad.tolist() for grad in second] == [[2, 0, 2], [1, 1]]


@pytest.mark.parametrize("make", [doubles, whole_numbers], ids=["no ties", "ties and zeros"])
@pytest.mark.parametrize("name", ["add", "mul", "max", "min"])
def test_gradients_are_those_of_torch_for_reductions(name, make):
    theirs = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}[name]
    indices = torch.randint(0, 4, (6, 5), generator=torch.Generator().manual_seed(3))
    data, updates = make(4, 5), make(6, 5, seed=1)
    assert_same(
        gradients(lambda d, u: st.scatter_elements(d, indices, u, 0, name), data, updates),
        gradients(lambda d, u: d.scatter_reduce(0, indices, u, theirs, include_self=True), data, updates),
    )


def test_only_the_update_that_stayed_has_a_gradient():
    data, updates = torch.zeros(3), torch.tensor([1.0, 2.0, 3.0, 4.0])
    _, of_data, of_updates = gradients(lambda d, u: st.scatter_elements(d, [1, -2, 0, 1], u), data, updates)
    assert of_data.tolist() == [0.0, 0.0, 3.0]
    assert of_updates.tolist() == [0.0, 0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "factors", [[0.0, 2, 3], [0.0, 0, 3], [0.0, 0, 0], [float("inf"), 0, 2], [1e200, 1e200, 1e-300]]
)
def test_the_gradient_of_a_product_never_divides(factors):
    data, updates = torch.tensor([7.0], dtype=torch.float64), torch.tensor(factors, dtype=torch.float64)
    _, of_data, of_updates = gradients(
        lambda d, u: st.scatter_elements(d, [0, 0, 0], u, reduction="mul"), data, updates
    )
    a, b, c = factors
    expected = [7 * (b * c), 7 * a * c, 7 * a * b]
    torch.testing.assert_close(of_updates, torch.tensor(expected, dtype=torch.float64), equal_nan=True)
    torch.testing.assert_close(of_data, torch.tensor([a * b * c], dtype=torch.float64), equal_nan=True)


def test_long_runs_of_factors_are_multiplied_exactly():
    updates = torch.full((200,), 2.0)
    updates[100:] = 0.5
    _, _, of_updates = gradients(
        lambda d, u: st.scatter_elements(d, torch.zeros(200, dtype=torch.int64), u, reduction="mul"),
        torch.ones(1),
        updates,
    )
    assert torch.equal(of_updates, 1 / updates)


def test_ties_share_the_gradient_of_an_extreme():
    data, updates = torch.tensor([3.0, 1.0]), torch.tensor([3.0, 2.0, 3.0, 0.0])
    _, of_data, of_updates = gradients(
        lambda d, u: st.scatter_elements(d, [0, 0, 0, 1], u, reduction="max"), data, updates
    )
    third = torch.tensor(1.0) / 3
    assert of_data.tolist() == [third, 2.0]
    assert of_updates.tolist() == [third, 0.0, third, 0.0]


def test_a_nan_takes_the_gradient_of_an_extreme():
    nan = float("nan")
    _, of_data, of_updates = gradients(
        lambda d, u: st.scatter_elements(d, [0, 0, 0], u, reduction="min"),
        torch.tensor([1.0]),
        torch.tensor([nan, 0.0, nan]),
    )
    assert of_data.tolist() == [0.0] and of_updates.tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_types_have_gradients(dtype):
    data, updates = torch.ones(2, dtype=dtype), torch.full((3,), 2, dtype=dtype)
    for reduction in REDUCTIONS:
        wide = gradients(
            lambda d, u, r=reduction: st.scatter_elements(d, [0, 0, 1], u, 0, r), data.double(), updates.double()
        )
        narrow = gradients(lambda d, u, r=reduction: st.scatter_elements(d, [0, 0, 1], u, 0, r), data, updates)
        assert all(n.dtype == dtype and torch.equal(n.double(), w) for n, w in zip(narrow, wide, strict=True))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_gradients_of_halves_are_added_up_and_multiplied_in_float32(dtype):
    index = torch.zeros(1000, dtype=torch.int64)
    data, ones = torch.ones(1, dtype=dtype, requires_grad=True), torch.ones(1000, dtype=dtype, requires_grad=True)
    for call in (
        lambda: st.gather(data, index),
        lambda: st.gather_elements(data, index),
        lambda: st.gather_nd(data, index[:, None]),
    ):
        assert torch.autograd.grad(call().sum(), data)[0].tolist() == [1000]
    mean = st.scatter_elements(data.detach(), index[:301], ones[:301], reduction="mean", include_self=False, acc_dtype="float32")
    share = torch.autograd.grad(mean, ones)[0][:301].unique()
    assert torch.equal(share, torch.tensor([1 / 301]).to(dtype))
    factors = torch.full((1000,), 1 + torch.finfo(dtype).eps, dtype=dtype, requires_grad=True)
    product = st.scatter_elements(data.detach(), index[:300], factors[:300], reduction="mul", acc_dtype="float32")
    wanted = torch.tensor([(1 + torch.finfo(dtype).eps) ** 299]).to(dtype)
    assert torch.equal(torch.autograd.grad(product, factors)[0][:300].unique(), wanted)


def test_one_tuple_that_names_one_element_has_a_gradient():
    update = torch.tensor(5.0, requires_grad=True)
    strew.torch.scatter_nd(torch.zeros(3), torch.tensor([1]), update).backward(torch.ones(3))
    assert update.grad == 1

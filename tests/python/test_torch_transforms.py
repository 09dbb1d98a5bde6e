"""`torch.func` and `torch.vmap` on the operators of `strew.torch` and fused gather-scatter give autograd's results."""

import pytest
import strew.torch as st
from support import refuses
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch_support import ELEMENTS, REDUCTIONS, doubles

pytestmark = pytest.mark.filterwarnings("error:There is a performance drop")

ROWS = torch.tensor([[0], [0], [2]])

FUNCTIONS = {
    "gather": lambda x, u: st.gather(x, ELEMENTS, 1),
    "gather_elements": lambda x, u: st.gather_elements(x, ELEMENTS, 1),
    "gather_nd": lambda x, u: st.gather_nd(x, ROWS, 1),
    "tensor_scatter": lambda x, u: st.tensor_scatter(x[None], u[None, :2], [1]),
    "tensor_scatter_": lambda x, u: st.tensor_scatter_(x[None].clone(), u[None, :2], [2], mode="circular"),
}
for name in REDUCTIONS:
    FUNCTIONS[f"scatter_elements {name}"] = lambda x, u, r=name: st.scatter_elements(x, ELEMENTS, u[:, :3], 1, r)
    FUNCTIONS[f"scatter_nd {name}"] = lambda x, u, r=name: st.scatter_nd(x, ROWS, u, r)
    FUNCTIONS[f"scatter_nd_ {name}"] = lambda x, u, r=name: st.scatter_nd_(x.clone(), ROWS, u, r)


def squares(name):
    return lambda x, u: FUNCTIONS[name](x, u).square().sum()


def from_autograd(name, x, u):
    operands = x.detach().requires_grad_(), u.detach().requires_grad_()
    found = torch.autograd.grad(squares(name)(*operands), operands, materialize_grads=True)
    return torch.stack(found)


def batches():
    return doubles(2, 3, 4).detach(), doubles(2, 3, 4, seed=1).detach()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_grad_gives_the_gradients_of_autograd(name):
    (x, _), (u, _) = batches()
    found = torch.func.grad(squares(name), (0, 1))(x, u)
    assert torch.equal(torch.stack(found), from_autograd(name, x, u))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vmap_of_grad_gives_the_gradients_of_each_sample(name):
    xs, us = batches()
    found = torch.func.vmap(torch.func.grad(squares(name), (0, 1)))(xs, us)
    expected = [from_autograd(name, x, u) for x, u in zip(xs, us, strict=True)]
    assert torch.equal(torch.stack(found, 1), torch.stack(expected))


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if not n.endswith("mul")])
def test_second_derivatives_are_those_of_autograd(name):
    (x, _), (u, _) = batches()
    found = torch.func.jacrev(torch.func.jacrev(squares(name)))(x, u)
    expected = torch.autograd.functional.hessian(lambda x: squares(name)(x, u), x)
    torch.testing.assert_close(found, expected)


def test_a_mode_of_the_dispatcher_sees_the_operators():
    seen = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), named=None):
            seen.append(str(function))
            return function(*arguments, **(named or {}))

    with Watch():
        st.gather(torch.zeros(3), torch.tensor([1]))
    assert "strew.gather.default" in seen


def test_errors_keep_their_type_in_transforms():
    refuses(IndexError, "is outside", torch.func.grad(lambda x: st.gather(x, [9]).sum()), torch.zeros(3))


SOURCE, TARGET = torch.tensor([0, 1, 1, -1]), torch.tensor([0, 0, 2, 1])
HOW = [{"reduction": reduction} for reduction in ("add", "mean", "mul", "max", "min")]
HOW += [{"relu": True}, {"reduction": "max", "ties": "first"}, {"reduction": "max", "ties": "share_with_zero", "relu": True}]
WEIGHTS = [None, (4,), (4, 2), (1, 2)]


def fold(how):
    def call(data, weight=None):
        return st.gather_scatter(data, SOURCE, TARGET, 3, weight=weight, **how)

    return call


def operands(shape):
    return [doubles(3, 2).detach()] + ([] if shape is None else [doubles(*shape, seed=1).detach()])


@pytest.mark.parametrize("shape", WEIGHTS, ids=str)
@pytest.mark.parametrize("how", HOW, ids=str)
def test_vjp_and_jacrev_give_the_gradients_of_autograd(how, shape):
    given, along = operands(shape), doubles(3, 2, seed=3).detach()
    leaves = [each.clone().requires_grad_() for each in given]
    wanted = torch.autograd.grad(fold(how)(*leaves), leaves, along)
    torch.testing.assert_close(torch.func.vjp(fold(how), *given)[1](along), wanted)
    places = tuple(range(len(given)))
    torch.testing.assert_close(
        torch.func.jacrev(fold(how), places)(*given), torch.autograd.functional.jacobian(fold(how), tuple(given))
    )


@pytest.mark.parametrize("how", HOW, ids=str)
def test_backward_goes_through_vmap(how):
    samples, weight = doubles(5, 3, 2), doubles(4, 2, seed=1)
    mapped = torch.vmap(fold(how), (0, None))(samples, weight)
    wanted = torch.stack([fold(how)(each, weight) for each in samples])
    assert torch.equal(mapped, wanted)
    torch.testing.assert_close(
        torch.autograd.grad(mapped.square().sum(), (samples, weight)),
        torch.autograd.grad(wanted.square().sum(), (samples, weight)),
    )


@pytest.mark.parametrize("shape", WEIGHTS, ids=str)
@pytest.mark.parametrize("how", [how for how in HOW if how.get("reduction") != "mul"], ids=str)
def test_second_derivatives_of_gather_scatter_are_those_of_autograd(how, shape):
    given = operands(shape)
    places = tuple(range(len(given)))

    def squares(*operands):
        return fold(how)(*operands).square().sum()

    found = torch.func.jacrev(torch.func.jacrev(squares, places), places)(*given)
    torch.testing.assert_close(found, torch.autograd.functional.hessian(squares, tuple(given)))


def test_products_have_no_second_derivative_and_say_so():
    data = doubles(3, 2)
    squares = lambda data: fold({"reduction": "mul"})(data).square().sum()  # noqa: E731
    (first,) = torch.autograd.grad(squares(data), data, create_graph=True)
    for call in (lambda: first.sum().backward(), lambda: torch.func.jacrev(torch.func.jacrev(squares))(data.detach())):
        refuses(NotImplementedError, 'there are no second derivatives of reduction "mul"', call)


@pytest.mark.parametrize("how", [{"relu": True}, {"reduction": "max"}], ids=str)
def test_what_did_not_win_adds_nothing_to_second_derivatives_be_it_infinite(how):
    data = torch.tensor([2.0, -torch.inf], dtype=torch.double, requires_grad=True)
    weight = torch.ones(2, dtype=torch.double, requires_grad=True)
    index = torch.tensor([0, 1])
    result = st.gather_scatter(data, index, index * 0, 1, weight=weight, **how).square().sum()
    first = torch.autograd.grad(result, (data, weight), create_graph=True)
    second = torch.autograd.grad(first[0].sum() + first[1].sum(), (data, weight))
    assert (second[0].tolist(), second[1][0].item()) == ([10, 0], 16)

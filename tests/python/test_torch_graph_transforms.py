"""`torch.func` and `torch.vmap` on the fused gather-scatter and its gradients give autograd's results."""

import pytest
import strew.torch as st
import torch
from torch_support import doubles

pytestmark = pytest.mark.filterwarnings("error:There is a performance drop")

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
def test_second_derivatives_are_those_of_autograd(how, shape):
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
        with pytest.raises(NotImplementedError, match='there are no second derivatives of reduction "mul"'):
            call()


@pytest.mark.parametrize("how", [{"relu": True}, {"reduction": "max"}], ids=str)
def test_what_did_not_win_adds_nothing_to_second_derivatives_be_it_infinite(how):
    data = torch.tensor([2.0, -torch.inf], dtype=torch.double, requires_grad=True)
    weight = torch.ones(2, dtype=torch.double, requires_grad=True)
    index = torch.tensor([0, 1])
    result = st.gather_scatter(data, index, index * 0, 1, weight=weight, **how).square().sum()
    first = torch.autograd.grad(result, (data, weight), create_graph=True)
    second = torch.autograd.grad(first[0].sum() + first[1].sum(), (data, weight))
    assert (second[0].tolist(), second[1][0].item()) == ([10, 0], 16)

"""`torch.func` on the operators of `strew.torch` gives autograd's results."""

import pytest
import strew.torch as st
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
    with pytest.raises(IndexError, match="is outside"):
        torch.func.grad(lambda x: st.gather(x, [9]).sum())(torch.zeros(3))

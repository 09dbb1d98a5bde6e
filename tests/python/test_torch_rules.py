"""Tests bits and gradients of `strew.torch` with out_of_bounds, fill_value, alpha, casting and reject_duplicates."""

import numpy as np
import pytest
import strew
import strew.torch as st
from support import refuses
import torch
from torch_support import doubles, gradients

INDICES = np.array([[9, 1, -7], [0, -4, 2], [3, 1, -1]])
GATHERS = {"gather": ((5, 4), INDICES), "gather_elements": ((4, 3), INDICES), "gather_nd": ((4, 3, 2), INDICES[:, :2])}
SCATTERS = {"scatter_elements": ((4, 3), INDICES), "scatter_nd": ((4, 3, 2), INDICES[:, :2])}


def same_bits(tensor, array):
    return tensor.detach().numpy().tobytes() == array.tobytes()


@pytest.mark.parametrize("negative", ["from_end", "out_of_bounds"])
@pytest.mark.parametrize("rule", ["clip", "wrap", "fill"])
@pytest.mark.parametrize("name", GATHERS)
def test_gathers_give_the_bits_of_strew_and_true_gradients(name, rule, negative):
    shape, indices = GATHERS[name]
    how = {"out_of_bounds": rule, "negative_indices": negative} | ({"fill_value": 2.5} if rule == "fill" else {})
    data = doubles(*shape)

    def call(data):
        return getattr(st, name)(data, torch.tensor(indices), **how)

    assert same_bits(call(data), getattr(strew, name)(data.detach().numpy(), indices, **how))
    assert torch.autograd.gradcheck(call, data)


def test_what_is_filled_has_no_gradient():
    _, of_data = gradients(lambda d: st.gather(d, [7, 1], out_of_bounds="fill", fill_value=9), torch.ones(3))
    assert of_data.tolist() == [0, 2, 0]
    batched = st.gather_nd(torch.ones(2, 3), torch.tensor([[8], [1]]), 1, out_of_bounds="fill", fill_value=-1)
    assert batched.tolist() == [-1, 1]


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min", "sub", "div", "mean"])
@pytest.mark.parametrize("rule", ["clip", "wrap", "drop"])
@pytest.mark.parametrize("name", SCATTERS)
def test_scatters_give_the_bits_of_strew_and_true_gradients(name, rule, reduction):
    shape, indices = SCATTERS[name]
    how = {"out_of_bounds": rule} | ({"alpha": -1.5} if reduction != "none" else {})
    tail = shape[indices.shape[-1] :] if name == "scatter_nd" else indices.shape[-1:]
    data, updates = doubles(*shape), doubles(*indices.shape[:-1], *tail, seed=1)

    def call(data, updates):
        return getattr(st, name)(data, torch.tensor(indices), updates, reduction=reduction, **how)

    wanted = getattr(strew, name)(data.detach().numpy(), indices, updates.detach().numpy(), reduction=reduction, **how)
    assert same_bits(call(data, updates), wanted)
    written = data.detach().clone()
    in_place = getattr(st, f"{name}_")(written, torch.tensor(indices), updates.detach(), reduction=reduction, **how)
    assert in_place is written and same_bits(written, wanted)
    assert torch.autograd.gradcheck(call, (data, updates))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8])
def test_alpha_is_rounded_as_in_strew(dtype):
    alpha = 3 if dtype == torch.int8 else 1.0009765
    data, updates = torch.arange(4).to(dtype), torch.tensor([3, 5, 7]).to(dtype)
    for how in ({}, {"acc_dtype": "float32"}) if dtype in (torch.float16, torch.bfloat16) else ({},):
        got = st.scatter_elements(data, [1, 1, 3], updates, 0, "add", alpha=alpha, **how)
        assert torch.equal(got, strew.scatter_elements(data, [1, 1, 3], updates, 0, "add", alpha=alpha, **how))


def test_alpha_scales_the_gradient_of_updates_and_not_that_of_data():
    data, updates = torch.zeros(2), torch.ones(2)
    _, of_data, of_updates = gradients(
        lambda d, u: st.scatter_nd(d, [[1], [5]], u, "add", alpha=3, out_of_bounds="drop"), data, updates
    )
    assert of_data.tolist() == [1, 2] and of_updates.tolist() == [6, 0]


@pytest.mark.parametrize("given", [torch.float16, torch.float64, torch.int64, torch.bool])
def test_same_kind_casts_updates_and_their_gradient_back(given):
    data, updates = torch.zeros(3), torch.tensor([1, 2]).to(given)
    refuses(TypeError, r"^scatter_nd: updates are \w+ but data is float32", st.scatter_nd, data, [[0], [2]], updates)
    wanted = strew.scatter_nd(data.numpy(), [[0], [2]], updates.numpy(), casting="same_kind")
    assert same_bits(st.scatter_nd(data, [[0], [2]], updates, casting="same_kind"), wanted)
    cache, update = torch.zeros(1, 3), updates.view(1, 2)
    got = st.tensor_scatter_(cache.clone(), update, [1], -1, casting="same_kind")
    assert same_bits(got, strew.tensor_scatter(cache.numpy(), update.numpy(), [1], -1, casting="same_kind"))
    if given.is_floating_point:
        updates.requires_grad_()
        st.scatter_nd(data, [[0], [2]], updates, casting="same_kind").sum().backward()
        assert updates.grad.dtype == given and updates.grad.tolist() == [1, 1]


@pytest.mark.parametrize("data", [torch.int32, torch.uint8, torch.bool])
def test_another_kind_is_not_cast(data):
    updates = torch.tensor([1.0]) if data == torch.int32 else torch.tensor([1], dtype=torch.int8)
    with pytest.raises(TypeError, match="both must have the same type"):
        st.scatter_nd(torch.zeros(3, dtype=data), [[0]], updates, casting="same_kind")


def test_duplicates_are_rejected_where_that_is_asked_for():
    for call in (st.scatter_elements, st.scatter_elements_):
        with pytest.raises(ValueError) as found:
            call(torch.zeros(3), [1, -2], [1.0, 2.0], reject_duplicates=True)
        with pytest.raises(ValueError) as wanted:
            strew.scatter_elements(np.zeros(3, "f4"), [1, -2], [1.0, 2.0], reject_duplicates=True)
        assert str(found.value) == str(wanted.value)
    assert st.scatter_elements(torch.zeros(3), [1, 0], [1.0, 2.0], reject_duplicates=True).tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda d: st.gather(d, [0], out_of_bounds="drop"), ValueError, "gather: out_of_bounds 'drop' is for scatters; a gather has 'fill'"),
        (lambda d: st.gather(d, [0], out_of_bounds=1), TypeError, "gather: out_of_bounds is an int; it must be a str"),
        (lambda d: st.gather(d, [0], out_of_bounds="fill", fill_value=d[0]), TypeError, r"gather: fill_value is a torch.Tensor; it must be a number; call .item\(\)"),
        (lambda d: st.gather(d.int(), [0], out_of_bounds="fill", fill_value=1.5), TypeError, "gather: fill_value is 1.5, of type float64, but data is int32"),
        (lambda d: st.gather(d, [0], fill_value=1), ValueError, "gather: fill_value is for out_of_bounds 'fill'"),
        (lambda d: st.scatter_nd(d, [[0]], 1.0, alpha=2), ValueError, "scatter_nd: alpha is for reductions"),
        (lambda d: st.scatter_nd(d, [[0]], 1.0, "add", alpha="2"), TypeError, "scatter_nd: alpha is a str; it must be a number"),
        (lambda d: st.scatter_nd(d, [[0]], 1.0, casting="safe"), ValueError, "scatter_nd: casting 'safe' is none of 'equiv', 'same_kind'"),
        (lambda d: st.scatter_nd(d, [[0]], 1.0, reject_duplicates=1), TypeError, "scatter_nd: reject_duplicates is an int; it must be a bool"),
        (lambda d: st.scatter_nd(d, [[0]], 1.0, out_of_bounds="fill"), ValueError, "scatter_nd: out_of_bounds 'fill' is for gathers; a scatter has 'drop'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(call, error, message):
    refuses(error, f"^{message}", call, torch.zeros(3))


def ruled(x, u):
    rows = torch.tensor([[9], [0], [-1]])
    y = st.gather(x, torch.tensor([7, 1, 0]), out_of_bounds="fill", fill_value=2.5)
    y = st.scatter_nd(y, rows, u, "add", out_of_bounds="drop", alpha=3)
    return st.scatter_elements(y, rows.expand(3, 3), u.float(), 0, "mul", out_of_bounds="drop", casting="same_kind")


def test_compiled_code_gives_the_same_values_and_gradients():
    torch.compiler.reset()
    operands = (doubles(3, 3), doubles(3, 3, seed=1))
    compiled = torch.compile(ruled, fullgraph=True, backend="aot_eager")
    for ours, theirs in zip(gradients(compiled, *operands), gradients(ruled, *operands), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reduction", ["add", "mul"])
def test_operators_keep_the_rules_of_torch(reduction):
    ops, rows = torch.ops.strew, torch.tensor([[0], [9], [2]])
    torch.library.opcheck(ops.gather.default, (doubles(5, 4), rows, 0, "fill", 2.5, "from_end"))
    how = (reduction, "drop", "from_end", True, "data", 2.0, False)
    torch.library.opcheck(ops.scatter_nd.default, (doubles(3, 4), rows, doubles(3, 4), *how))
    torch.library.opcheck(ops.scatter_nd_.default, (torch.zeros(3, 4), rows, torch.ones(3, 4), *how))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap_of_grad_gives_the_gradients_of_each_sample():
    xs, us = doubles(2, 3, 3).detach(), doubles(2, 3, 3, seed=1).detach()
    found = torch.func.vmap(torch.func.grad(lambda x, u: ruled(x, u).square().sum(), (0, 1)))(xs, us)
    for sample, (x, u) in enumerate(zip(xs, us, strict=True)):
        operands = x.clone().requires_grad_(), u.clone().requires_grad_()
        wanted = torch.autograd.grad(ruled(*operands).square().sum(), operands)
        assert all(torch.equal(ours[sample], theirs) for ours, theirs in zip(found, wanted, strict=True))

"""Empty indices, sources and inputs in `strew.torch` give the results and gradients of PyTorch.

A batch may have a graph without edges or a relation without rows. A training step must then give zero gradients.
"""

import itertools

import pytest
import strew.torch as st
import torch

pytestmark = pytest.mark.filterwarnings("ignore:.*(performance drop|in beta|is deprecated)")


def spread(index, values):
    return index.unsqueeze(-1).expand(values.shape)


# Equivalent calls in Strew and PyTorch with a table `x`, an index `i` without values, and values `v` without rows.
PAIRS = {
    "gather": (lambda x, i, v: st.gather(x, i), lambda x, i, v: x[i]),
    "gather_elements": (lambda x, i, v: st.gather_elements(x, spread(i, v)), lambda x, i, v: x.gather(0, spread(i, v))),
    "gather_nd": (lambda x, i, v: st.gather_nd(x, i[:, None]), lambda x, i, v: x[i]),
    "gather_scatter": (lambda x, i, v: st.gather_scatter(x, i, i, len(x)), lambda x, i, v: (x * 0).index_add(0, i, x[i])),
    "tensor_scatter": (lambda x, i, v: st.tensor_scatter(x[None], v[None], [0]), lambda x, i, v: x.index_add(0, i, v)[None]),
    "tensor_scatter_": (lambda x, i, v: st.tensor_scatter_(x[None] * 1, v[None]), lambda x, i, v: x.index_add(0, i, v)[None]),
}
for reduction, reduce in {"add": "sum", "mul": "prod", "max": "amax", "min": "amin", "mean": "mean"}.items():
    for name, call in {
        "scatter_elements": lambda x, i, v, r: st.scatter_elements(x, spread(i, v), v, 0, r),
        "scatter_nd": lambda x, i, v, r: st.scatter_nd(x, i[:, None], v, r),
        "scatter_elements_": lambda x, i, v, r: st.scatter_elements_(x * 1, spread(i, v), v, 0, r),
        "scatter_nd_": lambda x, i, v, r: st.scatter_nd_(x * 1, i[:, None], v, r),
    }.items():
        PAIRS[f"{name} {reduction}"] = (
            lambda x, i, v, c=call, r=reduction: c(x, i, v, r),
            lambda x, i, v, r=reduce: x.scatter_reduce(0, spread(i, v), v, r),
        )

INDEX = torch.zeros(0, dtype=torch.int64)


def operands(count, of_table=True, of_values=True):
    table = torch.arange(1.0, 3 * count + 1, dtype=torch.float64).view(count, 3)
    return table.requires_grad_(of_table), torch.zeros(0, 3, dtype=torch.float64).requires_grad_(of_values)


def gradients(result, needing, **options):
    return torch.autograd.grad(result.square().sum(), needing, allow_unused=True, **options)


def outcome(call, count, of_table, of_values):
    """Return the result, whether it has a graph, and the gradients if it has any."""
    table, values = operands(count, of_table, of_values)
    result = call(table * 1, INDEX, values * 1)
    needing = [operand for operand in (table, values) if operand.requires_grad]
    first = gradients(result, needing) if result.requires_grad else None
    return result.detach(), result.requires_grad, result.grad_fn is not None, first


def test_every_function_is_here():
    functions = {name for name in st.__all__ if hasattr(torch.ops.strew, name)}
    assert {name.split()[0] for name in PAIRS} == functions


@pytest.mark.parametrize("name", PAIRS)
def test_results_and_gradients_are_pytorchs(name):
    ours, theirs = PAIRS[name]
    for count, (of_table, of_values) in itertools.product((4, 0), ((True, False), (False, True), (True, True), (False, False))):
        found, wanted = (outcome(call, count, of_table, of_values) for call in (ours, theirs))
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", [name for name in PAIRS if "mul" not in name])
def test_second_gradients_are_pytorchs(name):
    found, wanted = [], []
    for call, results in zip(PAIRS[name], (found, wanted), strict=True):
        table, values = operands(4)
        first = gradients(call(table * 1, INDEX, values * 1), (table, values), create_graph=True)
        total = sum((grad.square().sum() for grad in first if grad is not None and grad.requires_grad), table.sum() * 0)
        second = torch.autograd.grad(total, (table, values), allow_unused=True, materialize_grads=True)
        results.extend(second)
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)


@pytest.mark.parametrize("name", PAIRS)
def test_vmap_and_grad_give_what_each_sample_gives(name):
    def total(x, v):
        return PAIRS[name][0](x, INDEX, v).square().sum() + x.sum() * 0 + v.sum() * 0

    tables = torch.arange(1.0, 25, dtype=torch.float64).view(2, 4, 3)
    values = torch.zeros(2, 0, 3, dtype=torch.float64)
    mapped = torch.vmap(torch.func.grad(total, (0, 1)))(tables, values)
    each = [torch.func.grad(total, (0, 1))(x, v) for x, v in zip(tables, values, strict=True)]
    wanted = [torch.func.grad(lambda x: PAIRS[name][1](x, INDEX, values[0]).square().sum() + x.sum() * 0)(x) for x in tables]
    assert torch.equal(mapped[0], torch.stack([x for x, _ in each]))
    assert torch.equal(mapped[0], torch.stack(wanted))
    assert mapped[1].shape == values.shape


def test_compiled_code_gives_the_same():
    names = ["gather", "gather_nd", "scatter_elements add", "scatter_nd max", "tensor_scatter"]

    def step(x, i, v):
        return [PAIRS[name][0](x, i, v) for name in names]

    torch.compiler.reset()
    compiled = torch.compile(step, backend="aot_eager", fullgraph=True)
    table, values = operands(4)
    for name, found, wanted in zip(names, compiled(table, INDEX, values), step(table, INDEX, values), strict=True):
        assert torch.equal(found, wanted) and found.requires_grad == wanted.requires_grad, name
        if wanted.requires_grad:
            torch.testing.assert_close(
                gradients(found, (table, values), retain_graph=True, materialize_grads=True),
                gradients(wanted, (table, values), retain_graph=True, materialize_grads=True),
            )


@pytest.mark.parametrize("name", PAIRS)
def test_forward_mode_is_refused_as_of_other_indices(name):
    from torch.autograd import forward_ad

    with forward_ad.dual_level():
        x, v = (forward_ad.make_dual(t.detach(), torch.ones_like(t)) for t in operands(4))
        with pytest.raises(NotImplementedError, match=r"^[a-z_]+: there is no forward-mode derivative"):
            PAIRS[name][0](x, INDEX, v)

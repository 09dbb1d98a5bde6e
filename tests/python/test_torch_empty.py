"""Empty indices, sources and inputs in `strew.torch` and `strew.torch.functional`: what PyTorch gives, with its gradients.

A graph without edges in a batch, a relation without rows: a training step must go on, and leave zeros as gradients.
"""

import itertools

import pytest

torch = pytest.importorskip("torch")

import strew.torch as st  # noqa: E402
import strew.torch.functional as F  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*(performance drop|in beta|is deprecated)")

NN = torch.nn.functional


def spread(index, values):
    return index.unsqueeze(-1).expand(values.shape)


def rows(function, index, table):
    return torch.nn.functional.embedding(index, table) if function is torch else F.embedding(index, table)


# Of a table `x`, an index without values and `v`, values without rows. `m` is torch or strew.torch.functional.
FUNCTIONS = {
    "gather": lambda m, x, i, v: m.gather(x, 0, i.unsqueeze(-1).expand(0, 3)),
    "gather of no columns": lambda m, x, i, v: m.gather(x, 1, i.expand(len(x), 0)),
    "gather of another rank": lambda m, x, i, v: m.gather(x, 0, i),
    "gather of floats": lambda m, x, i, v: m.gather(x, 0, i.float()),
    "take_along_dim": lambda m, x, i, v: m.take_along_dim(x, spread(i, v), 0),
    "take_along_dim of all": lambda m, x, i, v: m.take_along_dim(x, i),
    "scatter": lambda m, x, i, v: m.scatter(x, 0, spread(i, v), v),
    "scatter of a number": lambda m, x, i, v: m.scatter(x, 0, spread(i, v), 2.0),
    "scatter add": lambda m, x, i, v: m.scatter(x, 0, spread(i, v), v, reduce="add"),
    "scatter_add": lambda m, x, i, v: m.scatter_add(x, 0, spread(i, v), v),
    "scatter_add along columns": lambda m, x, i, v: m.scatter_add(x, 1, spread(i, v), v),
    "scatter_add of a longer source": lambda m, x, i, v: m.scatter_add(x, 0, spread(i, v), torch.cat([v, x[:0], x * 2])),
    "scatter_add of another rank": lambda m, x, i, v: m.scatter_add(x, 0, i, v),
    "scatter_add of another rank everywhere": lambda m, x, i, v: m.scatter_add(x, 0, i.view(0, 9, 9), v.view(0)),
    "scatter_add of floats": lambda m, x, i, v: m.scatter_add(x, 0, i.float(), v),
    "index_add": lambda m, x, i, v: m.index_add(x, 0, i, v),
    "index_add alpha": lambda m, x, i, v: m.index_add(x, 0, i, v, alpha=3),
    "index_add along columns": lambda m, x, i, v: m.index_add(x, 1, i, v.view(0).expand(len(x), 0)),
    "index_copy": lambda m, x, i, v: m.index_copy(x, 0, i, v),
    "index_put": lambda m, x, i, v: m.index_put(x, (i,), v),
    "index_put accumulate": lambda m, x, i, v: m.index_put(x, (i,), v, accumulate=True),
    "index_put beside one outside": lambda m, x, i, v: m.index_put(x, (i.view(0, 1), torch.tensor([99])), v.sum()),
    "index_put by a mask": lambda m, x, i, v: m.index_put(x, (x.detach()[:, 0] > 99,), v),
    "embedding": lambda m, x, i, v: rows(m, i, x),
    "segment_reduce of the table": lambda m, x, i, v: m.segment_reduce(x, "sum", lengths=torch.tensor([len(x), 0])),
}
for reduce, include_self in itertools.product(("sum", "prod", "mean", "amax", "amin"), (True, False)):
    FUNCTIONS[f"scatter_reduce {reduce} {include_self}"] = lambda m, x, i, v, r=reduce, s=include_self: m.scatter_reduce(
        x, 0, spread(i, v), v, r, include_self=s
    )
    if reduce != "sum":
        FUNCTIONS[f"index_reduce {reduce} {include_self}"] = lambda m, x, i, v, r=reduce, s=include_self: m.index_reduce(
            x, 0, i, v, r, include_self=s
        )
for reduce in ("sum", "mean", "max", "min", "prod"):
    FUNCTIONS[f"segment_reduce {reduce}"] = lambda m, x, i, v, r=reduce: m.segment_reduce(
        v, r, lengths=torch.tensor([0, 0]), initial=1.0, unsafe=True
    )

# Strew's own operators, beside what is the same in PyTorch.
OPERATORS = {
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
        OPERATORS[f"{name} {reduction}"] = (
            lambda x, i, v, c=call, r=reduction: c(x, i, v, r),
            lambda x, i, v, r=reduce: x.scatter_reduce(0, spread(i, v), v, r),
        )

PAIRS = {name: (lambda *given, c=call: c(F, *given), lambda *given, c=call: c(torch, *given)) for name, call in FUNCTIONS.items()}
PAIRS |= {f"strew.torch.{name}": pair for name, pair in OPERATORS.items()}
INDEX = torch.zeros(0, dtype=torch.int64)

# What PyTorch computes but cannot derive, or derives into an error; its second derivatives of others.
WITHOUT_GRADIENT = {"scatter add", "scatter_add of a longer source", "scatter_add of another rank", "scatter_add of floats"}
WITHOUT_GRADIENT |= {"scatter_add of another rank everywhere"}
WITHOUT_SECOND = WITHOUT_GRADIENT | {"embedding"} | {name for name in FUNCTIONS if name.startswith("segment_reduce")}


def operands(count, of_table=True, of_values=True):
    table = torch.arange(1.0, 3 * count + 1, dtype=torch.float64).view(count, 3)
    return table.requires_grad_(of_table), torch.zeros(0, 3, dtype=torch.float64).requires_grad_(of_values)


def gradients(result, needing, **options):
    return torch.autograd.grad(result.square().sum(), needing, allow_unused=True, **options)


def outcome(call, count, of_table, of_values):
    """The result, whether it has a graph, the gradients, and second ones where there are any."""
    table, values = operands(count, of_table, of_values)
    result = call(table * 1, INDEX, values * 1)
    needing = [operand for operand in (table, values) if operand.requires_grad]
    first = gradients(result, needing) if result.requires_grad else None
    return result.detach(), result.requires_grad, result.grad_fn is not None, first


def test_every_function_is_here():
    named = {name.split()[0] for name in FUNCTIONS}
    assert named == set(F.__all__)
    functions = {name for name in st.__all__ if hasattr(torch.ops.strew, name)}
    assert {name.split()[0] for name in OPERATORS} == functions


@pytest.mark.parametrize("name", WITHOUT_GRADIENT)
def test_gradients_that_pytorch_lacks_are_those_of_the_input_alone(name):
    ours, theirs = PAIRS[name]
    for of_table in (True, False):
        result, _, _, first = outcome(ours, 4, of_table, True)
        table, values = operands(4)
        assert torch.equal(result, theirs(table * 1, INDEX, values * 1))
        wanted = [2 * table, torch.zeros_like(values)] if of_table else [torch.zeros_like(values)]
        assert all(torch.equal(found, grad) for found, grad in zip(first, wanted, strict=True))


@pytest.mark.parametrize("name", [name for name in PAIRS if name not in WITHOUT_GRADIENT])
def test_results_and_gradients_are_pytorchs(name):
    ours, theirs = PAIRS[name]
    for count, (of_table, of_values) in itertools.product((4, 0), ((True, False), (False, True), (True, True), (False, False))):
        found, wanted = (outcome(call, count, of_table, of_values) for call in (ours, theirs))
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", [n for n in PAIRS if n not in WITHOUT_SECOND and "mul" not in n and "prod" not in n])
def test_second_gradients_are_pytorchs(name):
    found, wanted = [], []
    for call, results in zip(PAIRS[name], (found, wanted), strict=True):
        table, values = operands(4)
        first = gradients(call(table * 1, INDEX, values * 1), (table, values), create_graph=True)
        total = sum((grad.square().sum() for grad in first if grad is not None and grad.requires_grad), table.sum() * 0)
        second = torch.autograd.grad(total, (table, values), allow_unused=True, materialize_grads=True)
        results.extend(second)
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)


def can_be_mapped(name):
    return "mask" not in name and "segment_reduce" not in name  # which must know their values


@pytest.mark.parametrize("name", [name for name in PAIRS if can_be_mapped(name) and name not in WITHOUT_GRADIENT])
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
    names = ["gather", "scatter_add", "scatter_add of another rank", "scatter_reduce amax True", "index_put", "embedding"]

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


FORWARD = [name for name in PAIRS if "segment_reduce" not in name]  # whose table is one of two here


@pytest.mark.parametrize("name", FORWARD)
def test_forward_mode_is_refused_as_of_other_indices(name):
    from torch.autograd import forward_ad

    with forward_ad.dual_level():
        x, v = (forward_ad.make_dual(t.detach(), torch.ones_like(t)) for t in operands(4))
        with pytest.raises(NotImplementedError, match=r"^[a-z_]+: there is no forward-mode derivative"):
            PAIRS[name][0](x, INDEX, v)


def raises(call):
    try:
        call()
    except Exception:  # PyTorch raises RuntimeError and others
        return True
    return False


X = torch.zeros(3, 4)
INDICES = {
    "long": INDEX,
    "rows": INDEX.view(0, 4),
    "wide": INDEX.view(0, 9),
    "deep": INDEX.view(2, 0, 9),
    "int": INDEX.int(),
    "float": INDEX.float(),
    "float rows": INDEX.float().view(0, 4),
    "bool": INDEX.bool(),
    "list": [],
}
VALUES = {
    "empty": torch.zeros(0, 4),
    "two": torch.zeros(2, 4),
    "double": torch.zeros(0, 4).double(),
    "wide": torch.zeros(0, 9),
    "rank 1": torch.zeros(0),
    "rank 0": torch.zeros(()),
    "number": 2.0,
    "None": None,
}
CALLS = {
    "gather": lambda m, d, i, v: m.gather(X, d, i),
    "take_along_dim": lambda m, d, i, v: m.take_along_dim(X, i, d),
    "scatter": lambda m, d, i, v: m.scatter(X, d, i, v),
    "scatter reduce": lambda m, d, i, v: m.scatter(X, d, i, v, reduce="add"),
    "scatter_add": lambda m, d, i, v: m.scatter_add(X, d, i, v),
    "scatter_reduce": lambda m, d, i, v: m.scatter_reduce(X, d, i, v, "sum"),
    "scatter_reduce of a wrong word": lambda m, d, i, v: m.scatter_reduce(X, d, i, v, "add"),
    "index_add": lambda m, d, i, v: m.index_add(X, d, i, v),
    "index_copy": lambda m, d, i, v: m.index_copy(X, d, i, v),
    "index_reduce": lambda m, d, i, v: m.index_reduce(X, d, i, v, "amax"),
    "index_put": lambda m, d, i, v: m.index_put(X, (i,), v),
    "index_put not of a tuple": lambda m, d, i, v: m.index_put(X, i, v),
    "embedding": lambda m, d, i, v: rows(m, i, X),
    "embedding in values": lambda m, d, i, v: rows(m, i, v),
    "embedding with padding": lambda m, d, i, v: (F if m is F else NN).embedding(i, X, 3),
}
# Strew takes all integers as indices, and no indices at all for all of the input.
WIDER = {("take_along_dim", "int"), ("index_copy", "int"), ("index_put not of a tuple", "list")}


@pytest.mark.parametrize("name", CALLS)
def test_the_same_calls_are_refused_as_by_pytorch(name):
    differing = []
    for dim, (kind, index), (sort, values) in itertools.product((0, 1, -2, 2, -3, 7, "0"), INDICES.items(), VALUES.items()):
        theirs = raises(lambda: CALLS[name](torch, dim, index, values))  # noqa: B023
        ours = raises(lambda: CALLS[name](F, dim, index, values))  # noqa: B023
        if ours != theirs and (name, kind) not in WIDER:
            differing.append((dim, kind, sort, theirs))
    assert differing == []

"""Tests fused gather-scatter in PyTorch: bits of torch's own operators, gradients, compiled and exported programs."""

import warnings

import pytest
import strew.torch as st
from support import refuses
import torch
from torch_support import doubles


def graph(edges=60, sources=12, targets=9, seed=3):
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(-sources, sources, (edges,), generator=generator)
    target = torch.randint(0, targets, (edges,), generator=generator)
    return source, target, sources, targets


def unfused(data, source, target, size, weight=None, addend=None, relu=False, reduction="add"):
    messages = data[source]
    if weight is not None:
        messages = messages * weight.reshape(*weight.shape, *[1] * (data.dim() - weight.dim()))
    if addend is not None:
        messages = messages + addend.reshape(*addend.shape, *[1] * (data.dim() - addend.dim()))
    if relu:
        messages = messages.relu()
    index = target.reshape(-1, *[1] * (data.dim() - 1)).expand_as(messages)
    name = {"add": "sum", "mean": "mean", "max": "amax", "min": "amin", "mul": "prod"}[reduction]
    zeros = data.new_ones if reduction == "mul" else data.new_zeros
    return zeros(size, *data.shape[1:]).scatter_reduce(0, index, messages, name, include_self=reduction == "mul")


TERMS = [
    pytest.param(None, None, False, id="plain"),
    pytest.param((60,), None, False, id="a weight for each edge"),
    pytest.param((60, 3), None, False, id="a weight for each head"),
    pytest.param((60, 3, 4), (60,), False, id="a weight for each element and an addend"),
    pytest.param((60,), (60, 3, 4), True, id="relu"),
    pytest.param((60, 1, 4), (1, 3), False, id="a weight for each column"),
]


def terms_of(weight, addend):
    """Return the weight and the addend with these shapes, without those that are None."""
    shapes = {"weight": weight, "addend": addend}
    return {name: doubles(*shape, seed=seed) for seed, (name, shape) in enumerate(shapes.items(), 1) if shape}


@pytest.mark.parametrize("reduction", ["add", "mean", "max", "min", "mul"])
@pytest.mark.parametrize(("weight", "addend", "relu"), TERMS)
def test_results_and_gradients_are_those_of_the_operators_one_after_the_other(weight, addend, relu, reduction):
    source, target, sources, size = graph()
    terms = terms_of(weight, addend)
    data, how = doubles(sources, 3, 4), {**terms, "relu": relu, "reduction": reduction}
    operands = [data, *terms.values()]
    ours = st.gather_scatter(data, st.Edges(source, target, sources, size), **how)
    theirs = unfused(data, source, target, size, **how)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    along = torch.arange(1.0, ours.numel() + 1, dtype=torch.float64).view(ours.shape)
    got, wanted = (torch.autograd.grad(result, operands, along) for result in (ours, theirs))
    torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("weight", "addend", "relu"), TERMS)
def test_first_and_second_derivatives_are_those_of_differences(weight, addend, relu):
    source, target, sources, size = graph(edges=60, sources=4, targets=3)
    terms = terms_of(weight, addend)

    def call(data, *rest):
        return st.gather_scatter(data, source, target, size, **dict(zip(terms, rest, strict=True)), relu=relu)

    operands = [doubles(4, 3, 4), *terms.values()]
    assert torch.autograd.gradcheck(call, operands, fast_mode=True)
    assert torch.autograd.gradgradcheck(call, operands, fast_mode=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_bits_are_those_of_gather_product_and_strew_scatter(dtype):
    source, target, sources, size = graph(edges=500)
    data, weight = doubles(sources, 7).to(dtype).detach(), doubles(500).to(dtype).detach()
    wanted = st.scatter_nd(torch.zeros(size, 7, dtype=dtype), target[:, None], data[source] * weight[:, None], "add")
    assert torch.equal(st.gather_scatter(data, source, target, size, weight=weight), wanted)


def test_winners_come_without_gradients_and_the_result_with_them():
    data = torch.tensor([[1.0], [3.0], [3.0]], requires_grad=True)
    result, first = st.gather_scatter(
        data, torch.tensor([0, 1, 2]), torch.tensor([0, 0, 0]), 2, reduction="max", argmax=True
    )
    assert (result.tolist(), first.tolist()) == ([[3.0], [0.0]], [[1], [3]])
    result.sum().backward()
    assert data.grad.tolist() == [[0.0], [0.5], [0.5]]


def test_it_passes_opcheck_and_compiles_and_exports_whole():
    source, target, sources, size = graph()
    data, weight = doubles(sources, 4), doubles(60)
    how = (weight, None, False, "add", "data", "share")
    for along in ((source, target, None, False), st.Edges(source, target, sources, size)._along()):
        torch.library.opcheck(torch.ops.strew.gather_scatter, (data, *along, size, *how))
        torch.library.opcheck(torch.ops.strew.edge_dot, (data, doubles(size, 4, seed=5), *along, 1))

    def step(data, weight):
        return st.gather_scatter(data, source, target, size, weight=weight).relu()

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(data, weight), step(data, weight))

    class Layer(torch.nn.Module):
        def forward(self, data, source, target, weight):
            return st.gather_scatter(data, source, target, size, weight=weight)

    exported = torch.export.export(Layer(), (data.detach(), source, target, weight.detach())).module()
    assert torch.equal(exported(data, source, target, weight), st.gather_scatter(data, source, target, size, weight=weight))


@pytest.mark.parametrize("reduction", ["max", "add"])
def test_gradients_without_messages_pass_opcheck_and_compile(reduction):
    source, target, sources, size = graph()
    data, weight, addend = doubles(sources, 4), doubles(60, seed=1), doubles(60, 4, seed=2)

    def call(data, weight, addend):
        terms = {"weight": weight, "addend": addend, "relu": True}
        return st.gather_scatter(data, source, target, size, **terms, reduction=reduction)

    result = call(data, weight, addend).detach()
    how = (weight, addend, result, True, reduction, "data", "share", [True, True, True])
    torch.library.opcheck(
        torch.ops.strew.gather_scatter_gradients, (doubles(size, 4, seed=5), data, source, target, None, False, *how)
    )
    compiled = torch.compile(call, fullgraph=True, backend="aot_eager")
    wanted = torch.autograd.grad(call(data, weight, addend).sum(), (data, weight, addend))
    got = torch.autograd.grad(compiled(data, weight, addend).sum(), (data, weight, addend))
    assert all(torch.equal(one, other) for one, other in zip(got, wanted, strict=True))
    assert torch.autograd.gradgradcheck(call, (data, weight, addend), fast_mode=True)


def test_an_index_changed_before_backward_is_an_error():
    source, target, sources, size = graph()
    result = st.gather_scatter(doubles(sources, 4), source, target, size)
    target[0] = 0
    refuses(RuntimeError, "modified by an inplace operation", result.sum().backward)


@pytest.mark.parametrize(("reduction", "best"), [("max", 3.0), ("min", -3.0)])
def test_ties_share_the_gradient_or_the_first_has_it(reduction, best):
    data = torch.tensor([[best], [best], [0.0], [-best]], requires_grad=True)
    source, target = torch.tensor([3, 1, 0, 2, 2]), torch.tensor([0, 0, 0, 1, 1])
    wanted = {"share": [0.5, 0.5, 1.0, 0.0], "first": [0.0, 1.0, 1.0, 0.0], "share_with_zero": [0.5, 0.5, 2 / 3, 0.0]}
    for ties, shares in wanted.items():
        result = st.gather_scatter(data, source, target, 2, reduction=reduction, ties=ties)
        (grad,) = torch.autograd.grad(result.sum(), data)
        torch.testing.assert_close(grad.flatten(), torch.tensor(shares))
        assert torch.autograd.gradgradcheck(
            lambda x, ties=ties: st.gather_scatter(x, source, target, 2, reduction=reduction, ties=ties),
            doubles(4, 2),
        )
    with pytest.raises(ValueError, match="ties is 'last'; it must be 'share', 'first' or 'share_with_zero'"):
        st.gather_scatter(data, source, target, 2, ties="last")


def test_the_result_of_a_sum_may_be_changed_before_backward():
    data = torch.tensor([[1.0], [2.0]], requires_grad=True)
    st.gather_scatter(data, torch.tensor([0, 1]), torch.tensor([0, 0]), 1).mul_(2).sum().backward()
    assert data.grad.tolist() == [[2.0], [2.0]]


@pytest.mark.parametrize("how", [{"reduction": "max"}, {"relu": True}, {"relu": True, "reduction": "mean"}, {}], ids=str)
def test_second_derivatives_hold_where_the_gradient_depends_on_data(how):
    one = torch.tensor([0])
    data = torch.tensor([[0.5]], dtype=torch.double, requires_grad=True)
    cubed = st.gather_scatter(data, one, one, 1, **how) ** 3
    (first,) = torch.autograd.grad(cubed.sum(), data, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), data, create_graph=True)
    assert (first.item(), second.item()) == (0.75, 3.0)


@pytest.mark.parametrize("how", [{"reduction": "mul"}, {"reduction": "max"}, {"relu": True}], ids=str)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_weight_may_be_computed_from_data(how, create_graph):
    one = torch.tensor([0])
    data = torch.tensor([[0.5]], dtype=torch.double, requires_grad=True)
    result = st.gather_scatter(data, one, one, 1, weight=(data * data)[:, 0], **how)
    assert torch.autograd.grad(result.sum(), data, create_graph=create_graph)[0].item() == 0.75


@pytest.mark.parametrize("heads", [((2, 2), (2, 2, 3)), ((2, 2, 3), (2, 2))])
@pytest.mark.parametrize("how", [{"reduction": "max"}, {"relu": True}], ids=str)
def test_weight_and_addend_may_have_other_heads(heads, how):
    data, weight, addend = (doubles(*shape).requires_grad_() for shape in ((2, 2, 3, 2), *heads))
    index = torch.tensor([0, 1])

    def fold(*operands):
        return st.gather_scatter(operands[0], index, index * 0, 1, weight=operands[1], addend=operands[2], **how)

    assert torch.autograd.gradcheck(fold, (data, weight, addend))


def test_the_mean_of_more_halves_than_a_half_can_count_has_a_gradient():
    data = torch.ones(1, 1, dtype=torch.float16, requires_grad=True)
    many = torch.zeros(70_000, dtype=torch.int64)
    st.gather_scatter(data, many, many, 1, reduction="mean", acc_dtype="float32").sum().backward()
    assert data.grad.item() == pytest.approx(1, rel=0.01)


def test_a_product_along_no_edges_has_a_gradient_of_zeros():
    data = torch.ones(2, 3, requires_grad=True)
    none = torch.zeros(0, dtype=torch.int64)
    st.gather_scatter(data, none, none, 4, reduction="mul").sum().backward()
    assert data.grad.tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("how", [{"reduction": each} for each in ("add", "mean", "max", "mul")] + [{"relu": True}], ids=str)
def test_vmap_of_grad_gives_the_gradients_of_each_sample(how):
    source, target, samples = torch.tensor([0, 1, 2, 1]), torch.tensor([0, 1, 1, 0]), doubles(5, 3, 2)

    def total(data):
        return st.gather_scatter(data, source, target, 2, **how).square().sum()

    found = torch.vmap(torch.func.grad(total))(samples)
    assert torch.equal(found, torch.stack([torch.func.grad(total)(each) for each in samples]))


@pytest.mark.parametrize("how", [{"reduction": "max"}, {"reduction": "min"}, {"relu": True}], ids=str)
@pytest.mark.parametrize("shape", [(1,), (1, 3), (1, 1), (1, 3, 2), (1, 1, 2)], ids=str)
@pytest.mark.parametrize("name", ["weight", "addend"])
def test_terms_of_one_edge_have_gradients(name, shape, how):
    data, term, edge = doubles(4, 3, 2), doubles(*shape, seed=1), torch.tensor([2])

    def fold(data, term):
        return st.gather_scatter(data, edge, edge, 4, **{name: term}, **how)

    wanted = torch.autograd.grad(unfused(data, edge, edge, 4, **{name: term}, **how).square().sum(), (data, term))
    got = torch.autograd.grad(fold(data, term).square().sum(), (data, term))
    torch.testing.assert_close(got, wanted)
    assert torch.autograd.gradgradcheck(fold, (data, term))


@pytest.mark.parametrize("how", [{"reduction": "max"}, {"relu": True}, {}], ids=str)
@pytest.mark.parametrize("shapes", [((3, 1, 1, 2), (3, 2)), ((3, 2), (3, 1, 1, 2)), ((3, 2, 1, 2), (1, 1, 2))], ids=str)
def test_a_weight_and_an_addend_may_be_broadcast_in_two_ways(shapes, how):
    operands = (doubles(5, 2, 2, 2), doubles(*shapes[0], seed=1), doubles(*shapes[1], seed=2))
    source, target = torch.tensor([0, 1, 4]), torch.tensor([1, 1, 0])

    def fold(data, weight, addend):
        return st.gather_scatter(data, source, target, 5, weight=weight, addend=addend, **how)

    assert torch.autograd.gradcheck(fold, operands)
    assert torch.autograd.gradgradcheck(fold, operands)


def test_vmap_goes_without_a_warning():
    samples, index = doubles(5, 3, 2), torch.tensor([0, 1, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = torch.vmap(lambda data: st.gather_scatter(data, index, index, 3, reduction="max", argmax=True))(samples.detach())
        mapped = torch.vmap(lambda data: st.gather_scatter(data, index, index, 3))(samples)
    assert torch.equal(found[0], samples) and torch.equal(mapped, samples) and found[1].shape == samples.shape


@pytest.mark.parametrize("reduction", ["max", "min", "mul"])
def test_relu_leaves_negative_zeros_as_that_of_torch(reduction):
    data = torch.tensor([-0.0, -1.0, 0.0, float("nan"), 2.0])
    index = torch.arange(5)
    got = st.gather_scatter(data, index, index, 5, relu=True, reduction=reduction)
    assert got.view(torch.int32).tolist() == data.relu().view(torch.int32).tolist()


@pytest.mark.parametrize("argmax", [False, True])
def test_a_wrong_acc_dtype_is_named(argmax):
    data, index = torch.ones(1, dtype=torch.double), torch.tensor([0])
    with pytest.raises(TypeError, match="acc_dtype is float32, but data is float64"):
        st.gather_scatter(data, index, index, 1, reduction="max", argmax=argmax, acc_dtype="float32")
    with pytest.raises(ValueError, match="acc_dtype 'wide' is none of 'data', 'float32'"):
        st.gather_scatter(data, index, index, 1, reduction="max", argmax=argmax, acc_dtype="wide")


def test_winners_that_are_nan_share_the_gradient_as_after_the_operators_one_after_the_other():
    data = torch.tensor([1.0, float("nan"), 2.0, float("nan")], requires_grad=True)
    index = torch.zeros(4, dtype=torch.int64)
    (got,) = torch.autograd.grad(st.gather_scatter(data, torch.arange(4), index, 1, reduction="max").sum(), data)
    one_by_one = st.scatter_elements(torch.full((1,), -torch.inf), index, data, 0, reduction="max")
    (wanted,) = torch.autograd.grad(one_by_one.sum(), data)
    assert got.tolist() == wanted.tolist() == [0, 0.5, 0, 0.5]


@pytest.fixture
def sizes_from_values():
    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        yield


def check_compiled(step, operands):
    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    leaves = [each for each in operands if each.requires_grad]
    got = torch.autograd.grad(compiled(*operands).square().sum(), leaves)
    torch.testing.assert_close(got, torch.autograd.grad(step(*operands).square().sum(), leaves))


@pytest.mark.usefixtures("sizes_from_values")
@pytest.mark.parametrize("shape", [(9,), (9, 3), (9, 1), (1, 3), (1,)])
@pytest.mark.parametrize("how", [{}, {"reduction": "max"}, {"reduction": "mul"}, {"relu": True}], ids=str)
def test_a_weight_of_masked_edges_has_a_gradient(shape, how):
    edges = torch.randint(0, 4, (2, 9), generator=torch.Generator().manual_seed(1))

    def step(data, edges, weight):
        mask = edges[0] != edges[1]
        return st.gather_scatter(data, *edges[:, mask], 4, weight=weight[mask] if len(weight) > 1 else weight, **how)

    check_compiled(step, (doubles(4, 3), edges, doubles(*shape, seed=2)))


@pytest.mark.usefixtures("sizes_from_values")
@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("name", ["GCNConv", "GATConv"])
def test_fused_layers_compile_whole_on_few_nodes(name, nodes):
    conv = pytest.importorskip("torch_geometric.nn")
    layer = getattr(conv, name)(3, 2).double()
    st.fuse(layer)
    check_compiled(layer, (doubles(nodes, 3), torch.arange(6).view(2, 3) % nodes))

"""Layers of PyTorch Geometric fused by strew.torch.fuse have the results and gradients of the original layers."""

import copy

import pytest
import strew.torch as st
from strew.torch import _fuse
import torch
from torch_geometric.nn import conv as pyg
from torch_layers import call, calls, features, graph, layer_of, LAYERS, mlp, NODES, step  # noqa: F401


@pytest.mark.parametrize("name", LAYERS)
def test_a_fused_layer_gives_the_bits_of_the_layer_and_its_gradients(name, calls):
    layer, rest = layer_of(name)
    edges = graph()
    wanted, wanted_grads = step(layer, rest, edges)
    assert st.fuse(layer) == (("",), {}) and not calls
    for _ in range(3):  # the second and third step use prepared edges
        result, grads = step(layer, rest, edges)
        assert calls and torch.equal(result, wanted)
        calls.clear()
        with torch.no_grad():
            result = call(layer, rest, features(NODES, 8), edges)
        assert calls and torch.equal(result, wanted)
        for ours, theirs in zip(grads, wanted_grads, strict=True):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                torch.testing.assert_close(ours, theirs, rtol=2e-5, atol=2e-5)
        calls.clear()


@pytest.mark.parametrize("name", ["gcn", "sage", "sage sum", "sage max", "sage min", "gin", "graph", "graph max", "gine"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_gradient_of_features_has_the_bits_too(name, dtype):
    layer, rest = layer_of(name)
    layer = layer.to(dtype)
    wanted = step(layer, rest, graph(), dtype)
    st.fuse(layer)
    result = step(layer, rest, graph(), dtype)
    assert torch.equal(result[0], wanted[0]) and torch.equal(result[1][0], wanted[1][0])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_halves_are_close(dtype, calls):
    layer, rest = layer_of("graph")
    layer = layer.to(dtype)
    wanted = step(layer, rest, graph(), dtype)
    st.fuse(layer)
    result = step(layer, rest, graph(), dtype)
    assert calls and result[0].dtype == dtype
    torch.testing.assert_close(result[0], wanted[0], rtol=0.02, atol=0.1)
    torch.testing.assert_close(result[1][0], wanted[1][0], rtol=0.02, atol=0.1)


def test_equal_winners_have_the_shares_that_the_layer_gives_them():
    x = torch.tensor([[0.0], [0.0], [-1.0], [2.0], [2.0]])
    edges = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 1]])
    layer, grads = pyg.SimpleConv(aggr="max"), []
    for _ in range(2):
        given = x.clone().requires_grad_()
        layer(given, edges).sum().backward()
        grads.append(given.grad.flatten().tolist())
        st.fuse(layer)
    assert grads[0] == grads[1] and grads[1][3:] == [0.5, 0.5]


def test_bipartite_graphs_and_sizes_are_those_of_the_layer(calls):
    edges = torch.stack([graph()[0] % 7, graph()[1] % 5])
    layer = pyg.SAGEConv((8, 3), 4)
    given = [((features(7, 8), features(5, 3)), None), ((features(7, 8), None), (7, 6))]
    wanted = [layer(x, edges, size) for x, size in given[:1]]
    alone = pyg.SAGEConv((8, 3), 4, root_weight=False)
    wanted.append(alone(*given[1][:1], edges, given[1][1]))
    st.fuse(layer)
    st.fuse(alone)
    assert torch.equal(layer(given[0][0], edges), wanted[0])
    assert torch.equal(alone(given[1][0], edges, given[1][1]), wanted[1]) and wanted[1].shape == (6, 4)
    assert len(calls) == 2
    with pytest.raises(ValueError, match="Encountered tensor with size 7 in dimension -2, but expected size 9"):
        layer(given[0][0], edges, (9, 5))


def test_a_model_says_what_is_fused_and_why_the_rest_is_not():
    class Odd(pyg.MessagePassing):
        def message(self, x_j):
            return x_j.sin()

    class Own(pyg.GCNConv):
        def aggregate(self, inputs, index, dim_size=None):
            return super().aggregate(inputs, index, dim_size=dim_size)

    model = torch.nn.ModuleDict(
        {
            "gcn": pyg.GCNConv(8, 4),
            "edge": pyg.EdgeConv(mlp()),
            "odd": Odd(),
            "own": Own(8, 4),
            "both": pyg.SAGEConv(8, 4, aggr=["sum", "max"]),
            "product": pyg.SAGEConv(8, 4, aggr="mul"),
            "fast": pyg.FastRGCNConv(8, 4, 3),
            "linear": torch.nn.Linear(2, 2),
        }
    )
    fused, left = st.fuse(model)
    assert fused == ("gcn",)
    assert set(left) == {"edge", "odd", "own", "both", "product", "fast"}
    assert left["edge"] == "its message depends on the target: it reads x_i"
    assert left["odd"] == (
        "its message is not one that fuse knows from PyTorch Geometric, and fuse does not read custom code;"
        " call strew.torch.gather_scatter in its forward"
    )
    assert left["own"] == left["fast"] == "it has its own aggregate"
    assert left["product"] == "its aggregation is MulAggregation(); it must be sum, mean, max or min"
    assert "its aggregation is MultiAggregation" in left["both"]


def test_every_layer_of_pytorch_geometric_is_fused_or_has_a_reason():
    messages = {getattr(pyg, name).message for name in pyg.__all__ if hasattr(getattr(pyg, name), "message")}
    assert len(messages) > 40
    assert set(_fuse._forms()) <= messages
    wanted = ["GCNConv", "SAGEConv", "GINConv", "GINEConv", "GraphConv", "RGCNConv", "GATConv"]
    assert all(getattr(pyg, name).message in _fuse._forms() for name in wanted)


@pytest.mark.parametrize("flow", ["source_to_target", "target_to_source"])
@pytest.mark.parametrize("name", ["SAGEConv", "GraphConv"])
def test_both_flows_of_a_bipartite_layer_are_those_of_the_layer(name, flow):
    torch.manual_seed(0)
    layer = getattr(pyg, name)((4, 4), 3, flow=flow)
    fused = copy.deepcopy(layer)
    st.fuse(fused)
    x = torch.randn(5, 4), torch.randn(5, 4)
    edges = torch.tensor([[0, 1, 2], [1, 2, 3]])
    assert torch.equal(fused(x, edges), layer(x, edges))

"""Layers of PyTorch Geometric train on Strew's kernels with the bits of PyTorch alone."""

import pytest
import strew.torch
import torch
import torch_geometric.nn as nn
from install_support import same, taken, threads

NODES, EDGES, WIDTH = 60, 400, 16
GENERATOR = torch.Generator().manual_seed(0)
GRAPH = torch.randint(0, NODES, (2, EDGES), generator=GENERATOR)
NO_EDGES = torch.zeros(2, 0, dtype=torch.int64)
FEATURES = torch.randn(NODES, WIDTH, generator=GENERATOR)

LAYERS = {
    "GCN": lambda: nn.GCNConv(WIDTH, WIDTH),
    "SAGE mean": lambda: nn.SAGEConv(WIDTH, WIDTH),
    "SAGE max": lambda: nn.SAGEConv(WIDTH, WIDTH, aggr="max"),
    "GAT": lambda: nn.GATConv(WIDTH, WIDTH, heads=2),
    "GATv2": lambda: nn.GATv2Conv(WIDTH, WIDTH, heads=2),
    "GIN": lambda: nn.GINConv(torch.nn.Linear(WIDTH, WIDTH)),
    "EdgeConv": lambda: nn.EdgeConv(torch.nn.Linear(2 * WIDTH, WIDTH)),
    "Transformer": lambda: nn.TransformerConv(WIDTH, WIDTH, heads=2),
    "Graph": lambda: nn.GraphConv(WIDTH, WIDTH),
    "softmax": lambda: nn.SAGEConv(WIDTH, WIDTH, aggr=nn.SoftmaxAggregation()),
    "std": lambda: nn.SAGEConv(WIDTH, WIDTH, aggr=nn.StdAggregation()),
}


def trained(make, edges):
    """Return the output of a layer, the gradient of its input, and its parameters after three steps."""
    torch.manual_seed(1)
    layer, features = make(), FEATURES.clone().requires_grad_()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        output = layer(features, edges)
        output.square().mean().backward()
        optimizer.step()
    return output, features.grad, *layer.parameters()


@pytest.mark.parametrize("edges", [GRAPH, NO_EDGES], ids=["edges", "no edges"])
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_trains_with_the_same_bits(name, edges):
    with threads(1):
        expected = trained(LAYERS[name], edges)
        before = taken()
        with strew.torch.installed(min_elements=1):
            found = trained(LAYERS[name], edges)
        assert same(expected, found)
        assert edges is NO_EDGES or taken() > before


@pytest.mark.parametrize("pool", [nn.global_add_pool, nn.global_mean_pool, nn.global_max_pool])
def test_a_pool_has_the_same_bits(pool):
    batch = torch.arange(NODES) * 5 // NODES
    with threads(1):
        expected = pool(FEATURES, batch)
        with strew.torch.installed(min_elements=1):
            assert same((expected,), (pool(FEATURES, batch),))

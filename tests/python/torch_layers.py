"""Layers of PyTorch Geometric with their arguments, for the tests of strew.torch.fuse."""

import pytest
import torch
from torch_geometric.nn import conv as pyg

from strew.torch import _graph

NODES, EDGES = 30, 200


def graph(seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, NODES, (2, EDGES), generator=generator)


def features(*shape, seed=2, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))


EDGE_WEIGHT, EDGE_ATTR = features(EDGES, seed=3).abs(), features(EDGES, 8, seed=4)

# Layers, and the arguments of their `forward` after x and the edges.
LAYERS = {
    "gcn": (lambda: pyg.GCNConv(8, 4), ()),
    "gcn with weights": (lambda: pyg.GCNConv(8, 4), (EDGE_WEIGHT,)),
    "gcn cached": (lambda: pyg.GCNConv(8, 4, cached=True), ()),
    "sage": (lambda: pyg.SAGEConv(8, 4), ()),
    "sage sum": (lambda: pyg.SAGEConv(8, 4, aggr="sum"), ()),
    "sage max": (lambda: pyg.SAGEConv(8, 4, aggr="max"), ()),
    "sage min": (lambda: pyg.SAGEConv(8, 4, aggr="min"), ()),
    "sage against the edges": (lambda: pyg.SAGEConv(8, 4, flow="target_to_source"), ()),
    "gin": (lambda: pyg.GINConv(mlp(), train_eps=True), ()),
    "gine": (lambda: pyg.GINEConv(mlp()), (EDGE_ATTR,)),
    "gine with its own features": (lambda: pyg.GINEConv(mlp(), edge_dim=3), (EDGE_ATTR[:, :3],)),
    "graph": (lambda: pyg.GraphConv(8, 4), (EDGE_WEIGHT,)),
    "graph mean": (lambda: pyg.GraphConv(8, 4, aggr="mean"), (EDGE_WEIGHT,)),
    "graph max": (lambda: pyg.GraphConv(8, 4, aggr="max"), (EDGE_WEIGHT,)),
    "rgcn": (lambda: pyg.RGCNConv(8, 4, 3), (torch.arange(EDGES) % 3,)),
    "rgcn blocks": (lambda: pyg.RGCNConv(8, 4, 3, num_blocks=2), (torch.arange(EDGES) % 3,)),
    "gat": (lambda: pyg.GATConv(8, 4, heads=3), ()),
    "gat with features": (lambda: pyg.GATConv(8, 4, heads=2, concat=False, edge_dim=8), (EDGE_ATTR,)),
    "gatv2": (lambda: pyg.GATv2Conv(8, 4, heads=3), ()),
    "gcn2": (lambda: pyg.GCN2Conv(8, 0.1), None),
    "gated": (lambda: pyg.GatedGraphConv(8, 2), ()),
    "lg": (lambda: pyg.LGConv(), ()),
    "appnp": (lambda: pyg.APPNP(3, 0.1), ()),
    "mixhop": (lambda: pyg.MixHopConv(8, 4), ()),
    "cluster": (lambda: pyg.ClusterGCNConv(8, 4), ()),
    "sg": (lambda: pyg.SGConv(8, 4, K=2), ()),
    "ssg": (lambda: pyg.SSGConv(8, 4, alpha=0.1, K=2), ()),
    "simple": (lambda: pyg.SimpleConv(), (EDGE_WEIGHT,)),
    "tag": (lambda: pyg.TAGConv(8, 4), (EDGE_WEIGHT,)),
    "cheb": (lambda: pyg.ChebConv(8, 4, K=3), ()),
    "pdn": (lambda: pyg.PDNConv(8, 4, edge_dim=8, hidden_channels=4), (EDGE_ATTR,)),
    "mf": (lambda: pyg.MFConv(8, 4), ()),
}


def layer_of(name):
    torch.manual_seed(5)
    make, rest = LAYERS[name]
    return make(), (features(NODES, 8, seed=9),) if rest is None else rest


def call(layer, rest, x, edges):
    return layer(x, rest[0], edges) if isinstance(layer, pyg.GCN2Conv) else layer(x, edges, *rest)


def step(layer, rest, edges, dtype=torch.float32):
    """Return a layer's result, and the gradients of x, the other arguments and the parameters."""
    x = features(NODES, 8, dtype=dtype).requires_grad_()
    rest = [r.detach().to(dtype).requires_grad_() if r.is_floating_point() else r for r in rest]
    result = call(layer, rest, x, edges)
    wanted = [x, *[r for r in rest if r.requires_grad], *layer.parameters()]
    given = features(*result.shape, seed=6, dtype=dtype)
    return result.detach(), torch.autograd.grad(result, wanted, given, allow_unused=True)


@pytest.fixture
def calls(monkeypatch):
    """Return a list that records the calls of gather_scatter from layers."""
    made, own = [], _graph.gather_scatter

    def counted(*given, **named):
        result = own(*given, **named)
        made.append(named)
        return result

    monkeypatch.setattr(_graph, "gather_scatter", counted)
    return made

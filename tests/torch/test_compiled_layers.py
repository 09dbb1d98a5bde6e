"""Compiled layers of graph networks keep their results; each has the expected number of fused operators."""

import pytest
import strew.torch
import torch
import torch_geometric.nn as pyg
from compile_support import EDGES, NODES, added, are_near, compiled_step, eager, fused, step
from torch_geometric.nn.models.schnet import CFConv

WIDTH = 8
GENERATOR = torch.Generator().manual_seed(0)
FEATURES, GRAPH = torch.randn(NODES, WIDTH, generator=GENERATOR), torch.randint(0, NODES, (2, EDGES), generator=GENERATOR)


class Filters(torch.nn.Module):
    """Continuous filters, as in SchNet: a network computes a weight for each element from distances."""

    def __init__(self):
        super().__init__()
        self.filter, self.last = torch.nn.Linear(1, WIDTH), torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x, edges):
        distance = (edges[0] - edges[1])[:, None].to(x.dtype) / NODES
        return self.last(added(x[edges[0]] * self.filter(distance), edges[1], x.shape[0]))


class Triplets(torch.nn.Module):
    """Messages between edges that share a node, as in DimeNet, and their sum into nodes."""

    def forward(self, x, edges):
        messages = x[edges[0]] + x[edges[1]]
        angles = torch.arange(edges.shape[1], dtype=x.dtype).cos()
        turned = added(messages[edges[0]] * angles[:, None], edges[1], messages.shape[0])
        return added(turned, edges[1], x.shape[0])


ATTRIBUTES = torch.linspace(-1, 1, EDGES * WIDTH).view(EDGES, WIDTH)
CONTINUOUS = torch.linspace(0, 1.9, EDGES), ATTRIBUTES  # distances, attributes from which a network makes weights
# Layers, the number of operators fused in a training step, and arguments besides features and edges.
LAYERS = {
    "GCN": (lambda: pyg.GCNConv(WIDTH, WIDTH, normalize=False), 2),
    "GCN, normalized": (lambda: pyg.GCNConv(WIDTH, WIDTH), 2),
    "SAGE mean": (lambda: pyg.SAGEConv(WIDTH, WIDTH), 2),
    "SAGE max": (lambda: pyg.SAGEConv(WIDTH, WIDTH, aggr="max"), 2),
    "GAT": (lambda: pyg.GATConv(WIDTH, WIDTH, heads=2, add_self_loops=False), 3),
    "GAT, loops": (lambda: pyg.GATConv(WIDTH, WIDTH, heads=2), 3),
    "GATv2": (lambda: pyg.GATv2Conv(WIDTH, WIDTH, heads=2, add_self_loops=False), 3),
    "GIN": (lambda: pyg.GINConv(torch.nn.Linear(WIDTH, WIDTH)), 2),
    "PNA": (lambda: pyg.PNAConv(WIDTH, WIDTH, ["mean", "min", "max", "std"], ["identity"], torch.ones(10)), 0),
    "Transformer": (lambda: pyg.TransformerConv(WIDTH, WIDTH, heads=2), 6),
    "GINE": (lambda: pyg.GINEConv(torch.nn.Linear(WIDTH, WIDTH)), 2, ATTRIBUTES),
    "RGCN": (lambda: pyg.RGCNConv(WIDTH, WIDTH, 3), 2, torch.arange(EDGES) % 3),
    "fast RGCN": (lambda: pyg.FastRGCNConv(WIDTH, WIDTH, 3), 0, torch.arange(EDGES) % 3),
    "CFConv": (lambda: CFConv(WIDTH, WIDTH, WIDTH, torch.nn.Linear(WIDTH, WIDTH), 2.0), 2, *CONTINUOUS),
    "filters": (Filters, 2),
    "triplets": (Triplets, 2),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_trains_as_without_the_pass(name):
    if name == "fast RGCN" and torch.__version__ < (2, 12):
        pytest.skip("Inductor of PyTorch 2.10 and 2.11 rejects FastRGCNConv, even without Strew")
    make, wanted, *more = LAYERS[name]
    torch.manual_seed(1)
    layer = make()
    arguments = FEATURES.clone().requires_grad_(), GRAPH, *more
    expected = step(layer, arguments)
    found = compiled_step(layer, arguments)
    are_near(expected, found, torch.float32)
    assert fused() == wanted, eager()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_pass_fuses_layers_that_fuse_has_changed(dtype):
    layer = pyg.SAGEConv(WIDTH, WIDTH).to(dtype)
    arguments = FEATURES.to(dtype).requires_grad_(), GRAPH
    strew.torch.fuse(layer)
    expected = step(layer, arguments)
    are_near(expected, compiled_step(layer, arguments), dtype)
    assert fused() == (2 if dtype == torch.float32 else 0)  # sums of bfloat16 keep the accumulator of `fuse`

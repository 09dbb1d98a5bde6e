"""Tests fused gather-scatter in programs that are compiled for any number of edges."""

import pytest
import strew.torch as st
import torch
from torch_support import doubles


@pytest.fixture(autouse=True)
def sizes_from_values():
    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        yield


def check(step, operands):
    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    leaves = [each for each in operands if each.requires_grad]
    got = torch.autograd.grad(compiled(*operands).square().sum(), leaves)
    wanted = torch.autograd.grad(step(*operands).square().sum(), leaves)
    for one, other in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("shape", [(9,), (9, 3), (9, 1), (1, 3), (1,)])
@pytest.mark.parametrize("how", [{}, {"reduction": "max"}, {"reduction": "mul"}, {"relu": True}], ids=str)
def test_a_weight_of_masked_edges_has_a_gradient(shape, how):
    edges = torch.randint(0, 4, (2, 9), generator=torch.Generator().manual_seed(1))

    def step(data, edges, weight):
        mask = edges[0] != edges[1]
        return st.gather_scatter(data, *edges[:, mask], 4, weight=weight[mask] if len(weight) > 1 else weight, **how)

    check(step, (doubles(4, 3), edges, doubles(*shape, seed=2)))


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("name", ["GCNConv", "GATConv"])
def test_fused_layers_compile_whole_on_few_nodes(name, nodes):
    conv = pytest.importorskip("torch_geometric.nn")
    layer = getattr(conv, name)(3, 2).double()
    st.fuse(layer)
    check(layer, (doubles(nodes, 3), torch.arange(6).view(2, 3) % nodes))

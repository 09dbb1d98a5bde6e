"""Layers of PyTorch Geometric fused by strew.torch.fuse: results, gradients and behaviour of the layers themselves."""

import copy
import doctest
import io
import pickle

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch_geometric.nn import conv as pyg, models  # noqa: E402

import strew.torch as st  # noqa: E402
from strew.torch import _fuse, _graph  # noqa: E402

NODES, EDGES = 30, 200


def graph(seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, NODES, (2, EDGES), generator=generator)


def features(*shape, seed=2, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))


EDGE_WEIGHT, EDGE_ATTR = features(EDGES, seed=3).abs(), features(EDGES, 8, seed=4)

# A layer, and what its forward is given after x and the edges.
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
    """The result, and the gradients of x, of what else is given, and of the parameters."""
    x = features(NODES, 8, dtype=dtype).requires_grad_()
    rest = [r.detach().to(dtype).requires_grad_() if r.is_floating_point() else r for r in rest]
    result = call(layer, rest, x, edges)
    wanted = [x, *[r for r in rest if r.requires_grad], *layer.parameters()]
    given = features(*result.shape, seed=6, dtype=dtype)
    return result.detach(), torch.autograd.grad(result, wanted, given, allow_unused=True)


@pytest.fixture
def calls(monkeypatch):
    """Counts the calls of gather_scatter that layers make."""
    made, own = [], _graph.gather_scatter

    def counted(*given, **named):
        result = own(*given, **named)
        made.append(named)
        return result

    monkeypatch.setattr(_graph, "gather_scatter", counted)
    return made


@pytest.mark.parametrize("name", LAYERS)
def test_a_fused_layer_gives_the_bits_of_the_layer_and_its_gradients(name, calls):
    layer, rest = layer_of(name)
    edges = graph()
    wanted, wanted_grads = step(layer, rest, edges)
    assert st.fuse(layer) == (("",), {}) and not calls
    for _ in range(3):  # from the second on with prepared edges
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
    assert left["odd"].startswith("its message is of no form that is known")
    assert left["own"] == left["fast"] == "it has its own aggregate"
    assert left["product"] == "its aggregation is MulAggregation(); it must be sum, mean, max or min"
    assert "its aggregation is MultiAggregation" in left["both"]


def test_every_layer_of_pytorch_geometric_is_fused_or_has_a_reason():
    messages = {getattr(pyg, name).message for name in pyg.__all__ if hasattr(getattr(pyg, name), "message")}
    assert len(messages) > 40
    assert set(_fuse._forms()) <= messages
    wanted = ["GCNConv", "SAGEConv", "GINConv", "GINEConv", "GraphConv", "RGCNConv", "GATConv"]
    assert all(getattr(pyg, name).message in _fuse._forms() for name in wanted)


def test_hooks_and_explanations_run_the_layer_itself(calls):
    layer, rest = layer_of("gcn")
    st.fuse(layer)
    seen = []
    handle = layer.register_message_forward_hook(lambda _, given, out: seen.append(out.shape))
    x, edges = features(NODES, 8), graph()
    hooked = layer(x, edges)
    assert seen == [(EDGES + NODES - int((edges[0] == edges[1]).sum()), 4)] and not calls
    handle.remove()
    assert torch.equal(layer(x, edges), hooked) and len(calls) == 1
    layer.explain = True
    layer._edge_mask, layer._apply_sigmoid = torch.full((EDGES,), 0.0), False
    layer._loop_mask = edges[0] != edges[1]
    explained = layer(x, edges)
    st.fuse(layer)
    assert torch.equal(layer(x, edges), explained)
    assert len(calls) == 1 and not torch.equal(explained, hooked)
    layer.explain = None
    assert torch.equal(layer(x, edges), hooked) and len(calls) == 2
    layer.decomposed_layers = 2
    torch.testing.assert_close(layer(x, edges), hooked)
    assert len(calls) == 2
    layer.decomposed_layers = 1
    assert torch.equal(layer(x, edges), hooked) and len(calls) == 3


def test_what_is_no_plain_tensor_runs_the_layer_itself(calls):
    from torch_geometric import EdgeIndex

    layer, _ = layer_of("graph")
    x, edges = features(NODES, 8), graph()
    edges = edges[:, edges[1].argsort(stable=True)]
    wanted = layer(x, edges)
    st.fuse(layer)
    sparse = torch.sparse_coo_tensor(edges.flip(0), torch.ones(EDGES), (NODES, NODES)).to_sparse_csr()
    torch.testing.assert_close(layer(x, sparse), wanted, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(layer(x, EdgeIndex(edges, sort_order="col")), wanted, rtol=1e-4, atol=1e-4)
    layer(features(2, NODES, 8), edges)  # a batch of features
    assert not calls


def test_bad_indices_raise_in_the_words_of_the_layer():
    layer, _ = layer_of("sage")
    st.fuse(layer)
    for edges, text in [([[0, NODES], [0, 0]], "larger than 29"), ([[0, -1], [0, 0]], "negative indices")]:
        edges = torch.tensor(edges)
        for _ in range(3):
            with pytest.raises(IndexError, match=text):
                layer(features(NODES, 8), edges)


def test_edges_that_come_again_are_prepared_once_for_all_layers_and_anew_when_they_change():
    model = models.GraphSAGE(8, 8, 3)
    x, edges = features(NODES, 8), graph()
    wanted = model(x, edges)
    st.fuse(model)
    layers = [layer._strew_propagate for layer in model.convs]
    assert torch.equal(model(x, edges), wanted) and all(layer.prepared is None for layer in layers)
    assert torch.equal(model(x, edges), wanted) and layers[0].prepared is layers[2].prepared is not None
    edges[:, 0] = torch.tensor([1, 2])
    changed = model(x, edges)
    assert torch.equal(model(x, edges), changed) and torch.equal(model(x, edges.clone()), changed)
    st.unfuse(model)
    assert torch.equal(model(x, edges), changed)


def test_inference_mode_is_fused_too(calls):
    layer, rest = layer_of("gcn")
    wanted = layer(features(NODES, 8), graph()).detach()
    st.fuse(layer)
    with torch.inference_mode():
        edges = graph()
        for _ in range(2):
            assert torch.equal(layer(features(NODES, 8), edges), wanted)
    assert len(calls) == 2


@pytest.mark.parametrize("how", ["pickle", "deepcopy", "save"])
def test_copies_and_pickles_are_fused_layers_of_their_own(how, calls):
    model = torch.nn.Sequential(pyg.GINEConv(mlp()))
    names, state = [name for name, _ in model.named_modules()], model.state_dict()
    st.fuse(model)
    x, edges = features(NODES, 8), graph()
    wanted = [model[0](x, edges, EDGE_ATTR) for _ in range(2)][0]
    assert [name for name, _ in model.named_modules()] == names and list(model.state_dict()) == list(state)
    if how == "save":
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        other = torch.load(file, weights_only=False)
    else:
        other = copy.deepcopy(model) if how == "deepcopy" else pickle.loads(pickle.dumps(model))
    calls.clear()
    assert torch.equal(other[0](x, edges, EDGE_ATTR), wanted) and len(calls) == 1
    assert other[0].propagate.layer is other[0]
    with torch.no_grad():
        other[0].nn[0].weight.zero_()
    assert torch.equal(model[0](x, edges, EDGE_ATTR), wanted)


def test_a_fused_model_is_compiled_whole():
    model = models.GIN(8, 8, 2)
    x, edges = features(NODES, 8), graph()
    st.fuse(model)
    wanted = model(x, edges)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x, edges), wanted)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_a_model_is_scripted_after_unfuse():
    layer, _ = layer_of("sage")
    st.fuse(layer)
    st.unfuse(layer)
    assert "propagate" not in vars(layer)
    x, edges = features(NODES, 8), graph()
    assert torch.equal(torch.jit.script(layer)(x, edges), layer(x, edges))


def test_the_examples_in_docstrings_hold():
    assert doctest.testmod(_fuse).failed == 0

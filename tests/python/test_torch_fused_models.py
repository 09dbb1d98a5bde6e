"""Tests fused models with hooks, explanations and changing edges, and copied, compiled and scripted fused models."""

import copy
import doctest
import io
import pickle

import pytest
import strew.torch as st
from strew.torch import _fuse
from support import refuses
import torch
from torch_geometric.nn import conv as pyg, models
from torch_layers import calls, EDGE_ATTR, EDGES, features, graph, layer_of, mlp, NODES  # noqa: F401


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
            refuses(IndexError, text, layer, features(NODES, 8), edges)


def test_edges_that_come_again_are_prepared_once_for_all_layers_and_anew_when_they_change():
    model = models.GraphSAGE(8, 8, 3)
    x, edges = features(NODES, 8), graph()[:, 1:]  # no other test has prepared these edges
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


CHANGED = torch.tensor([[2, 2], [0, 0]])
CHANGES = {
    "through numpy": lambda edges: edges.numpy().__setitem__(slice(None), CHANGED.numpy()),
    "through data": lambda edges: edges.data.copy_(CHANGED),
    "of other memory": lambda edges: edges.set_(CHANGED.to(edges.dtype, copy=True)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_edges_that_change_unseen_are_not_taken_for_those_of_before(change, dtype):
    layer = pyg.SAGEConv(2, 2)
    fused = copy.deepcopy(layer)
    st.fuse(fused)
    edges = torch.tensor([[0, 1], [1, 2]]).to(dtype)

    def step(layer):
        x = features(3, 2).requires_grad_()
        result = layer(x, edges)
        return result, torch.autograd.grad(result.square().sum(), x)[0]

    for _ in range(3):
        step(fused)
    assert fused._strew_propagate.prepared is not None
    change(edges)
    for _ in range(3):
        assert all(map(torch.equal, step(fused), step(layer)))
    edges.numpy()[:] = -1
    refuses(IndexError, "negative indices", fused, features(3, 2), edges)


def test_compiled_layers_see_edges_that_changed():
    layer = pyg.SAGEConv(2, 2)
    fused, x, edges = copy.deepcopy(layer), features(3, 2), torch.tensor([[0, 1], [1, 2]])
    st.fuse(fused)
    for _ in range(3):
        fused(x, edges)
    compiled = torch.compile(fused, fullgraph=True)
    torch.testing.assert_close(compiled(x, edges), layer(x, edges))
    edges.copy_(torch.tensor([[2, 2], [0, 0]]))
    torch.testing.assert_close(compiled(x, edges), layer(x, edges))


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

"""Prepared edges of strew.torch keep the indices they were prepared from, in every kind of program."""

import copy
import gc
import io
import pickle
import weakref

import numpy as np
import pytest
import strew
import strew.torch as st
from strew.torch import _edges, _graph_operators
from support import at_once
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map
from torch_support import doubles

SOURCES, TARGETS, COUNT = 12, 9, 60


def indices(seed=3, count=COUNT):
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(-SOURCES, SOURCES, (count,), generator=generator)
    return source, torch.randint(0, TARGETS, (count,), generator=generator)


def composed(data, source, target, size=TARGETS, weight=None):
    messages = data[source] if weight is None else data[source] * weight[:, None]
    return data.new_zeros(size, *data.shape[1:]).index_add(0, target, messages)


def made(seed=3):
    return st.Edges(*indices(seed), SOURCES, TARGETS)


@pytest.fixture
def given(monkeypatch):
    """Return a list of the number of arguments for edges in each fold: 1 for prepared edges, else 3."""
    counted, own = [], _graph_operators._fold

    def fold(data, *edges, **how):
        counted.append(len(edges))
        return own(data, *edges, **how)

    monkeypatch.setattr(_graph_operators, "_fold", fold)
    return counted


CHANGES = {
    "in place": lambda index: index.copy_(index.flip(0)),
    "through data": lambda index: index.data.fill_(0),
    "through numpy": lambda index: index.numpy().fill(0),
    "of other memory": lambda index: index.set_(torch.zeros(1, dtype=torch.int64)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("how", [{}, {"reduction": "mean"}, {"reduction": "max"}, {"reduction": "mul"}], ids=str)
def test_later_changes_of_the_tensors_do_not_concern_edges(change, how):
    source, target = indices()
    operands = doubles(SOURCES, 4), doubles(COUNT, seed=1)
    along = torch.arange(36.0, dtype=torch.float64).view(TARGETS, 4)

    def call(edges):
        result = st.gather_scatter(operands[0], *edges, weight=operands[1], **how)
        return result, torch.autograd.grad(result, operands, along)

    wanted, gradients = call((source.clone(), target.clone(), TARGETS))
    edges = st.Edges(source, target, SOURCES, TARGETS)
    forward = st.gather_scatter(operands[0], edges, weight=operands[1], **how)
    change(source)
    change(target)
    assert torch.equal(forward, wanted)
    assert all(map(torch.equal, torch.autograd.grad(forward, operands, along), gradients))
    result, again = call((edges,))
    assert torch.equal(result, wanted) and all(map(torch.equal, again, gradients))


@pytest.mark.parametrize("backward", [False, True])
def test_a_call_with_index_tensors_never_uses_prepared_edges(backward):
    memory, target = np.array([0, 1, 2]), torch.tensor([0, 1, 2])
    kept = st.Edges(torch.from_numpy(memory), target, 3, 3)
    kept_reverse = st.Edges(target, torch.from_numpy(memory), 3, 3)
    memory[:] = 2
    index = torch.from_numpy(memory)  # a tensor with the same address and version
    data = torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64, requires_grad=True)
    weight = torch.ones(3, dtype=torch.float64, requires_grad=True)
    result = st.gather_scatter(data, index, target, 3, weight=weight)
    assert result.tolist() == [100.0, 100.0, 100.0]
    if backward:
        result.sum().backward()
        assert data.grad.tolist() == [0.0, 0.0, 3.0] and weight.grad.tolist() == [100.0, 100.0, 100.0]
    assert st.gather_scatter(data, kept).tolist() == st.gather_scatter(data, kept_reverse).tolist() == data.tolist()


def test_edges_say_what_they_are():
    edges = made()
    assert (len(edges), edges.source_size, edges.target_size, bool(edges)) == (COUNT, SOURCES, TARGETS, True)
    assert repr(edges) == "Edges(60 edges, 12 sources, 9 targets)"
    alone = strew.Edges(*indices(), SOURCES, TARGETS).nbytes
    assert edges.nbytes == alone + 8 * COUNT
    assert st.Edges(torch.zeros(0, dtype=torch.int64), torch.zeros(0, dtype=torch.int64), 2, 2)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.uint32, torch.uint64])
def test_an_index_that_4_bytes_would_cut_off_is_out_of_range(dtype):
    index = torch.tensor([0, 1]).to(dtype)
    assert st.gather_scatter(torch.ones(2), st.Edges(index, index, 2, 2)).tolist() == [1.0, 1.0]
    with pytest.raises(IndexError, match=r"gather_index\[0\] = 4294967296 is outside \[-2, 1\]"):
        st.Edges(torch.tensor([2**32]), torch.tensor([0]), 2, 2)


@pytest.mark.parametrize("how", ["pickle", "deepcopy", "copy"])
def test_copies_are_the_same_edges(how):
    edges = made()
    copies = {"pickle": lambda: pickle.loads(pickle.dumps(edges)), "deepcopy": lambda: copy.deepcopy(edges)}
    other = copies.get(how, lambda: copy.copy(edges))()
    data = doubles(SOURCES, 4)
    assert repr(other) == repr(edges)
    assert torch.equal(st.gather_scatter(data, other), st.gather_scatter(data, edges))


def test_edges_live_as_long_as_a_call_needs_them(given):
    data = doubles(SOURCES, 4)
    edges = made()
    memory = weakref.ref(_edges._by_key[int(edges._key)])
    result = st.gather_scatter(data, edges)
    del edges
    gc.collect()
    result.sum().backward()
    del result
    gc.collect()
    assert given == [1, 1] and memory() is None


def test_a_key_of_other_edges_reads_no_foreign_memory():
    edges, other = made(), st.Edges(torch.tensor([99]), torch.tensor([0]), 100, 1)
    source, target = indices()
    edges._key.copy_(other._key)
    data = doubles(SOURCES, 4)
    assert torch.equal(st.gather_scatter(data, edges), composed(data, source, target))
    edges._key.fill_(0)
    assert torch.equal(st.gather_scatter(data, edges), composed(data, source, target))


def test_edges_made_in_inference_mode_are_trained_with_and_the_reverse():
    source, target = indices()
    with torch.inference_mode():
        edges = st.Edges(source.clone(), target.clone(), SOURCES, TARGETS)
    data = doubles(SOURCES, 4)
    result = st.gather_scatter(data, edges, reduction="mul")
    result.sum().backward()
    with torch.inference_mode():
        assert torch.equal(st.gather_scatter(data, edges, reduction="mul"), result)


def test_checkpoints_and_threads_and_transforms_take_edges():
    edges, data = made(), doubles(SOURCES, 4)
    source, target = indices()
    wanted = composed(data, source, target)
    (gradient,) = torch.autograd.grad(wanted.square().sum(), data)
    kept = torch.utils.checkpoint.checkpoint(st.gather_scatter, data, edges, use_reentrant=False)
    assert torch.equal(torch.autograd.grad(kept.square().sum(), data)[0], gradient)
    results = []
    at_once(lambda _: results.append(st.gather_scatter(data, edges)), range(4))
    assert len(results) == 4 and all(torch.equal(each, wanted) for each in results)
    mapped = torch.vmap(st.gather_scatter, (0, None))(torch.stack([data, data]), edges)
    assert torch.equal(mapped, torch.stack([wanted, wanted]))
    assert torch.equal(torch.func.grad(lambda x: st.gather_scatter(x, edges).square().sum())(data.detach()), gradient)


def test_fake_tensors_and_edges_are_not_mixed():
    edges, data = made(), torch.ones(SOURCES, 2)
    with FakeTensorMode() as mode:
        with pytest.raises(ValueError, match="^Edges: gather_index has no values while torch transforms or traces"):
            st.Edges(torch.tensor([0]), torch.tensor([0]), 1, 1)
        fake = mode.from_tensor(data)
        with pytest.raises(ValueError, match="^gather_scatter: edges hold tensors that are not fake, but data is; map them"):
            st.gather_scatter(fake, edges)
        assert st.gather_scatter(fake, tree_map(mode.from_tensor, edges)).shape == (TARGETS, 2)


def test_edges_load_with_weights_only():
    edges, data, file = made(), doubles(SOURCES, 4), io.BytesIO()
    torch.save({"edges": edges, "data": data}, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)
    assert torch.equal(st.gather_scatter(loaded["data"], loaded["edges"]), st.gather_scatter(data, edges))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64, torch.uint64])
@pytest.mark.parametrize("step", [1, 3])
def test_edges_know_equal_indices(dtype, step):
    source, target = (index[:, 0] for index in torch.arange(2 * 2500 * step).view(2, 2500, step).remainder(99).to(dtype))
    edges = st.Edges(source, target, 99, 99)
    assert edges._are_between(source, target) and edges._are_between(source.clone(), target.clone())
    for at in (0, 1023, 1024, 2499):
        other = target.clone()
        other[at] = (int(other[at]) + 1) % 99
        assert not edges._are_between(source, other) and not edges._are_between(other, target)
    assert not edges._are_between(source[:-1], target[:-1])


EDGES = made()


class Layer(torch.nn.Module):
    def __init__(self, edges):
        super().__init__()
        self.edges = edges

    def forward(self, data, weight):
        return st.gather_scatter(data, self.edges, weight=weight).relu()


@pytest.fixture
def compiled():
    torch._dynamo.reset()
    return lambda call: torch.compile(call, fullgraph=True, backend="aot_eager")


@pytest.mark.parametrize("how", ["global", "argument", "attribute"])
def test_a_program_with_edges_compiles_whole(how, compiled):
    operands = doubles(SOURCES, 4), doubles(COUNT, seed=1)
    source, target = indices()
    wanted = composed(operands[0], source, target, weight=operands[1]).relu()
    if how == "attribute":
        call = compiled(Layer(made()))
    elif how == "global":
        call = compiled(lambda data, weight: st.gather_scatter(data, EDGES, weight=weight).relu())
    else:
        with_edges = compiled(lambda data, edges, weight: st.gather_scatter(data, edges, weight=weight).relu())
        call = lambda data, weight: with_edges(data, made(), weight)  # noqa: E731
    got = call(*operands)
    assert torch.equal(got, wanted)
    gradients = torch.autograd.grad(got.square().sum(), operands)
    torch.testing.assert_close(gradients, torch.autograd.grad(wanted.square().sum(), operands))


def test_a_compiled_program_takes_other_edges(compiled):
    call, data = compiled(st.gather_scatter), doubles(SOURCES, 4)
    for seed, count in [(3, 60), (4, 60), (5, 70), (6, 80), (7, 1)]:
        pair = indices(seed, count)
        assert torch.equal(call(data, st.Edges(*pair, SOURCES, TARGETS)), composed(data, *pair))


def test_a_view_in_compiled_code_is_not_taken_for_prepared_edges(compiled):
    pairs, data = torch.stack(indices()) % TARGETS, doubles(SOURCES, 4)
    kept = st.Edges(pairs[0], pairs[1], SOURCES, TARGETS)
    call = torch.compile(lambda data, pairs: st.gather_scatter(data, pairs[0], pairs[1], TARGETS), fullgraph=True)
    assert torch.equal(call(data, pairs), st.gather_scatter(data, kept))
    pairs.copy_(pairs.flip(1))
    pairs[0] = 0
    got = call(data, pairs)
    assert torch.equal(got, composed(data, pairs[0], pairs[1]))
    assert torch.autograd.grad(got.sum(), data)[0][1:].abs().sum() == 0


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("strict", [True, False])
def test_a_program_with_edges_is_exported_and_runs_in_another_process(strict, elsewhere, monkeypatch, given):
    operands = doubles(SOURCES, 4).detach(), doubles(COUNT, seed=1).detach()
    wanted = Layer(made())(*operands)
    program = torch.export.export(Layer(made()), operands, strict=strict)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    if elsewhere:
        program = torch.export.load(file)
        monkeypatch.setattr(_edges, "_by_key", {})  # as in a new process
    gc.collect()
    given.clear()
    assert torch.equal(program.module()(*operands), wanted)
    assert given == [3 if elsewhere else 1]  # here the prepared edges still exist


@pytest.mark.parametrize("strict", [True, False])
def test_edges_are_an_argument_of_an_exported_program(strict):
    class Program(torch.nn.Module):
        def forward(self, data, edges):
            return st.gather_scatter(data, edges)

    data = doubles(SOURCES, 4).detach()
    program = torch.export.export(Program(), (data, made()), strict=strict).module()
    assert torch.equal(program(data, made(5)), composed(data, *indices(5)))


def test_edges_with_other_indices_have_no_prepared_edges():
    edges = st.Edges(torch.tensor([0, 0, 1]), torch.tensor([0, 1, 1]), 2, 2)
    other = tree_map(lambda part: part.flip(0) if part.dim() else part, edges)
    data = torch.tensor([[1.0], [10.0]], requires_grad=True)
    result = st.gather_scatter(data, other, weight=torch.tensor([1.0, 2.0, 3.0]))
    result.sum().backward()
    assert result.tolist() == [[3.0], [12.0]]
    assert data.grad.tolist() == [[5.0], [1.0]]


def test_compiled_code_may_make_edges():
    def call(x):
        return st.gather_scatter(x, st.Edges(torch.tensor([0, 1]), torch.tensor([0, 0]), 5, 1))

    x = torch.arange(10.0).reshape(5, 2)
    assert torch.compile(call, backend="eager")(x).tolist() == call(x).tolist() == [[2.0, 4.0]]


def test_an_edge_index_of_pytorch_geometric_makes_edges():
    index = torch.tensor([[0, 2, 1], [1, 1, 0]])
    edges = st.Edges.from_edge_index(index, (3, 2))
    x = torch.tensor([1.0, 10.0, 100.0])
    assert torch.equal(st.gather_scatter(x, edges), st.gather_scatter(x, st.Edges(*index, 3, 2)))
    with pytest.raises(ValueError, match=r"^Edges.from_edge_index: edge_index has shape \[3, 2\]; it must be \[2, edges\]"):
        st.Edges.from_edge_index(index.T, 3)


def test_a_sparse_matrix_makes_edges():
    matrix = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]]).to_sparse_csr()
    edges, x = st.Edges.from_matrix(matrix), torch.tensor([[1.0], [10.0], [100.0]])
    assert torch.equal(st.gather_scatter(x, edges, weight=matrix.values()), torch.tensor([[20.0], [403.0]]))
    with pytest.raises(TypeError, match="^Edges.from_matrix: Tensor of format torch.sparse_coo is not a CSR matrix"):
        st.Edges.from_matrix(matrix.to_sparse_coo())

"""strew.torch.functional: examples, what differs from PyTorch, and what is refused."""

import doctest

import pytest

torch = pytest.importorskip("torch")

import strew.torch.functional as F  # noqa: E402
from strew.torch.functional import _elements, _rows, _slices  # noqa: E402

X, I, V = torch.zeros(3, 4), torch.tensor([[0, 1, 2, 0]]), torch.ones(1, 4)


@pytest.mark.parametrize("module", [F, _elements, _rows, _slices], ids=lambda module: module.__name__)
def test_the_examples_in_docstrings_hold(module):
    assert doctest.testmod(module).failed == 0


def test_of_equal_indices_the_last_counts():
    places, values = torch.zeros(100, dtype=torch.int64), torch.arange(100.0)
    assert F.scatter(torch.zeros(2), 0, places, values).tolist() == [99, 0]
    assert F.index_copy(torch.zeros(2), 0, places, values).tolist() == [99, 0]
    assert F.index_put(torch.zeros(2), (places,), values).tolist() == [99, 0]


def test_reductions_without_the_input_keep_what_is_not_reached():
    data, places, values = torch.full((3,), 9.0), torch.tensor([1, 1]), torch.tensor([-2.0, -4.0])
    for reduce, wanted in {"sum": -6, "prod": 8, "mean": -3, "amax": -2, "amin": -4}.items():
        assert F.scatter_reduce(data, 0, places, values, reduce, include_self=False).tolist() == [9, wanted, 9]
        if reduce != "sum":
            assert F.index_reduce(data, 0, places, values, reduce, include_self=False).tolist() == [9, wanted, 9]


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_gradients_are_those_of_differences(reduce, include_self):
    generator = torch.Generator().manual_seed(3)
    data, values = (torch.rand(shape, generator=generator, dtype=torch.float64) + 0.5 for shape in ((4, 3), (5, 3)))
    places = torch.tensor([[0, 1, 3], [3, 1, 0], [0, 0, 0], [3, 3, 1], [0, 1, 3]])
    call = lambda d, v: F.scatter_reduce(d, 0, places, v, reduce, include_self=include_self)  # noqa: E731
    assert torch.autograd.gradcheck(call, (data.requires_grad_(), values.requires_grad_()))


@pytest.mark.parametrize("reduction", ["sub", "div"])
def test_gradients_of_differences_and_quotients(reduction):
    import strew.torch as st

    data = torch.tensor([3.0, 5.0, 7.0], dtype=torch.float64, requires_grad=True)
    updates = torch.tensor([2.0, 4.0, 0.5], dtype=torch.float64, requires_grad=True)
    call = lambda d, u: st.scatter_elements(d, [0, 2, 0], u, reduction=reduction)  # noqa: E731
    assert torch.autograd.gradcheck(call, (data, updates))
    with pytest.raises(NotImplementedError, match=f'no derivative of reduction "{reduction}" with include_self=False'):
        st.scatter_elements(data, [0, 2, 0], updates, reduction=reduction, include_self=False).sum().backward()


INDICES = [
    (torch.tensor([2, 0]),),
    (None, torch.tensor([1, 3])),
    (None, torch.tensor([1, 3]), torch.tensor([[0], [1]])),
    (torch.tensor([1, 2]), None, torch.tensor([1, -1])),
    (torch.arange(12).view(3, 4) % 5 == 1,),
    (None, torch.tensor([True, False, True, False])),
    (torch.tensor(1), torch.tensor([True, False, True, True])),
    (torch.tensor([], dtype=torch.int64),),
]


@pytest.mark.parametrize("indices", INDICES, ids=range(len(INDICES)))
@pytest.mark.parametrize("accumulate", [True, False])
def test_index_put_chooses_what_pytorch_chooses(indices, accumulate):
    data = torch.arange(24.0).view(3, 4, 2)
    chosen = data[tuple(slice(None) if index is None else index for index in indices)]
    for values in (torch.arange(100.0, 100 + chosen.numel()).view(chosen.shape), torch.tensor(7.0)):
        wanted = torch.ops.aten.index_put(data, list(indices), values, accumulate)
        torch.testing.assert_close(F.index_put(data, indices, values, accumulate), wanted)


def test_second_gradients_of_means_are_finite_where_nothing_goes():
    data, values = torch.ones(3, requires_grad=True), torch.tensor([2.0, 4.0], requires_grad=True)
    mean = F.scatter_reduce(data, 0, torch.tensor([1, 1]), values, "mean", include_self=False)
    first = torch.autograd.grad(mean.square().sum(), (data, values), create_graph=True)
    second = torch.autograd.grad(sum(grad.sum() for grad in first), (data, values))
    assert [grad.tolist() for grad in second] == [[2, 0, 2], [1, 1]]


@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("initial", [None, 2.5])
def test_empty_segments_are_pytorchs(reduce, initial):
    data, lengths = torch.tensor([1.0, 4.0, 2.0]), torch.tensor([0, 2, 0, 1, 0])
    how = {"lengths": lengths, "initial": initial, "unsafe": True}
    wanted = torch.segment_reduce(data, reduce, **how)
    torch.testing.assert_close(F.segment_reduce(data, reduce, **how), wanted, equal_nan=True)


def test_reductions_are_traced():
    import strew.torch as st

    @torch.compile(fullgraph=True, backend="aot_eager")
    def step(x, i, u):
        return st.scatter_nd(x, i, u, reduction="mean", include_self=False) + F.index_add(x, 0, i[:, 0], u, alpha=2)

    assert step(torch.ones(3), torch.tensor([[1], [1]]), torch.tensor([2.0, 4.0])).tolist() == [2, 16, 2]


def test_embedding_rows_with_padding_get_no_gradient():
    table = torch.zeros(3, 2, requires_grad=True)
    F.embedding(torch.tensor([1, 2, 1]), table, padding_idx=-1).sum().backward()
    assert table.grad.tolist() == [[0, 0], [2, 2], [0, 0]]


REFUSED = [
    (IndexError, lambda: F.gather(X, 0, I - 1), "gather_elements: indices[0, 0] = -1 is outside [0, 2] for axis 0"),
    (IndexError, lambda: F.gather(X, 0, I + 1), "gather_elements: indices[0, 2] = 3 is outside [0, 2]"),
    (IndexError, lambda: F.index_add(X, 0, torch.tensor([-1]), V), "scatter_elements: indices[0, 0] = -1 is outside [0, 2]"),
    (ValueError, lambda: F.scatter_reduce(X, 0, I, V, "max"), "scatter_reduce: reduce 'max' is none of 'sum', 'prod', 'mean', 'amax', 'amin'"),
    (ValueError, lambda: F.scatter(X, 0, I, V[:, :3]), "scatter: index has shape [1, 4] and src [1, 3]; no dimension of index may pass that of src"),
    (ValueError, lambda: F.index_copy(X, 0, torch.tensor([0, 1]), V), "index_copy: source has shape [1, 4]; it must have [2, 4] for index of shape [2]"),
    (ValueError, lambda: F.index_put(X, (torch.tensor([0]),), torch.ones(3)), "index_put: values have shape [3]; input[indices] has [1, 4]"),
    (IndexError, lambda: F.index_put(X, (I,) * 3, V), "index_put: 3 indices; input has shape [3, 4] of rank 2"),
    (ValueError, lambda: F.segment_reduce(X, "sum"), "segment_reduce: give either lengths or offsets"),
    (ValueError, lambda: F.segment_reduce(X, "sum", lengths=torch.tensor([1, 1])), "segment_reduce: lengths do not add up to the 3 of axis 0 of data"),
    (TypeError, lambda: F.gather([1], 0, I), "gather: input is a list; strew.torch works on tensors"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call", "message"), REFUSED, ids=[row[2][:60] for row in REFUSED])
def test_what_cannot_be_is_refused(error, call, message):
    with pytest.raises(error) as refusal:
        call()
    assert str(refusal.value).startswith(message)

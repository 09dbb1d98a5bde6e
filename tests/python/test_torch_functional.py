"""strew.torch.functional: examples, what differs from PyTorch, and what is refused."""

import doctest
import pickle

import pytest

torch = pytest.importorskip("torch")

import strew  # noqa: E402
import strew.torch.functional as F  # noqa: E402
from strew.torch.functional import _elements, _put, _rows, _slices  # noqa: E402

X, I, V = torch.zeros(3, 4), torch.tensor([[0, 1, 2, 0]]), torch.ones(1, 4)


@pytest.mark.parametrize("module", [F, _elements, _put, _rows, _slices], ids=lambda module: module.__name__)
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


def test_index_put_takes_a_mask_of_rank_0_for_all_or_nothing():
    data, values = torch.zeros(2, 2), torch.ones(2)
    assert F.index_put(data, (torch.tensor(True),), values).tolist() == [[1, 1], [1, 1]]
    assert F.index_put(data, (torch.tensor(False),), values[:1]).tolist() == [[0, 0], [0, 0]]
    assert F.index_put(data, (torch.tensor([1]), torch.tensor(True)), values).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("accumulate", [True, False])
def test_index_put_of_everything_has_the_gradients_of_its_operands(accumulate):
    data, values = torch.full((2, 2), torch.inf, requires_grad=True), torch.ones(2, requires_grad=True)
    F.index_put(data, (None,), values, accumulate).sum().backward()
    assert data.grad.tolist() == [[accumulate, accumulate]] * 2 and values.grad.tolist() == [2, 2]


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


def test_indices_of_8_bits_are_no_mask_of_the_gradients_of_embedding():
    table = torch.zeros(3, 2, requires_grad=True)
    F.embedding(torch.tensor([1, 1, 0], dtype=torch.uint8), table, scale_grad_by_freq=True).sum().backward()
    assert table.grad.tolist() == [[1, 1], [1, 1], [0, 0]]


def test_forward_mode_is_refused_and_not_taken_for_zero():
    from torch.autograd import forward_ad

    with forward_ad.dual_level(), pytest.raises(NotImplementedError, match="^take_along_dim: there is no forward-mode"):
        F.take_along_dim(forward_ad.make_dual(X, X), I, 0)


def test_a_gradient_that_is_dual_is_refused_and_not_taken_for_constant():
    from torch.autograd import forward_ad

    data = torch.zeros(3, requires_grad=True)
    result = F.gather(data, 0, torch.tensor([1]))
    with forward_ad.dual_level(), pytest.raises(NotImplementedError, match="there is no forward-mode derivative"):
        torch.autograd.grad(result, data, forward_ad.make_dual(torch.ones(1), torch.ones(1)))


def test_embedding_rows_with_padding_get_no_gradient():
    table = torch.zeros(3, 2, requires_grad=True)
    F.embedding(torch.tensor([1, 2, 1]), table, padding_idx=-1).sum().backward()
    assert table.grad.tolist() == [[0, 0], [2, 2], [0, 0]]


ROWS, LONG, ONE = torch.tensor([0, 1]), torch.int64, torch.tensor([1.0])

REFUSED = [
    # Index values.
    (IndexError, lambda: F.gather(X, 0, I - 1), "gather: index[0, 0] = -1 is outside [0, 2] for dim 0 of input with shape [3, 4]"),
    (IndexError, lambda: F.gather(X, -2, I + 1), "gather: index[0, 2] = 3 is outside [0, 2] for dim 0 of input with shape [3, 4]"),
    (IndexError, lambda: F.gather(X[0, 0], 0, ROWS[1]), "gather: index = 1 is outside [0, 0] for dim 0 of input with shape []"),
    (IndexError, lambda: F.scatter(X, 0, I + 1, 5.0), "scatter: index[0, 2] = 3 is outside [0, 2] for dim 0 of input with shape [3, 4]"),
    (IndexError, lambda: F.scatter_add(X, 1, I + 2, V), "scatter_add: index[0, 2] = 4 is outside [0, 3] for dim 1 of input with shape [3, 4]"),
    (IndexError, lambda: F.scatter_reduce(X[:0], 0, I, V, "sum"), "scatter_reduce: index[0, 0] = 0, but there is no position to choose for dim 0 of input with shape [0, 4]"),
    (IndexError, lambda: F.index_add(X, 0, torch.tensor([-1]), V), "index_add: index[0] = -1 is outside [0, 2] for dim 0 of input with shape [3, 4]"),
    (IndexError, lambda: F.index_copy(X, 1, torch.tensor([0, 9]), X[:, :2]), "index_copy: index[1] = 9 is outside [0, 3] for dim 1 of input with shape [3, 4]"),
    (IndexError, lambda: F.index_reduce(X, 0, torch.tensor(3), V, "amax"), "index_reduce: index = 3 is outside [0, 2] for dim 0 of input with shape [3, 4]"),
    (IndexError, lambda: F.take_along_dim(X, I + 1, 0), "take_along_dim: indices[0, 2] = 3 is outside [-3, 2] for dim 0 of input with shape [3, 4]"),
    (IndexError, lambda: F.take_along_dim(X, I + 11), "take_along_dim: indices[1] = 12 is outside [-12, 11] for dim 0 of input with shape [12]"),
    (IndexError, lambda: F.index_put(X, (None, I[0] - 5), V[0]), "index_put: indices[1][0] = -5 is outside [-4, 3] for dim 1 of input with shape [3, 4]"),
    (IndexError, lambda: F.index_put(X, (X[:, 0] == 0, torch.tensor([[9]])), ONE), "index_put: indices[1][0, 0] = 9 is outside [-4, 3] for dim 1"),
    (IndexError, lambda: F.embedding(I + 1, X), "embedding: input[0, 2] = 3 is outside [0, 2] for dim 0 of weight with shape [3, 4]"),
    (IndexError, lambda: F.embedding(I + 1, X.clone(), max_norm=1.0), "embedding: input[0, 2] = 3 is outside [0, 2]"),
    # Ranks and shapes.
    (ValueError, lambda: F.gather(X, 0, ROWS), "gather: index has shape [2] of rank 1 but input has shape [3, 4] of rank 2; the ranks must be equal; one index for each slice is for torch.index_select"),
    (ValueError, lambda: F.gather(X, 0, torch.zeros(1, 5, dtype=LONG)), "gather: index has shape [1, 5]: dimension 1 is 5, more than the 4 of input with shape [3, 4]; only dimension 0 may be longer"),
    (ValueError, lambda: F.scatter(X, 0, ROWS, X[:2]), "scatter: index has shape [2] of rank 1 but input has shape [3, 4] of rank 2; the ranks must be equal; one index for each slice is for index_copy"),
    (ValueError, lambda: F.scatter_add(X, 0, ROWS, X[:2]), "scatter_add: index has shape [2] of rank 1 but input has shape [3, 4] of rank 2; the ranks must be equal; one index for each slice is for index_add"),
    (ValueError, lambda: F.scatter_reduce(X, 0, ROWS, X[:2], "amax"), "scatter_reduce: index has shape [2] of rank 1 but input has shape [3, 4] of rank 2; the ranks must be equal; one index for each slice is for index_add or index_reduce"),
    (ValueError, lambda: F.scatter_add(X, 0, I, V[0]), "scatter_add: index has shape [1, 4] of rank 2 but src has shape [4] of rank 1; the ranks must be equal"),
    (ValueError, lambda: F.scatter(X, 0, I, V[:, :3]), "scatter: index has shape [1, 4] and src [1, 3]; no dimension of index may pass that of src"),
    (ValueError, lambda: F.scatter_add(X[:, :2], 0, I, V), "scatter_add: index has shape [1, 4]: dimension 1 is 4, more than the 2 of input with shape [3, 2]; only dimension 0"),
    (ValueError, lambda: F.index_add(X, 0, I, V), "index_add: index has shape [1, 4] of rank 2; it must be of rank 1"),
    (ValueError, lambda: F.index_copy(X, 0, ROWS, V), "index_copy: source has shape [1, 4]; it must have [2, 4] for index of shape [2]"),
    (ValueError, lambda: F.take_along_dim(X, ROWS, 0), "take_along_dim: input has shape [3, 4] of rank 2 but indices have shape [2] of rank 1; the ranks must be equal"),
    (ValueError, lambda: F.take_along_dim(X, I[:, :3], 0), "take_along_dim: input and indices have shapes [3, 4] and [1, 3]; off dimension 0 they must be equal, or 1 in one"),
    (ValueError, lambda: F.index_put(X, (ROWS[:1],), torch.ones(3)), "index_put: values have shape [3]; input[indices] has [1, 4]"),
    (ValueError, lambda: F.index_put(X, (None,), torch.ones(3)), "index_put: values have shape [3]; input[indices] has [3, 4]"),
    (ValueError, lambda: F.index_put(X, (ROWS, I[0, :3]), ONE), "index_put: indices have shapes [2] and [3], which do not go together"),
    (ValueError, lambda: F.index_put(X, (ROWS == 0,), ONE), "index_put: indices[0] is a mask of shape [2]; it must have [3], that of input from axis 0 on"),
    (IndexError, lambda: F.index_put(X, (I,) * 3, V), "index_put: 3 indices; input has shape [3, 4] of rank 2"),
    (ValueError, lambda: F.embedding(I, X[0]), "embedding: weight has shape [4] of rank 1; it must be of rank 2"),
    (ValueError, lambda: F.segment_reduce(X, "sum"), "segment_reduce: give either lengths or offsets"),
    (ValueError, lambda: F.segment_reduce(X, "sum", lengths=torch.tensor([1, 1])), "segment_reduce: lengths do not add up to the 3 of axis 0 of data"),
    (ValueError, lambda: F.segment_reduce(X, "sum", lengths=ROWS[:0]), "segment_reduce: lengths do not add up to the 3 of axis 0 of data"),
    (ValueError, lambda: F.segment_reduce(X, "sum", offsets=ROWS), "segment_reduce: offsets do not rise from 0 to the 3 of axis 0 of data"),
    (ValueError, lambda: F.segment_reduce(X, "sum", offsets=torch.tensor([1, 4])), "segment_reduce: offsets do not rise from 0 to the 3 of axis 0 of data"),
    (ValueError, lambda: F.segment_reduce(X, "sum", offsets=ROWS, axis=1), "segment_reduce: offsets have shape [2]; they must have [..., segments + 1] for the axes [3] before axis 1"),
    (ValueError, lambda: F.segment_reduce(X, "sum", offsets=ROWS[:0]), "segment_reduce: offsets have shape [0]; they must have one value for each segment and one more"),
    (ValueError, lambda: F.segment_reduce(X[0, 0], "sum", lengths=ROWS), "segment_reduce: data has shape [] of rank 0; it needs rank 1 or more"),
    # Dimensions and words.
    (ValueError, lambda: F.gather(X, 7, I), "gather: dim 7 is outside [-2, 1] for input of shape [3, 4]"),
    (ValueError, lambda: F.scatter_add(X, 7, I[:0], V), "scatter_add: dim 7 is outside [-2, 1] for input of shape [3, 4]"),
    (ValueError, lambda: F.index_add(X, -3, ROWS, X[:2]), "index_add: dim -3 is outside [-2, 1] for input of shape [3, 4]"),
    (ValueError, lambda: F.take_along_dim(X, I, 2), "take_along_dim: dim 2 is outside [-2, 1] for input of shape [3, 4]"),
    (ValueError, lambda: F.segment_reduce(X, "sum", lengths=ROWS, axis=2), "segment_reduce: axis 2 is outside [-2, 1] for data of shape [3, 4]"),
    (ValueError, lambda: F.embedding(I, X, padding_idx=3), "embedding: padding_idx 3 is outside [-3, 2] for weight of shape [3, 4]"),
    (ValueError, lambda: F.scatter_reduce(X, 0, I, V, "max"), "scatter_reduce: reduce 'max' is none of 'sum', 'prod', 'mean', 'amax', 'amin'"),
    # Types.
    (TypeError, lambda: F.gather([1], 0, I), "gather: input is a list; strew.torch works on tensors"),
    (TypeError, lambda: F.scatter_add(X, 0, [[0]], V), "scatter_add: index is a list; strew.torch works on tensors"),
    (TypeError, lambda: F.scatter_add(X, 0, I, 1.0), "scatter_add: src is a float; strew.torch works on tensors"),
    (TypeError, lambda: F.scatter(X, 0, I), "scatter: neither src nor value is given"),
    (TypeError, lambda: F.scatter(X, 0, I, V, value=1.0), "scatter: src and value are both given"),
    (TypeError, lambda: F.scatter(X, 0, I, [[1.0]]), "scatter: src is a list; it must be a tensor or a number"),
    (TypeError, lambda: F.scatter(X, 0, I, value=1j), "scatter: value is 1j, which float32 cannot hold; it must be a tensor or a number"),
    (TypeError, lambda: F.gather(X, "0", I), "gather: dim is a str; it must be an int"),
    (TypeError, lambda: F.gather(X, 0, I.float()), "gather: index is float32; it must hold integers"),
    (TypeError, lambda: F.index_add(X, 0, ROWS == 0, X[:2]), "index_add: index is bool; it must hold integers; a mask becomes positions by mask.nonzero()"),
    (TypeError, lambda: F.scatter_add(X, 0, I, V.double()), "scatter_add: src is float64 but input is float32; both must have one type; use .to(torch.float32)"),
    (TypeError, lambda: F.scatter_add(X, 0, I[:0], V.bfloat16()), "scatter_add: src is bfloat16 but input is float32; both must have one type; use .to(torch.float32)"),
    (TypeError, lambda: F.index_add(X, 0, ROWS, X[:2].int()), "index_add: source is int32 but input is float32; both must have one type; use .to(torch.float32)"),
    (TypeError, lambda: F.index_add(X.int(), 0, ROWS, X[:2].int(), alpha=1.5), "index_add: alpha is 1.5, which int32 cannot hold"),
    (TypeError, lambda: F.index_put(X, ROWS, V), "index_put: indices is a torch.Tensor; it must be a tuple of tensors, as (index,)"),
    (TypeError, lambda: F.index_put(X, ([0],), V), "index_put: indices[0] is a list; it must be a tensor or None"),
    (TypeError, lambda: F.index_put(X, (ROWS / 2,), V), "index_put: indices[0] is float32; it must hold integers or be a mask"),
    (TypeError, lambda: F.index_put(X, (None,), V.double(), True), "index_put: values is float64 but input is float32; both must have one type"),
    (TypeError, lambda: F.scatter_reduce(X, 0, I, V, "sum", include_self=1), "scatter_reduce: include_self is an int; it must be a bool"),
    (TypeError, lambda: F.scatter_reduce(X.cfloat(), 0, I, V.cfloat(), "amax"), "scatter_reduce: reduce 'amax' is not supported for complex64"),
    (TypeError, lambda: F.index_add(X.to(torch.float8_e5m2), 0, ROWS, X[:2].to(torch.float8_e5m2)), "index_add: adding up is not supported for float8_e5m2"),
    (TypeError, lambda: F.segment_reduce(X, "sum", lengths=[3]), "segment_reduce: lengths is a list; strew.torch works on tensors"),
    (TypeError, lambda: F.segment_reduce(X, "sum", lengths=torch.tensor([3.0])), "segment_reduce: lengths is float32; it must hold integers"),
    (ValueError, lambda: F.gather(X.to_sparse(), 0, I), "gather: input is a sparse, nested or opaque tensor"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call", "message"), REFUSED, ids=[row[2][:60] for row in REFUSED])
def test_what_cannot_be_is_refused_in_the_words_of_the_function(error, call, message):
    with pytest.raises(error) as refusal:
        call()
    assert str(refusal.value).startswith(message)
    assert not any(word in str(refusal.value) for word in ("_elements", "_nd", "updates", "any array"))


FIELDS = [
    (lambda: F.gather(X, 0, I + 9), {"code": "index out of range", "operator": "gather", "operand": "index", "axis": 0, "position": (0, 0), "value": 9}),
    (lambda: F.gather(X, 7, I), {"code": "invalid argument", "operator": "gather", "operand": "dim", "value": 7}),
    (lambda: F.gather(X, "0", I), {"code": "invalid type", "operator": "gather", "operand": "dim"}),
    (lambda: F.scatter_add(X, 0, I, V.double()), {"code": "invalid type", "operator": "scatter_add", "operand": "src"}),
    (lambda: F.scatter_reduce(X, 0, I, V, "most"), {"operator": "scatter_reduce", "operand": "reduce", "value": "most"}),
    (lambda: F.scatter_reduce(X.cfloat(), 0, I, V.cfloat(), "amax"), {"operator": "scatter_reduce", "operand": "reduce", "value": "amax"}),
    (lambda: F.gather(X.to_sparse(), 0, I), {"code": "invalid argument", "operator": "gather", "operand": "input"}),
    (lambda: F.index_put(X, (ROWS / 2,), V), {"operator": "index_put", "operand": "indices[0]"}),
    (lambda: F.embedding(ROWS, X[0]), {"operator": "embedding", "operand": "weight"}),
]  # fmt: skip


@pytest.mark.parametrize(("call", "fields"), FIELDS)
def test_refusals_carry_their_fields(call, fields):
    with pytest.raises((IndexError, TypeError, ValueError)) as refused:
        call()
    for error in (refused.value, pickle.loads(pickle.dumps(refused.value))):
        assert isinstance(error, strew.Refusal)
        assert {name: getattr(error, name) for name in fields} == fields
        assert str(error) == f"{error.operator}: {error.text}"

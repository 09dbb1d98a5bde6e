"""Tests the functions of `strew` on torch tensors: every type, views, calls in place, and errors."""

import shutil

import numpy as np
import pytest
import strew
from support import refuses, run_python
import torch

SUPPORTED = (
    "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float32 float64 complex64 complex128 "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"
).split()
UNREADABLE = ["complex32", "int1", "int2", "int4", "int7", "uint4", "uint7", "float4_e2m1fn_x2", "qint8", "bits16"]
INDEX_TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def dtypes(names):
    return [pytest.param(getattr(torch, name), id=name) for name in names if hasattr(torch, name)]


def tensor_of(dtype, *shape):
    count = int(np.prod(shape))
    if dtype == torch.bool:
        return (torch.arange(count) % 3 == 0).view(shape)
    numbers = np.random.default_rng(count).integers(0, 256, (count, dtype.itemsize), dtype=np.uint8)
    return torch.from_numpy(numbers).view(dtype).view(shape)


def same_bits(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape
    return torch.equal(a.contiguous().view(-1).view(torch.uint8), b.contiguous().view(-1).view(torch.uint8))


@pytest.mark.parametrize("dtype", dtypes(SUPPORTED))
def test_every_type_is_moved_bit_by_bit(dtype):
    data = tensor_of(dtype, 5, 3)
    taken = strew.gather(data, torch.tensor([4, 0, -1]))
    assert isinstance(taken, torch.Tensor)
    assert same_bits(taken, torch.stack([data[4], data[0], data[4]]))
    written = strew.scatter_nd(data, torch.tensor([[1], [0]]), data[3:5])
    assert same_bits(written, torch.stack([data[4], data[3], data[2], data[3], data[4]]))


@pytest.mark.parametrize("shape, strides", [((64, 4), (4, 1)), ((64, 1, 4), (4, 99, 1))])
def test_a_dense_tensor_runs_as_an_ndarray_does(shape, strides):
    data, indices = torch.zeros(256).as_strided(shape, strides), torch.arange(100) % 64
    explained = strew.explain(strew.gather, data.numpy().copy(), indices.numpy())
    assert strew.explain(strew.gather, data, indices) == explained


@pytest.mark.parametrize("dtype", dtypes(["float16", "bfloat16", "float32", "int16", "uint8", "complex64"]))
def test_a_reduction_rounds_each_step_to_the_type(dtype):
    data, updates = torch.ones(1).to(dtype), (torch.arange(1, 200) / 3).to(dtype)
    expected = data.clone()
    for update in updates:
        expected += update
    result = strew.scatter_elements(data, torch.zeros(199, dtype=torch.int64), updates, reduction="add")
    assert same_bits(result, expected)


@pytest.mark.parametrize("dtype", dtypes(INDEX_TYPES))
def test_indices_may_be_of_any_integer_type(dtype):
    data = torch.arange(12.0).view(4, 3)
    assert torch.equal(strew.gather(data, torch.tensor([3, 1]).to(dtype)), data[[3, 1]])


@pytest.mark.parametrize("dtype", dtypes(["bool", "float32", "complex64"]))
def test_indices_of_other_types_are_refused(dtype):
    refuses(TypeError, "indices are .*; they must be integers", strew.gather, torch.zeros(3), torch.zeros(1).to(dtype))


VIEWS = {
    "transposed": lambda t: t.t(),
    "stepped": lambda t: t[::2, 1::3],
    "offset": lambda t: t[3:, 2:],
    "expanded": lambda t: t[:1].expand(7, 9),
    "expanded across": lambda t: t[:, :1].expand(7, 9),
    "as_strided": lambda t: t.as_strided((3, 4), (5, 2), 1),
    "unfolded": lambda t: t[0].unfold(0, 4, 2),
}


@pytest.mark.parametrize("dtype", dtypes(["float32", "bfloat16", "float8_e5m2", "complex128"]))
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_give_what_their_copies_give(view, dtype):
    data = view(tensor_of(dtype, 7, 9))
    copy = data.view(torch.uint8).clone().view(dtype) if dtype.itemsize == 1 else data.clone()
    indices = torch.tensor([2, 0, -1])
    assert same_bits(strew.gather(data, indices), strew.gather(copy.contiguous(), indices))
    tuples, updates = indices.unsqueeze(-1), data[:3]
    copied = strew.scatter_nd(copy.contiguous(), tuples, copy[:3].contiguous())
    assert same_bits(strew.scatter_nd(data, tuples, updates), copied)


def test_expanded_operands_are_not_expanded_in_memory():
    huge = torch.arange(3.0).view(3, 1, 1).expand(3, 10**6, 10**6)
    taken = strew.gather_nd(huge, torch.tensor([[2, 5, 7], [1, 0, 0]]))
    assert taken.tolist() == [2.0, 1.0]


def test_scalars_and_empty_tensors():
    data = torch.arange(6.0).view(2, 3)
    assert torch.equal(strew.gather(data, torch.tensor(1)), data[1])
    assert strew.gather(data, torch.empty(0, dtype=torch.int64)).shape == (0, 3)
    assert strew.gather(data, []).shape == (0, 3)
    assert strew.gather(torch.empty(2, 0), [1]).shape == (1, 0)
    assert strew.scatter_nd(torch.empty(0, 2), torch.empty(0, 1, dtype=torch.int64), torch.empty(0, 2)).shape == (0, 2)
    refuses(ValueError, "the rank must be 1 or more", strew.gather, torch.tensor(1.0), torch.tensor(0))


@pytest.mark.parametrize("dtype", dtypes(["float32", "bfloat16", "float8_e4m3fn", "bool"]))
def test_out_is_written_where_it_lies(dtype):
    data = tensor_of(dtype, 4, 6)
    target = torch.zeros(2, 12).to(dtype)[:, ::2]
    assert strew.gather(data, [2, 1], out=target) is target
    assert same_bits(target, torch.stack([data[2], data[1]]))


def test_a_scatter_works_in_place_through_a_view():
    base = torch.zeros(3, 4)
    column_major = base.t()
    assert strew.scatter_nd(column_major, [[1]], torch.ones(1, 3), out=column_major) is column_major
    assert base[:, 1].tolist() == [1.0, 1.0, 1.0] and base.sum() == 3


def test_an_expanded_out_is_refused():
    out = torch.zeros(1, 4).expand(3, 4)
    refuses(ValueError, "elements may share memory", strew.scatter_nd, out, [[1]], torch.ones(1, 4), out=out)
    assert out.sum() == 0


def test_an_out_of_another_type_or_shape_is_refused():
    data = torch.zeros(3, 4)
    with pytest.raises(TypeError, match="out has type torch.float64; the result has type float32"):
        strew.gather(data, [0], out=torch.zeros(1, 4, dtype=torch.float64))
    refuses(ValueError, "out", strew.gather, data, [0], out=torch.zeros(2, 4))


@pytest.mark.parametrize("name", ["data", "updates", "out"])
def test_a_gradient_is_never_lost_in_silence(name):
    operands = {"data": torch.zeros(3), "updates": torch.ones(1), "out": torch.zeros(3)}
    operands[name].requires_grad_()
    words = f"{name} requires? a gradient; use the function in strew.torch, or {name}.detach"
    refuses(ValueError, words, strew.scatter_nd, indices=[[1]], **operands)


def test_parameters_work_where_no_gradient_is_recorded():
    parameter = torch.nn.Parameter(torch.arange(3.0))
    with torch.no_grad():
        assert strew.gather(parameter, [2]).item() == 2
        assert strew.scatter_nd(parameter, [[0]], [5.0], out=parameter) is parameter
    assert parameter.tolist() == [5.0, 1.0, 2.0] and parameter.requires_grad


def test_inference_tensors_are_read_and_written():
    with torch.inference_mode():
        data = torch.zeros(3)
    assert strew.gather(data, [0]).item() == 0
    strew.scatter_nd(data, [[1]], [4.0], out=data)
    assert data.tolist() == [0.0, 4.0, 0.0]


def conjugate_and_negative():
    z = torch.complex(torch.arange(6.0), torch.arange(6.0) - 3).view(3, 2)
    return [pytest.param(z.conj(), id="conjugate"), pytest.param(z.conj().imag, id="negative")]


@pytest.mark.parametrize("view", conjugate_and_negative())
def test_conjugate_and_negative_views_are_read_as_their_values(view):
    assert view.is_conj() or view.is_neg()
    assert torch.equal(strew.gather(view, [2, 0]), view[[2, 0]])
    updates = strew.scatter_nd(torch.zeros_like(view.resolve_conj().resolve_neg()), [[0], [1], [2]], view)
    assert torch.equal(updates, view)


@pytest.mark.parametrize("view", conjugate_and_negative())
def test_conjugate_and_negative_views_are_refused_as_out(view):
    before = view.clone()
    refuses(ValueError, "out is a conjugate or negative view", strew.gather, view, [0, 1, 2], out=view)
    assert torch.equal(view, before)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("dtype", dtypes(UNREADABLE))
def test_types_without_a_meaning_here_are_refused(dtype):
    data = torch.empty(3, dtype=dtype)
    refuses(TypeError, f"gather: data has the type {dtype}, which strew cannot read", strew.gather, data, [0])


REFUSED = {
    "meta": (lambda: torch.zeros(3, 2, device="meta"), "is on device meta; strew works in CPU memory"),
    "sparse": (lambda: torch.zeros(3, 2).to_sparse(), "sparse, nested or opaque.*sparse_coo"),
    "sparse rows": (lambda: torch.eye(3).to_sparse_csr(), "sparse, nested or opaque.*sparse_csr"),
    "nested": (lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(1)]), "sparse, nested or opaque"),
    "jagged": (
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(1)], layout=torch.jagged),
        "sparse, nested or opaque",
    ),
    "without memory": (lambda: torch._efficientzerotensor(3, 2), "has no memory that strew can read"),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("make, message", REFUSED.values(), ids=REFUSED)
def test_tensors_without_plain_memory_are_refused(make, message):
    refuses(ValueError, f"gather: data .*{message}", strew.gather, make(), [0])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tracing_is_told_where_to_go():
    with torch._subclasses.FakeTensorMode() as mode:
        fake = mode.from_tensor(torch.zeros(3))
        refuses(ValueError, "use the function in strew.torch", strew.gather, fake, [0])
    with pytest.raises(ValueError, match="use the function in strew.torch"):
        torch.vmap(lambda row: strew.gather(row, [0]))(torch.zeros(3, 2))


def test_data_decides_what_comes_out():
    tensor, array = torch.arange(3.0), np.arange(3, dtype=np.float32)
    assert isinstance(strew.gather(tensor, np.array([1])), torch.Tensor)
    assert isinstance(strew.gather(array, torch.tensor([1])), np.ndarray)
    assert strew.scatter_nd(tensor, np.array([[0]]), np.array([7], dtype=np.float32)).tolist() == [7.0, 1.0, 2.0]
    assert strew.scatter_nd(array, torch.tensor([[0]]), torch.tensor([7.0])).tolist() == [7.0, 1.0, 2.0]


def test_sequences_and_scalars_take_the_type_of_the_tensor():
    data = torch.zeros(2, 2, dtype=torch.bfloat16)
    assert strew.scatter_nd(data, [[1]], [[1, 2.5]]).tolist() == [[0.0, 0.0], [1.0, 2.5]]
    assert strew.scatter_nd(data, [[1]], 3).tolist() == [[0.0, 0.0], [3.0, 3.0]]


def test_a_bad_index_writes_nothing():
    data = torch.zeros(3)
    with pytest.raises(IndexError, match=r"indices\[1, 0\] = 3 is outside \[-3, 2\]"):
        strew.scatter_nd(data, torch.tensor([[0], [3]]), torch.ones(2), out=data)
    assert data.sum() == 0


def test_the_default_device_does_not_matter():
    torch.set_default_device("meta")
    try:
        assert strew.gather(torch.zeros(3, device="cpu"), [0]).device.type == "cpu"
    finally:
        torch.set_default_device(None)


@pytest.mark.parametrize("layout", ["to_sparse_bsr", "to_sparse_csc", "to_sparse_bsc", "to_sparse_coo", "to_dense"])
def test_only_a_matrix_in_compressed_rows_gives_edges(layout):
    matrix = torch.zeros(4, 4)
    matrix[0:2, 2:4] = 1
    size = [(2, 2)] if layout in ("to_sparse_bsr", "to_sparse_bsc") else []
    given = getattr(matrix, layout)(*size)
    with pytest.raises(TypeError, match=r"^Edges.from_matrix: Tensor of format torch\.\w+ is not a CSR matrix"):
        strew.Edges.from_matrix(given)
    edges = strew.Edges.from_matrix(matrix.to_sparse_csr())
    assert torch.equal(strew.gather_scatter(torch.eye(4), edges), matrix)


def test_values_of_tensors_are_sorted_and_stay_tensors():
    edges = strew.Edges([0, 0, 0], [2, 0, 1], 1, 3)
    for values in (torch.tensor([1.0, 2.0, 3.0], dtype=torch.bfloat16), torch.tensor([[1], [2], [3]])):
        in_order = edges.sort(values)
        assert in_order.dtype == values.dtype
        assert torch.equal(in_order, values[[1, 2, 0]])
        assert torch.equal(edges.unsort(in_order), values)


@pytest.mark.skipif(shutil.which("c++") is None, reason="Inductor compiles C++")
def test_the_process_says_nothing_at_its_end_where_inductor_was_used():
    code = """
import os, torch, strew
os.dup2(1, 2)
edges = strew.Edges([0, 1], [1, 0], 2, 2)
torch.compile(lambda x: x + 1)(torch.zeros(3))
"""
    assert "nanobind" not in run_python(code)

"""Products of sparse matrices and bags of embeddings have PyTorch's bits, except for operators replaced by name."""

import itertools

import pytest
import strew
import strew.torch
import torch
from install_support import difference, threads
from torch.nn.functional import embedding_bag

ROWS, COLUMNS = 130, 90
OTHERS = ["sparse_mm", "sparse_mm_reduce_weighted", "embedding_bag_weighted"]


def graph(dtype=torch.float32, index=torch.int64, *, weighted=False):
    """Return row starts, columns and values of a matrix with empty rows, repeated entries and columns out of order."""
    generator = torch.Generator().manual_seed(1)
    row = torch.randint(5, ROWS, (2000,), generator=generator).sort().values
    starts = torch.searchsorted(row, torch.arange(ROWS + 1))
    columns = torch.randint(0, COLUMNS, row.shape, generator=generator)
    values = torch.randn(row.shape, generator=generator).to(dtype) if weighted else torch.ones(row.shape, dtype=dtype)
    return starts.to(index), columns.to(index), values


def matrix(*given, **named):
    return torch.sparse_csr_tensor(*graph(*given, **named), (ROWS, COLUMNS))


def dense(columns, dtype=torch.float32, rows=COLUMNS):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(columns)).to(dtype)


def with_gradient(call, data):
    data = data.clone().requires_grad_()
    result = call(data)
    result.backward(dense(result.shape[1], data.dtype, result.shape[0]))
    return result, data.grad


def handled(name):
    count = strew.torch.counts().get(f"aten::{name}", strew.torch.CallCounts(0, 0, {}))
    return count.handled


def agree(call, *kernels):
    """Check that PyTorch and Strew agree, and that Strew ran each kernel."""
    strew.torch.counts(reset=True)
    assert difference(call, min_elements=1) is None
    assert [name for name in kernels if handled(name) == 0] == []


@pytest.mark.parametrize("columns", [1, 4, 7, 8, 16, 65])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_products_with_a_reduction_have_the_bits_of_pytorch(reduce, dtype, columns):
    data = dense(columns, dtype)
    for index, weighted in itertools.product([torch.int32, torch.int64], [False, reduce in ("amax", "amin")]):
        adjacency = matrix(dtype, index, weighted=weighted)
        gradient = ["_sparse_mm_reduce_impl_backward"] if reduce == "sum" else []
        agree(lambda a=adjacency: with_gradient(lambda x: torch.sparse.mm(a, x, reduce), data), "_sparse_mm_reduce_impl", *gradient)
        agree(lambda a=adjacency: torch.sparse.mm(a, data, reduce), "_sparse_mm_reduce_impl")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sums_of_halves_are_kept_in_float32_as_there(dtype):
    adjacency, data = matrix(dtype), dense(9, dtype)
    for reduce in ("sum", "amax"):
        agree(lambda r=reduce: with_gradient(lambda x: torch.sparse.mm(adjacency, x, r), data), "_sparse_mm_reduce_impl")


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("index", [torch.int32, torch.int64])
def test_bags_have_the_bits_of_pytorch_and_all_that_gradients_need(mode, dtype, index):
    starts, rows, _ = graph(index=index)
    number = ["sum", "mean", "max"].index(mode)
    for columns, last in itertools.product([1, 7, 64], [False, True]):
        offsets, table = starts if last else starts[:-1], dense(columns, dtype)

        def bag(x, offsets=offsets, last=last):
            return embedding_bag(rows, x, offsets, mode=mode, include_last_offset=last)

        agree(lambda: with_gradient(bag, table), "_embedding_bag")
        agree(lambda: bag(table), "_embedding_bag_forward_only")
        for kernel in (torch._embedding_bag, torch._embedding_bag_forward_only):
            agree(lambda k=kernel: k(table, rows, offsets, False, number, False, None, last))
    agree(lambda: embedding_bag(rows.view(-1, 8)[:5], table, mode=mode), "_embedding_bag_forward_only")


def test_what_would_have_other_bits_is_left_with_its_reason():
    starts, rows, weights = graph(weighted=True)
    table, adjacency = dense(8), torch.sparse_csr_tensor(starts, rows, weights, (ROWS, COLUMNS))
    holed, endless = table.clone(), table.clone()
    holed[3], endless[3] = torch.nan, torch.inf
    left = {
        "weights": [
            lambda: embedding_bag(rows, table, starts[:-1], mode="sum", per_sample_weights=weights),
            lambda: torch.sparse.mm(adjacency, table, "sum"),
            lambda: torch.ops.aten._embedding_bag_dense_backward(
                table[:1], rows, torch.zeros_like(rows), starts, starts, COLUMNS, False, 0, weights
            ),
        ],
        "padding_idx": [lambda: embedding_bag(rows, table, starts[:-1], mode="max", padding_idx=3)],
        "NaN or infinity": [
            lambda: embedding_bag(rows, holed, starts[:-1], mode="max"),
            lambda: torch.sparse.mm(adjacency, holed, "amax"),
            lambda: torch.sparse.mm(adjacency, endless, "amin"),
        ],
        "element type": [
            lambda: embedding_bag(rows, table.half(), starts[:-1], mode="sum"),
            lambda: torch.sparse.mm(matrix(torch.bfloat16), table.bfloat16(), "mean"),
        ],
        "index out of range": [
            lambda: embedding_bag(rows + COLUMNS, table, starts[:-1], mode="max"),
            lambda: embedding_bag(rows - 1, table, starts[:-1], mode="mean"),
        ],
    }
    for reason, call in [(reason, call) for reason, calls in left.items() for call in calls]:
        with threads(1):  # with several threads any of them may raise first
            strew.torch.counts(reset=True)
            assert difference(call, min_elements=1) is None
            assert reason in [key for count in strew.torch.counts().values() for key in count.reasons]


def test_plain_products_are_taken_only_by_their_name():
    adjacency, data = matrix(), dense(8)
    for operators, calls in ((None, 0), (["default", "sparse_mm"], 2)):
        strew.torch.counts(reset=True)
        with strew.torch.installed(operators, min_elements=1):
            torch.sparse.mm(adjacency, data)
            adjacency @ data
            torch.zeros(50, 16).index_add(0, torch.arange(50), torch.ones(50, 16))
        assert handled("mm") + handled("addmm") == calls
        assert handled("index_add") == 1
    adjacency @ data
    assert handled("mm") + handled("addmm") == calls


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("columns", [1, 8, 33])
def test_what_is_named_has_the_bits_of_rounded_products_that_are_added_in_order(dtype, columns):
    starts, rows, weights = graph(dtype, weighted=True)
    adjacency, table, base = matrix(dtype, weighted=True), dense(columns, dtype), dense(columns, dtype, ROWS)
    edges = strew.Edges.from_csr(starts, rows, COLUMNS)

    def fold(data, edges=edges, **named):
        return torch.as_tensor(strew.gather_scatter(data, edges, weight=weights, **named))

    expected = fold(table)
    back = fold(dense(columns, dtype, ROWS), edges.reversed)
    with strew.torch.installed(OTHERS, min_elements=1):
        assert (adjacency @ table).equal(expected)
        assert (adjacency.t() @ dense(columns, dtype, ROWS)).equal(back)
        assert torch.sparse.addmm(base, adjacency, table).equal(fold(table, base=base))
        assert torch.addmm(base, adjacency, table, beta=0).equal(expected)
        assert torch.sparse.mm(adjacency, table, "mean").equal(fold(table, reduction="mean"))
        assert embedding_bag(rows, table, starts[:-1], mode="sum", per_sample_weights=weights).equal(expected)
        for call in (lambda x: adjacency @ x, lambda x: torch.sparse.mm(adjacency, x), lambda x: torch.sparse.mm(adjacency, x, "sum")):
            result, gradient = with_gradient(call, table)
            assert result.equal(expected)
            assert gradient.equal(back)
    torch.testing.assert_close(adjacency @ table, expected)


def test_the_names_that_counts_gives_can_be_installed():
    starts, rows, _ = graph()
    strew.torch.counts(reset=True)
    with strew.torch.installed(OTHERS, min_elements=1):
        with_gradient(lambda x: torch.sparse.mm(matrix(), x, "sum"), dense(8))
        with_gradient(lambda x: torch.sparse.mm(matrix(), x), dense(8))
        with_gradient(lambda x: embedding_bag(rows, x, starts[:-1]), dense(8))
        embedding_bag(rows, dense(8), starts[:-1])
    names = {f"aten::{name}" for name in ("mm", "addmm", "_embedding_bag", "_embedding_bag_forward_only", "_sparse_mm_reduce_impl_backward")}
    assert names <= set(strew.torch.counts(reset=True))
    for name in names:
        with strew.torch.installed([name]):
            pass


def test_the_product_of_an_edge_index_is_taken():
    geometric = pytest.importorskip("torch_geometric")
    starts, columns, _ = graph()
    row = torch.repeat_interleave(torch.arange(ROWS), starts.diff())
    edges = geometric.EdgeIndex(torch.stack([row, columns]), sparse_size=(ROWS, COLUMNS), sort_order="row")
    for reduce in ("sum", "mean", "max"):
        agree(lambda r=reduce: edges.matmul(dense(8), reduce=r), "_sparse_mm_reduce_impl")

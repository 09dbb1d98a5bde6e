"""Larger calls with repeated indices give the same bits on Strew as with PyTorch alone, on one thread and on two."""

import itertools

import pytest
import torch
from install_support import FLOATS, HALVES, copied, outcome, same, taken, threads

import strew.torch

INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
DTYPES = (*FLOATS, *HALVES, *INTEGERS, torch.complex64, torch.complex128)
SHAPES = [((300, 64), 0, 4000), ((300, 64), 1, 500), ((7, 40, 33), 1, 300), ((5000,), 0, 20000), ((1000, 3), 0, 9000)]
EVERY_DTYPE = pytest.mark.parametrize("dtype", DTYPES, ids=str)
EVERY_SHAPE = pytest.mark.parametrize("shape,dim,count", SHAPES, ids=str)


def values(shape, dtype, generator):
    """Return small numbers; floats include zeros of both signs and a few infinities and NaNs."""
    if dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=dtype)
    if not dtype.is_floating_point:
        made = torch.randint(-100, 100, shape, generator=generator)
        return made.to(dtype) if dtype != torch.bool else made > 0
    made = torch.randn(shape, generator=generator)
    kind = torch.randint(0, 500, shape, generator=generator)
    for number, special in enumerate((0.0, -0.0, torch.inf, torch.nan)):
        made = torch.where(kind == number, special, made)
    return made.to(dtype)


class Case:
    """The operands of a call along an axis of data."""

    def __init__(self, shape, dim, count, dtype, index_dtype=torch.int64, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.dim, self.generator = dim, generator
        self.data = values(shape, dtype, generator)
        self.rows = torch.randint(0, shape[dim], (count,), generator=generator).to(index_dtype)
        wide = [count if axis == dim else size for axis, size in enumerate(shape)]
        self.source = values(wide, dtype, generator)
        spread = [-1 if axis == dim else 1 for axis in range(len(shape))]
        self.row_view = self.rows.view(spread).expand(wide)
        self.elements = torch.randint(0, shape[dim], wide, generator=generator).to(index_dtype)


def check(call):
    """Compare Strew on one thread and on two with PyTorch alone on one thread, which has a fixed order."""
    with threads(1):
        expected = outcome(call)
    for count in (1, 2):
        before = taken()
        with threads(count), strew.torch.installed(min_elements=0):
            found = outcome(call)
        if count == 1 or taken() > before:  # a call that PyTorch ran may differ on two threads
            assert same(expected, found), f"on {count} threads: {found} for {expected}"


@EVERY_DTYPE
@EVERY_SHAPE
@pytest.mark.parametrize("name", ["index_add", "index_copy"])
def test_rows(name, shape, dim, count, dtype):
    case = Case(shape, dim, count, dtype)
    check(lambda: getattr(torch, name)(case.data, dim, case.rows, case.source))
    check(lambda: getattr(copied(case.data), name + "_")(dim, case.rows, case.source))
    check(lambda: getattr(torch, name)(case.data, dim, case.rows, case.source, out=torch.zeros_like(case.data)))


@EVERY_DTYPE
@EVERY_SHAPE
@pytest.mark.parametrize("alpha", [-1, 3])
def test_rows_times_a_number(alpha, shape, dim, count, dtype):
    case = Case(shape, dim, count, dtype)
    check(lambda: torch.index_add(case.data, dim, case.rows, case.source, alpha=alpha))
    check(lambda: torch.index_add(case.data, dim, case.rows.int(), case.source))


@EVERY_DTYPE
@EVERY_SHAPE
def test_fills_and_assignments(shape, dim, count, dtype):
    case = Case(shape, dim, count, dtype)
    check(lambda: torch.index_fill(case.data, dim, case.rows - 1, 3))
    check(lambda: torch.index_fill(case.data, dim, case.rows, torch.tensor(3)))
    for index in (case.row_view, case.elements):
        check(lambda index=index: torch.scatter(case.data, dim, index, case.source))
        check(lambda index=index: torch.scatter(case.data, dim, index, 1))
        for reduce in ("add", "multiply"):
            check(lambda index=index, reduce=reduce: torch.scatter(case.data, dim, index, case.source, reduce=reduce))
    check(lambda: copied(case.data).put_(case.elements - 1, case.source))
    check(lambda: copied(case.data).put_(case.elements, case.source, accumulate=True))


@EVERY_DTYPE
@EVERY_SHAPE
@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_reductions_of_rows(reduce, include_self, shape, dim, count, dtype):
    case = Case(shape, dim, count, dtype)
    check(lambda: torch.index_reduce(case.data, dim, case.rows, case.source, reduce, include_self=include_self))


@EVERY_DTYPE
@EVERY_SHAPE
@pytest.mark.parametrize("index", ["row_view", "elements"])
def test_sums_of_elements(index, shape, dim, count, dtype):
    case = Case(shape, dim, count, dtype)
    check(lambda: torch.scatter_add(case.data, dim, getattr(case, index), case.source))
    check(lambda: copied(case.data).scatter_add_(dim, getattr(case, index), case.source))


@EVERY_DTYPE
@EVERY_SHAPE
@pytest.mark.parametrize("index", ["row_view", "elements"])
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_reductions_of_elements(reduce, include_self, index, shape, dim, count, dtype):
    case = Case(shape, dim, count, dtype)
    check(
        lambda: torch.scatter_reduce(
            case.data, dim, getattr(case, index), case.source, reduce, include_self=include_self
        )
    )


@EVERY_DTYPE
@EVERY_SHAPE
def test_gathers(shape, dim, count, dtype):
    case = Case(shape, dim, count, dtype)
    for index in (case.row_view, case.elements, case.elements.int()):
        check(lambda index=index: torch.gather(case.data, dim, index))
    for rows in (case.rows, case.rows.int(), case.rows[::3]):
        check(lambda rows=rows: torch.index_select(case.data, dim, rows))
        check(lambda rows=rows: torch.index_select(case.data.mT if case.data.dim() > 1 else case.data, 0, rows % 7))
    check(lambda: torch.take(case.data, case.elements - 1))


@EVERY_DTYPE
@pytest.mark.parametrize("accumulate", [False, True])
def test_advanced_indexing(accumulate, dtype):
    generator = torch.Generator().manual_seed(1)
    data = values((40, 30, 20), dtype, generator)
    i, j = (torch.randint(-20, 20, (900,), generator=generator) for _ in range(2))
    mask, whole = torch.rand(40, 30, generator=generator) < 0.5, slice(None)
    forms = [
        (i,), (whole, i), (whole, whole, i), (i, j), (whole, i, j), (i, j, j), (i.int(), j), (i[:20, None], j[None, :15]),
        (i[:300].view(30, 10),), (i[:300].view(10, 30).t(),), (mask,), (mask[:, 0],), (whole, mask[0]), (i, whole, j),
        (mask.byte(),), (i, mask[:, 0][:1].expand(30)),
    ]  # fmt: skip
    for base, index in itertools.product((data, data.transpose(0, 1).contiguous().transpose(0, 1)), forms):
        check(lambda base=base, index=index: base[index])
        result = outcome(lambda base=base, index=index: base[index])
        if isinstance(result[0], str):
            continue
        for shape in (result[0].shape, result[0].shape[1:], result[0].shape[-1:], ()):
            new = values(shape, dtype, generator)
            check(lambda base=base, index=index, new=new: put(base, index, new, accumulate))


def put(data, index, new, accumulate):
    indices = [None if isinstance(each, slice) else each for each in index]
    return torch.ops.aten.index_put_(copied(data), indices, new, accumulate)


@EVERY_DTYPE
@pytest.mark.parametrize("padding", [-1, 3])
def test_the_gradient_of_an_embedding(padding, dtype):
    case = Case((50, 24), 0, 3000, dtype)
    for index in (case.rows, case.rows.int(), case.rows.view(60, 50)):
        grad = case.source.view(*index.shape, 24)
        check(lambda index=index, grad=grad: torch.ops.aten.embedding_dense_backward(grad, index, 50, padding, False))


def test_the_gradient_of_an_embedding_takes_columns_of_indices_and_slices_of_gradients():
    """Indices and gradients are slices, as in models that stack the vectors of several tables."""
    case = Case((50, 24), 0, 3000, torch.float32)
    chosen = case.rows.view(1000, 3)
    stacked = case.source.view(1000, 3, 24)
    wide = case.source.view(3000, 24)[:, :8]
    calls = [(chosen[:, 1], stacked[:, 1]), (chosen.t(), stacked.transpose(0, 1)), (case.rows, case.source[:1].expand(3000, 24))]
    calls += [(case.rows, wide), (case.rows.flip(0)[::2], wide[::2]), (case.rows[:24], case.source[:24].t()[:, :24])]
    strew.torch.counts(reset=True)
    for index, grad in calls:
        check(lambda index=index, grad=grad: torch.ops.aten.embedding_dense_backward(grad, index, 50, -1, False))
    taken, left, _ = strew.torch.counts()["aten::embedding_dense_backward"]
    assert taken >= len(calls) and left == 0


@pytest.mark.parametrize("dtype", (*FLOATS, *HALVES), ids=str)
@pytest.mark.parametrize("count", [300, 40_000])
@pytest.mark.parametrize("index_dtype", [torch.int64, torch.int32], ids=str)
@pytest.mark.parametrize("padding", [None, 3])
@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_the_gradient_of_a_bag(mode, padding, index_dtype, count, dtype):
    generator = torch.Generator().manual_seed(2)
    table = values((500, 8), dtype, generator).requires_grad_()
    index = torch.randint(0, 500, (count,), generator=generator).to(index_dtype)
    bags = torch.arange(0, count, 30).to(index_dtype)
    wide = values((len(bags), 24), dtype, generator)
    for grad in (wide[:, 8:16].contiguous(), wide[:, 8:16], wide[0, :8].expand(len(bags), 8), wide[:, ::3]):

        def call(grad=grad):
            bag = torch.nn.functional.embedding_bag(index, table, bags, mode=mode, padding_idx=padding)
            return torch.autograd.grad(bag, table, grad)

        strew.torch.counts(reset=True)
        check(call)
        gradients = strew.torch.counts()["aten::_embedding_bag_dense_backward"]
        assert (gradients.handled > 0) == (count == 40_000 and (mode == "sum" or dtype in FLOATS))


@pytest.mark.parametrize("columns", [1, 3, 16, 100])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_gradient_of_means_of_bags_of_all_sizes(columns, dtype):
    generator = torch.Generator().manual_seed(3)
    rows, starts = torch.randint(0, 3000, (40_000,), generator=generator), torch.randint(0, 40_000, (2000,), generator=generator)
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), starts.sort().values])
    table = values((3000, columns), dtype, generator).requires_grad_()

    def call():
        bags = torch.nn.functional.embedding_bag(rows, table, starts, mode="mean")
        return torch.autograd.grad(torch.cat([bags, bags * 2], 1), table, values((2001, 2 * columns), dtype, torch.Generator().manual_seed(4)))

    strew.torch.counts(reset=True)
    check(call)
    assert strew.torch.counts()["aten::_embedding_bag_dense_backward"].handled >= 2


def test_most_of_these_calls_ran_on_strew():
    before = taken()
    test_rows("index_add", (300, 64), 0, 4000, torch.float32)
    test_sums_of_elements("elements", (300, 64), 0, 4000, torch.float32)
    test_gathers((300, 64), 1, 500, torch.int16)
    test_advanced_indexing(True, torch.float32)
    assert taken() - before > 150

"""Compares errors of strew.torch_scatter and of PyTorch. As a program it prints the table of docs/graph.md."""

import functools
import math
import pathlib

import numpy as np
import pytest
import strew.torch_scatter as ts
import torch

SEGMENTS, EACH = 40, 500
HALVES = [torch.float16, torch.bfloat16]
TYPES = [*HALVES, torch.float32, torch.float64]
PAGE = pathlib.Path(__file__).parents[2] / "docs/graph.md"


def given(dtype):
    """Return values from 0.5 to 1.5, one row for each segment; the shuffled values; their segments; and their order."""
    generator = torch.Generator().manual_seed(47)
    rows = (torch.rand(SEGMENTS, EACH, generator=generator, dtype=torch.float64) + 0.5).to(dtype)
    order = torch.randperm(SEGMENTS * EACH, generator=generator)
    return rows, rows.flatten()[order], order // EACH, order


# The formulas of torch_scatter, written with PyTorch's operators.
def added(src, index):
    return src.new_zeros(SEGMENTS).scatter_add_(0, index, src)


def averaged(src, index):
    return src.new_zeros(SEGMENTS).scatter_reduce_(0, index, src, "mean", include_self=False)


def largest(src, index):
    return src.new_zeros(SEGMENTS).scatter_reduce_(0, index, src, "amax", include_self=False)


def apart(src, index):
    return src - largest(src, index)[index]


def of_std(src, index):
    count = added(torch.ones_like(src), index)
    squares = (src - (added(src, index) / count)[index]).square()
    return (added(squares, index) / (count - 1 + 1e-6)).sqrt()


def of_softmax(src, index):
    powers = apart(src, index).exp()
    return powers / added(powers, index)[index]


def of_log_softmax(src, index):
    far = apart(src, index)
    return far - (added(far.exp(), index) + 1e-12).log()[index]


def of_logsumexp(src, index):
    return (added(apart(src, index).exp(), index) + 1e-12).log() + largest(src, index)


def sorted_first(call):
    """Return a function that sorts by segment and passes the segments' bounds to `call`."""
    return lambda src, index: call(src[index.argsort(stable=True)], torch.arange(0, SEGMENTS * EACH + 1, EACH))


def in_order(call):
    return lambda src, index: call(src[index.argsort(stable=True)], index.sort()[0])


def of_rows(call):
    """Return a function that passes to `call` the rows minus their maxima, and the maxima."""
    return lambda rows: call(rows - rows.max(1, keepdims=True), rows.max(1, keepdims=True))


def segments(how):
    return lambda src, index: torch.segment_reduce(src[index.argsort(stable=True)], how, lengths=torch.full((SEGMENTS,), EACH))


def near_one(src):
    return (src.double() / 100 + 1).to(src.dtype)  # products of these values stay in range


def true_std(rows):
    return np.sqrt(np.square(rows - rows.mean(1, keepdims=True)).sum(1) / (EACH - 1 + np.longdouble(1e-6)))


EPS = np.longdouble(1e-12)
SUM, MEAN, PRODUCT = (lambda rows: rows.sum(1)), (lambda rows: rows.mean(1)), (lambda rows: rows.prod(1))
# For each function: the call, the equivalent calls of PyTorch, and a function that computes the true values from rows.
FUNCTIONS = {
    "scatter_sum": (ts.scatter_sum, (added, lambda s, i: s.new_zeros(SEGMENTS).index_add_(0, i, s)), SUM),
    "scatter_mean": (ts.scatter_mean, (averaged,), MEAN),
    "scatter_mul": (
        lambda s, i: ts.scatter_mul(near_one(s), i),
        (lambda s, i: s.new_ones(SEGMENTS).scatter_reduce_(0, i, near_one(s), "prod"),),
        PRODUCT,
    ),
    "scatter_std": (ts.scatter_std, (of_std,), true_std),
    "scatter_softmax": (ts.scatter_softmax, (of_softmax,), of_rows(lambda x, _: np.exp(x) / np.exp(x).sum(1, keepdims=True))),
    "scatter_log_softmax": (
        ts.scatter_log_softmax,
        (of_log_softmax,),
        of_rows(lambda x, _: x - np.log(np.exp(x).sum(1, keepdims=True) + EPS)),
    ),
    "scatter_logsumexp": (
        ts.scatter_logsumexp,
        (of_logsumexp,),
        of_rows(lambda x, most: np.log(np.exp(x).sum(1) + EPS) + most[:, 0]),
    ),
    "segment_sum_coo": (in_order(ts.segment_sum_coo), (added,), SUM),
    "segment_mean_coo": (in_order(ts.segment_mean_coo), (averaged,), MEAN),
    "segment_sum_csr": (sorted_first(ts.segment_sum_csr), (segments("sum"),), SUM),
    "segment_mean_csr": (sorted_first(ts.segment_mean_csr), (segments("mean"),), MEAN),
}


def largest_error(result, true, dtype):
    """Return the largest error in units of the last place of the type."""
    found = result.double().numpy().astype(np.longdouble) if dtype != torch.float64 else result.numpy().astype(np.longdouble)
    _, exponent = np.frexp(np.abs(true))
    unit = np.ldexp(np.longdouble(1), exponent - 1 + round(math.log2(torch.finfo(dtype).eps)))
    return float((np.abs(found - true) / unit).max())


def errors(name, dtype):
    """Return the errors of Strew and of PyTorch's most accurate call."""
    ours, theirs, truth = FUNCTIONS[name]
    rows, src, index, order = given(dtype)
    true = truth((near_one(rows) if name == "scatter_mul" else rows).double().numpy().astype(np.longdouble))
    if true.ndim == 2:
        true = true.flatten()[order.numpy()]
    of = [largest_error(call(src, index), true, dtype) for call in (ours, *theirs)]
    return of[0], min(of[1:])


def table():
    names = [str(dtype).removeprefix("torch.") for dtype in TYPES]
    lines = [f"| | {' | '.join(names)} |", "| --- |" + " --- |" * len(TYPES)]
    for name in FUNCTIONS:
        cells = ["{:.2g} ({:.2g})".format(*errors(name, dtype)) for dtype in TYPES]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_no_larger_than_those_of_pytorchs_operators(name, dtype):
    if dtype == torch.float64 and np.finfo(np.longdouble).nmant == 52:
        pytest.skip("there is no wider type")
    ours, theirs = errors(name, dtype)
    assert ours <= theirs
    assert dtype not in HALVES or ours <= 0.501  # one rounding


def test_the_table_on_the_page_is_what_is_measured():
    if np.finfo(np.longdouble).nmant == 52:
        pytest.skip("there is no wider type")
    lines, wanted = PAGE.read_text("utf-8").splitlines(), table()
    begin = lines.index(wanted[0])
    for said, found in zip(lines[begin:], wanted, strict=False):
        cells, measured = ([float(cell.split()[0]) for cell in line.split("|")[2:-1] if "(" in cell] for line in (said, found))
        assert said.split("|")[1] == found.split("|")[1]
        assert all(0.6 * m - 0.1 <= s <= 1.6 * m + 0.1 for s, m in zip(cells, measured, strict=True)), (said, found)


# Functions whose gradients are measured, and a call of PyTorch with the same gradient.
GRADIENTS = {
    "scatter_mean": (ts.scatter_mean, averaged),
    "segment_mean_coo": (in_order(ts.segment_mean_coo), averaged),
    "segment_mean_csr": (sorted_first(ts.segment_mean_csr), averaged),
    "scatter_mul": (ts.scatter_mul, lambda s, i: s.new_ones(SEGMENTS).scatter_reduce(0, i, s, "prod")),
    "scatter_std": (ts.scatter_std, of_std),
    "scatter_softmax": (ts.scatter_softmax, of_softmax),
    "scatter_log_softmax": (ts.scatter_log_softmax, of_log_softmax),
    "scatter_logsumexp": (ts.scatter_logsumexp, of_logsumexp),
    "gather_coo": (lambda s, i: ts.gather_coo(s[:SEGMENTS], i), lambda s, i: s[:SEGMENTS].gather(0, i)),
    "gather_csr": (
        lambda s, i: ts.gather_csr(s[:SEGMENTS], torch.arange(0, SEGMENTS * EACH + 1, EACH)),
        lambda s, i: s[:SEGMENTS].repeat_interleave(EACH),
    ),
}


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_of_halves_are_no_further_off_than_those_of_pytorchs_operators(name, dtype):
    _, src, index, _ = given(dtype)
    src = near_one(src) if name == "scatter_mul" else src

    def gradient(call, kind):
        x = src.to(kind).requires_grad_()
        result = call(x, index)
        weights = torch.linspace(0.5, 1.5, result.numel(), dtype=torch.float64).to(dtype).to(kind)
        return torch.autograd.grad(result, x, weights)[0].double()

    ours, theirs = GRADIENTS[name]
    true = gradient(ours, torch.float64)
    scale = true.abs().max()
    of_ours, of_theirs = ((gradient(call, dtype) - true).abs().max() / scale for call in (ours, theirs))
    assert of_ours <= of_theirs
    assert of_ours < 1.5 * torch.finfo(dtype).eps


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "_coo" not in name and "_csr" not in name])
def test_a_thousand_halves_have_their_sum_and_its_like(name, dtype):
    """Test inputs of bug reports, in which 1,000 ones had the sum 256, threes the mean 4, and a softmax the sum 3.9."""
    src, index = torch.ones(1000, dtype=dtype), torch.zeros(1000, dtype=torch.int64)
    values = src * (torch.arange(1000) % 3) if name == "scatter_std" else src
    result = getattr(ts, name)(values, index)
    wanted = {
        "scatter_sum": 1000,
        "scatter_mean": 1,
        "scatter_mul": 1,
        "scatter_std": values.double().std(),
        "scatter_softmax": 0.001,
        "scatter_log_softmax": -math.log(1000),
        "scatter_logsumexp": 1 + math.log(1000),
    }[name]
    assert torch.equal(result.unique(), torch.tensor([wanted]).to(dtype))


def test_the_mean_of_halves_is_finite_where_their_sum_is_not():
    src, index = torch.full((1000,), 1000, dtype=torch.float16), torch.zeros(1000, dtype=torch.int64)
    for result in (ts.scatter_mean(src, index), ts.segment_mean_coo(src, index), ts.segment_mean_csr(src, torch.tensor([0, 1000]))):
        assert result.tolist() == [1000]
    out = torch.zeros(1, dtype=torch.float16)
    assert ts.scatter_mean(src, index, out=out) is out and out.tolist() == [1000]


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16])
def test_the_mean_of_integers_does_not_wrap(dtype):
    src, index = torch.full((300,), 113, dtype=dtype), torch.zeros(300, dtype=torch.int64)
    for result in (ts.scatter_mean(src, index), ts.segment_mean_coo(src, index), ts.segment_mean_csr(src, torch.tensor([0, 300]))):
        assert (result.dtype, result.tolist()) == (dtype, [113])
    assert ts.scatter_std(src, index).tolist() == [0]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_nan_stays_one_and_an_infinity_is_the_logarithm_of_its_power(dtype):
    nan, inf = math.nan, math.inf
    src = torch.tensor([nan, 1, 5, inf, 1, -inf, -inf, 2], dtype=dtype)
    index = torch.tensor([0, 0, 0, 1, 1, 2, 3, 3])
    wanted = torch.tensor([nan, inf, 0, 2, 0], dtype=dtype)
    same = functools.partial(torch.testing.assert_close, rtol=1e-9, atol=0, equal_nan=True)
    same(ts.scatter_logsumexp(src, index, dim_size=5), wanted)
    out = torch.tensor([1, 1, 1, -inf, 1], dtype=dtype)
    ts.scatter_logsumexp(src, index, out=out)
    same(out, torch.tensor([nan, inf, 1, 2, 1], dtype=dtype))
    out = torch.tensor([nan], dtype=dtype)
    assert torch.isnan(ts.scatter_logsumexp(src[7:], index[:1], out=out)).all()
    for call in (ts.scatter_sum, ts.scatter_mean, ts.scatter_mul, ts.scatter_std, lambda s, i: ts.scatter_max(s, i)[0]):
        assert torch.isnan(call(src, index)[0])
    for call in (ts.scatter_softmax, ts.scatter_log_softmax):
        assert torch.isnan(call(src, index)[:3]).all()
        (grad,) = torch.autograd.grad(call(x := src.clone().requires_grad_(), index)[0], x)
        assert torch.isnan(grad[:3]).all()
    (grad,) = torch.autograd.grad(ts.scatter_logsumexp(x := src.clone().requires_grad_(), index)[0], x)
    assert torch.isnan(grad[:3]).all()


def test_a_power_of_out_that_is_far_above_the_elements_does_not_overflow():
    out = torch.tensor([200.0])
    assert ts.scatter_logsumexp(torch.tensor([1.0, 2.0]), torch.tensor([0, 0]), out=out).tolist() == [200]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("shape", "dim"), [((60,), 0), ((60, 2), 0), ((3, 60), 1), ((2, 60, 3), -2)])
def test_a_small_softmax_has_the_values_of_its_steps(dtype, shape, dim):
    torch.manual_seed(0)
    src, index = torch.randn(shape, dtype=dtype), torch.arange(60) % 7 * 2
    src.select(dim, 1)[...] = math.nan
    src.select(dim, 2)[...] = math.inf
    src.movedim(dim, 0)[3::7] = -math.inf
    for call in (ts.scatter_softmax, ts.scatter_log_softmax):
        ours, steps = call(src, index, dim), call(src, index.int(), dim)  # the latter runs as several operators
        assert ours.isnan().any() and ours.isfinite().any()
        torch.testing.assert_close(ours, steps, equal_nan=True)


COMPOSITES = ["scatter_sum", "scatter_mean", "scatter_std", "scatter_softmax", "scatter_log_softmax", "scatter_logsumexp"]


@pytest.mark.parametrize("name", COMPOSITES)
def test_a_parameter_has_the_result_and_the_gradient_of_a_tensor(name):
    torch.manual_seed(0)
    src, index = torch.randn(6, 2), torch.tensor([0, 1, 0, 1, 1, 0])  # std of one element has the gradient NaN
    pairs = []
    for x in (src.clone().requires_grad_(), torch.nn.Parameter(src.clone())):
        result = getattr(ts, name)(x, index, 0)
        pairs.append((result, *torch.autograd.grad((result * result).sum(), x)))
    torch.testing.assert_close(pairs[0], pairs[1])


if __name__ == "__main__":
    print("\n".join(table()))

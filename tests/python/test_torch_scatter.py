"""strew.torch_scatter has the interface of torch_scatter 2.1.2, the results of plain loops, gradients, and TorchScript."""

import doctest
import importlib
import inspect
import math
import sys

import pytest
import strew.torch_scatter as ts
import strew.torch_scatter.testing
from support import refuses, run_python
import torch
from torch_support import doubles

MODULES = ["", ".scatter", ".segment_coo", ".segment_csr", ".utils", ".testing"]
MODULES += [".composite", ".composite.std", ".composite.softmax", ".composite.logsumexp"]

# Parameters of torch_scatter and their defaults.
SIGNATURES = {
    "scatter": "src, index, dim=-1, out=None, dim_size=None, reduce=sum",
    "scatter_std": "src, index, dim=-1, out=None, dim_size=None, unbiased=True",
    "scatter_logsumexp": "src, index, dim=-1, out=None, dim_size=None, eps=1e-12",
    "scatter_softmax": "src, index, dim=-1, dim_size=None",
    "scatter_log_softmax": "src, index, dim=-1, eps=1e-12, dim_size=None",
    "segment_coo": "src, index, out=None, dim_size=None, reduce=sum",
    "segment_csr": "src, indptr, out=None, reduce=sum",
    "gather_coo": "src, index, out=None",
    "gather_csr": "src, indptr, out=None",
}
SIGNATURES |= {f"scatter_{name}": "src, index, dim=-1, out=None, dim_size=None" for name in "sum add mul mean min max".split()}
for kind in ("sum", "add", "mean", "min", "max"):
    SIGNATURES |= {f"segment_{kind}_coo": "src, index, out=None, dim_size=None", f"segment_{kind}_csr": "src, indptr, out=None"}

BROADCASTS = [
    pytest.param((7,), (7,), -1, id="vectors"),
    pytest.param((7, 3), (7,), 0, id="rows"),
    pytest.param((3, 7), (7,), -1, id="the last axis"),
    pytest.param((2, 7, 3), (7,), 1, id="an inner axis"),
    pytest.param((2, 7, 3), (2, 7), 1, id="an index for each batch"),
    pytest.param((2, 7, 3), (2, 7, 3), 1, id="an index for each element"),
    pytest.param((2, 7, 3, 4), (2, 7, 3), -3, id="an index for each row within a row"),
]


def random_call(shape, index_shape, dtype=torch.float64, seed=5):
    """Return values and an index. The values are small integers, so that there are ties and sums are exact."""
    generator = torch.Generator().manual_seed(seed)
    src = torch.randint(-4, 5, shape, generator=generator).to(dtype)
    return src, torch.randint(0, 5, index_shape, generator=generator)


def places(src, index, dim):
    """Yield, for each element in row-major order, its position along `dim`, its value, and its destination."""
    whole, axis = ts.utils.broadcast(index, src, dim), dim % src.dim()
    for position in torch.cartesian_prod(*[torch.arange(n) for n in src.shape]).reshape(-1, src.dim()).tolist():
        target = list(position)
        target[axis] = int(whole[tuple(position)])
        yield position[axis], src[tuple(position)].item(), tuple(target)


def looped(src, index, dim, size, reduce, out=None):
    """Compute the result that torch_scatter documents by a loop. Return the result, and the positions of winners."""
    shape = list(src.shape)
    shape[dim] = size
    first = torch.full(shape, src.shape[dim])
    result = torch.full(shape, int(reduce == "mul"), dtype=src.dtype) if out is None else out.clone()
    reached = torch.zeros(shape, dtype=torch.int64)
    for e, value, target in places(src, index, dim):
        old = result[target].item()
        reached[target] += 1
        if reduce in ("sum", "mean"):
            result[target] = old + value
        elif reduce == "mul":
            result[target] = old * value
        elif (out is None and reached[target] == 1) or (value > old if reduce == "max" else value < old):
            result[target], first[target] = value, e
    if reduce == "mean":
        rounding = None if src.is_floating_point() else "floor"
        result = result.div(reached.clamp(min=1), rounding_mode=rounding).to(src.dtype)
    return result, first


def test_names_and_signatures_are_those_of_the_original():
    assert ts.__version__ == "2.1.2"
    assert set(ts.__all__) == {*SIGNATURES, "__version__"}
    for name, wanted in SIGNATURES.items():
        parameters = inspect.signature(getattr(ts, name)).parameters.values()
        given = ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default}" for p in parameters)
        assert (name, given) == (name, wanted)
    assert ts.testing.reductions == ["sum", "add", "mean", "min", "max"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_hold(name):
    module = importlib.import_module(f"strew.torch_scatter{name}")
    before = sys.modules.get("torch_scatter")
    assert doctest.testmod(module).failed == 0
    if before is None:
        sys.modules.pop("torch_scatter", None)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int32, torch.int64])
@pytest.mark.parametrize(("shape", "index_shape", "dim"), BROADCASTS)
def test_scatters_give_what_a_loop_gives_into_zeros_and_into_out(shape, index_shape, dim, dtype):
    src, index = random_call(shape, index_shape, dtype)
    for reduce in ("sum", "mul", "mean", "max", "min"):
        wanted, first = looped(src, index, dim, 6, reduce)
        result = getattr(ts, f"scatter_{reduce}")(src, index, dim, dim_size=6)
        if reduce in ("max", "min"):
            assert torch.equal(result[1], first)
            result = result[0]
        assert result.dtype == dtype and torch.equal(result, wanted), reduce
        assert torch.equal(ts.scatter(src, index, dim, dim_size=6, reduce=reduce), wanted)
        out = torch.full_like(wanted, 2)
        wanted, first = looped(src, index, dim, 6, reduce, out)
        result = getattr(ts, f"scatter_{reduce}")(src, index, dim, out)
        if reduce in ("max", "min"):
            assert torch.equal(result[1], first)
            result = result[0]
        assert result is out and torch.equal(out, wanted), reduce


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
@pytest.mark.parametrize(
    ("shape", "index_shape", "dim"),
    [p for p in BROADCASTS if len(p.values[1]) <= p.values[2] % len(p.values[0]) + 1],
)
def test_segments_are_the_scatters_of_a_sorted_index(shape, index_shape, dim, dtype):
    src, index = random_call(shape, index_shape, dtype)
    axis = dim % len(shape)
    if len(index_shape) == 1:
        index = index.view([1] * axis + [-1])
    index = index.sort(dim=axis)[0]
    for reduce in ("sum", "mean", "max", "min"):
        wanted, first = looped(src, index, axis, 6, reduce)
        if reduce == "mean" and dtype == torch.int64:
            total, _ = looped(src, index, axis, 6, "sum")
            count, _ = looped(torch.ones_like(src), index, axis, 6, "sum")
            wanted = total.div(count.clamp(min=1), rounding_mode="trunc")
        indptr = torch.searchsorted(index.contiguous(), torch.arange(7).expand(*index.shape[:-1], 7).contiguous())
        of_index = getattr(ts, f"segment_{reduce}_coo")(src, index, dim_size=6)
        of_pointers = getattr(ts, f"segment_{reduce}_csr")(src, indptr)
        for result in (of_index, of_pointers):
            if reduce in ("max", "min"):
                assert torch.equal(result[1], first)
                result = result[0]
            assert torch.equal(result, wanted), reduce


def test_pointers_need_not_cover_the_axis_and_gathers_turn_segments_round():
    src = torch.arange(1.0, 13.0).view(2, 6)
    indptr = torch.tensor([[1, 3, 3], [0, 2, 5]])
    assert ts.segment_csr(src, indptr).tolist() == [[5, 0], [15, 30]]
    assert ts.segment_csr(src, indptr[:1], reduce="mean").tolist() == [[2.5, 0], [8.5, 0]]
    best, first = ts.segment_max_csr(src, indptr)
    assert (best.tolist(), first.tolist()) == ([[3, 0], [8, 11]], [[2, 6], [1, 4]])
    best, first = ts.segment_min_csr(src[0], indptr[0])
    assert (best.tolist(), first.tolist()) == ([2, 0], [1, 6])
    out = torch.full((2, 6), -1.0)
    assert ts.gather_csr(ts.segment_csr(src, indptr), indptr, out) is out
    assert out.tolist() == [[0, 5, 5, 0, 0, 0], [15, 15, 30, 30, 30, 0]]
    assert ts.gather_csr(torch.tensor([[7.0], [8.0]]), torch.tensor([1, 3, 4])).tolist() == [[0], [7], [7], [8]]
    assert ts.gather_coo(src[:, :2], torch.tensor([[0, 1, 1], [0, 0, 0]])).tolist() == [[1, 2, 2], [7, 7, 7]]
    assert ts.segment_sum_csr(torch.tensor([1, 2, 3]), torch.tensor([1, 3])).tolist() == [5]
    assert ts.segment_sum_csr(torch.ones(300).long(), torch.tensor([1, 3], dtype=torch.uint8)).tolist() == [2]


def test_an_out_that_is_not_contiguous_is_written():
    storage = torch.zeros(4, 3)
    out = storage.t()
    ts.scatter_max(torch.ones(3, 2), torch.tensor([1, 3]), 1, out)
    assert storage.tolist() == [[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1]]
    ts.segment_csr(torch.ones(3, 2), torch.tensor([[0, 0, 1, 1, 2]]), out)
    assert storage.tolist() == [[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1]]


def test_an_infinity_that_cannot_win_counts_as_nothing_and_a_nan_wins():
    low, nan = -math.inf, math.nan
    src, index = torch.tensor([low, low, low, 2.0, 1.0, nan]), torch.tensor([0, 0, 1, 1, 2, 2])
    indptr = torch.tensor([0, 2, 4, 6])
    for result, first in (ts.scatter_max(src, index), ts.segment_max_coo(src, index), ts.segment_max_csr(src, indptr)):
        assert (result[:2].tolist(), first.tolist()) == ([0, 2], [6, 3, 5])
        assert math.isnan(result[2])
    result, first = ts.scatter_min(-src, index)
    assert (result[:2].tolist(), first.tolist()) == ([0, -2], [6, 3, 5])
    assert ts.scatter_log_softmax(src[:2], index[:2]).tolist() == [low, low]


CALLS = {f"scatter {r}": lambda s, i, p, r=r: ts.scatter(s, i, 0, reduce=r) for r in ("sum", "mul", "mean", "min", "max")}
CALLS |= {f"coo {r}": lambda s, i, p, r=r: ts.segment_coo(s, i, reduce=r) for r in ("sum", "mean", "min", "max")}
CALLS |= {f"csr {r}": lambda s, i, p, r=r: ts.segment_csr(s, p, reduce=r) for r in ("sum", "mean", "min", "max")}
CALLS |= {
    "gather coo": lambda s, i, p: ts.gather_coo(s, i),
    "gather csr": lambda s, i, p: ts.gather_csr(s[:3], p),
    "std": lambda s, i, p: ts.scatter_std(s, i // 2, 0),
    "softmax": lambda s, i, p: ts.scatter_softmax(s, i, 0),
    "log softmax": lambda s, i, p: ts.scatter_log_softmax(s, i, 0),
    "logsumexp": lambda s, i, p: ts.scatter_logsumexp(s, i, 0),
}


@pytest.mark.parametrize("name", CALLS)
def test_first_and_second_derivatives_are_those_of_differences(name):
    index, indptr = torch.tensor([0, 0, 0, 2, 2, 2]), torch.tensor([0, 3, 3, 6])
    call = lambda src: CALLS[name](src, index, indptr)  # noqa: E731
    assert torch.autograd.gradcheck(call, (doubles(6, 2),))
    if "mul" not in name:
        assert torch.autograd.gradgradcheck(call, (doubles(6, 2),))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float64])
def test_extremes_of_segments_are_those_of_a_loop(dtype):
    generator = torch.Generator().manual_seed(0)
    for columns in ((), (3,)):
        src = torch.randint(0, 9, (20, *columns), generator=generator).to(dtype)
        indptr = torch.tensor([0, 0, 4, 4, 5, 17, 20, 20])
        for reduce, pick in (("max", torch.amax), ("min", torch.amin)):
            parts = [src[begin:end] for begin, end in indptr.unfold(0, 2, 1).tolist()]
            wanted = torch.stack([pick(part, 0) if len(part) else src.new_zeros(columns) for part in parts])
            assert torch.equal(ts.segment_csr(src, indptr, reduce=reduce), wanted)


@pytest.mark.parametrize("name", CALLS)
def test_forward_mode_is_refused(name):
    index, indptr = torch.tensor([0, 0, 0, 2, 2, 2]), torch.tensor([0, 3, 3, 6])
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(doubles(6).detach(), torch.ones(6, dtype=torch.float64))
        refuses(NotImplementedError, "there is no forward-mode derivative", CALLS[name], dual, index, indptr)


@pytest.mark.parametrize("name", [name for name in CALLS if name.endswith((" min", " max"))])
def test_of_equal_winners_the_first_has_the_gradient(name):
    src = torch.tensor([3.0, 3.0, 3.0, 1.0], requires_grad=True)
    result = CALLS[name](src, torch.tensor([0, 0, 0, 2]), torch.tensor([0, 3, 3, 4]))
    result.backward(torch.tensor([5.0, 6.0, 7.0]))
    assert src.grad.tolist() == [5, 0, 0, 7]


def test_gradients_go_past_out_and_stop_where_out_won():
    src = torch.tensor([1.0, 9.0], requires_grad=True)
    out, first = ts.scatter_max(src, torch.tensor([0, 1]), out=torch.tensor([4.0, 4.0]))
    assert (out.tolist(), first.tolist()) == ([4, 9], [2, 1])
    out.sum().backward()
    assert src.grad.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_of_elements_that_are_reduced_into_out(dtype):
    wanted = {"sum": [1, 1, 1], "mul": [15, 10, 6], "mean": [0.5, 0.5, 1], "max": [0, 0, 0], "min": [1, 0, 1]}
    calls = {name: getattr(ts, f"scatter_{name}") for name in wanted}
    powers = torch.tensor([2.0, 3.0, 5.0]).softmax(0)[:2].tolist() + torch.tensor([4.0, 6.0]).softmax(0)[:1].tolist()
    for name, call in (calls | {"logsumexp": ts.scatter_logsumexp}).items():
        src = torch.tensor([2.0, 3.0, 4.0], dtype=dtype, requires_grad=True)
        result = call(src, torch.tensor([0, 0, 1]), out=torch.tensor([5.0, 6.0], dtype=dtype))
        (result[0] if isinstance(result, tuple) else result).sum().backward()
        torch.testing.assert_close(src.grad, torch.tensor(wanted.get(name, powers), dtype=dtype))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_nan_in_out_stays_whatever_its_sign(dtype, sign):
    nan = torch.copysign(torch.full((1,), math.nan), torch.tensor([sign])).to(dtype)
    src, index = torch.tensor([1.0, 2.0], dtype=dtype), torch.tensor([0, 0])
    for call in (ts.scatter_max, ts.scatter_min, ts.segment_max_coo, ts.segment_min_coo):
        result, first = call(src, index, out=nan.clone())
        assert torch.isnan(result).all()
        assert first.tolist() == [2]


@pytest.mark.parametrize("name", CALLS)
def test_nothing_to_reduce_is_zeros_with_gradients(name):
    src = torch.zeros(0, 2, requires_grad=True)
    index, indptr = torch.zeros(0, dtype=torch.int64), torch.zeros(1 if "csr" in name else 4, dtype=torch.int64)
    result = CALLS[name](src, index, indptr)
    assert result.shape == (0, 2)
    result.sum().backward()
    assert src.grad.shape == (0, 2)


@pytest.mark.parametrize("name", ["sum", "mean", "std", "logsumexp", "mul", "min", "max"])
def test_some_functions_have_a_gradient_of_what_was_in_out(name):
    before = torch.full((2,), 1.5, requires_grad=True)
    result = getattr(ts, f"scatter_{name}")(torch.tensor([2.0, 3.0]), torch.tensor([0, 0]), out=before * 1)
    result = result[0] if isinstance(result, tuple) else result
    has_gradient = name in ("sum", "mean", "std", "logsumexp")
    assert torch.autograd.grad(result.sum(), before)[0].bool().any() == has_gradient if result.requires_grad else not has_gradient


@pytest.mark.parametrize("unbiased", [True, False])
def test_the_gradient_of_std_is_nan_in_a_group_of_one_element(unbiased):
    src = torch.tensor([2.0, 3.0, 5.0], requires_grad=True)
    ts.scatter_std(src, torch.tensor([0, 1, 1]), unbiased=unbiased).sum().backward()
    assert src.grad.isnan().tolist() == [True, False, False]


def test_composites_are_those_of_torch_within_each_index():
    src, index = doubles(30, 2).detach(), torch.arange(30) % 4
    for at in range(4):
        part = src[index == at]
        close = lambda ours, theirs: torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)  # noqa: E731
        close(ts.scatter_std(src, index, 0)[at], part.std(0))
        close(ts.scatter_std(src, index, 0, unbiased=False)[at], part.std(0, unbiased=False))
        close(ts.scatter_logsumexp(src, index, 0)[at], part.logsumexp(0))
        close(ts.scatter_softmax(src, index, 0)[index == at], part.softmax(0))
        close(ts.scatter_log_softmax(src, index, 0)[index == at], part.log_softmax(0))
    out = torch.full((5,), 1.0)
    ts.scatter_logsumexp(torch.tensor([1.0, -math.inf]), torch.tensor([0, 3]), out=out)
    torch.testing.assert_close(out, torch.tensor([1 + math.log(2), 1.0, 1.0, 1.0, 1.0]))
    assert ts.scatter_logsumexp(torch.tensor([1.0]), torch.tensor([1])).tolist() == [0, 1]


def test_meta_tensors_give_results_of_the_right_shape_and_type():
    for dtype in (torch.float32, torch.int64):
        src, index = torch.ones(3, 2, dtype=dtype), torch.tensor([0, 2, 0])
        away = lambda tensor: tensor.to("meta")  # noqa: E731
        names = ("sum", "add", "mul", "mean", "min", "max", *(("softmax", "std", "logsumexp") if dtype.is_floating_point else ()))
        for name in names:
            call = getattr(ts, f"scatter_{name}")
            wanted, made = call(src, index, dim=0, dim_size=4), call(away(src), away(index), dim=0, dim_size=4)
            if isinstance(wanted, torch.Tensor):
                wanted, made = (wanted,), (made,)
            for ours, known in zip(made, wanted, strict=True):
                assert ours.is_meta and (ours.shape, ours.dtype) == (known.shape, known.dtype)


def test_a_refused_call_leaves_out_as_it_is():
    out = torch.zeros(2)
    for name in ("sum", "mul", "mean", "min", "max"):
        with pytest.raises(IndexError):
            getattr(ts, f"scatter_{name}")(torch.ones(2), torch.tensor([0, 2]), out=out)
    assert out.tolist() == [0, 0]


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
@pytest.mark.parametrize("name", SIGNATURES)
def test_torchscript_gives_the_same_results_and_gradients(name):
    scripted = torch.jit.script(getattr(ts, name))
    second = torch.tensor([0, 3, 3, 6]) if name.endswith("csr") else torch.tensor([0, 0, 0, 2, 2, 2])
    results, gradients = [], []
    for call in (getattr(ts, name), scripted, scripted, scripted):  # the third call runs optimized code
        src = torch.arange(6.0, dtype=torch.float64)[3 if name == "gather_csr" else 0 :].requires_grad_()
        result = call(src, second)
        value, first = result if isinstance(result, tuple) else (result, None)
        value.square().sum().backward()
        results.append([value.tolist(), first if first is None else first.tolist()])
        gradients.append(src.grad)
    assert results[1:] == results[:1] * 3
    for grad in gradients[1:]:  # TorchScript differentiates the chain of operators, which rounds in another order
        torch.testing.assert_close(grad, gradients[0], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("reduce", ["sum", "mul", "mean", "min", "max"])
def test_it_is_compiled_whole_where_the_size_is_given(reduce):
    index, src = torch.tensor([0, 0, 1, 2, 2]), doubles(5, 3)

    def step(src):
        segments = src.sum() if reduce == "mul" else ts.segment_csr(src, torch.tensor([0, 2, 5]), reduce=reduce).sum()
        return ts.scatter(src, index, 0, dim_size=4, reduce=reduce).relu() + segments

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    results = []
    for call in (step, compiled):
        (grad,) = torch.autograd.grad(call(src).square().sum(), src)
        results.append((call(src).detach(), grad))
    assert torch.equal(results[0][0], results[1][0]) and torch.equal(results[0][1], results[1][1])


def test_operators_pass_opcheck():
    src, index, indptr = doubles(5, 3), torch.tensor([0, 0, 1, 2, 2])[:, None].expand(5, 3), torch.tensor([0, 2, 5])
    ops = torch.ops.strew
    torch.library.opcheck(ops.scatter_winners, (src.detach(), index, 0, 4, None, "max"))
    torch.library.opcheck(ops.segment_csr_winners, (src.detach(), indptr, "min"))
    torch.library.opcheck(ops.segment_csr, (src, indptr, "mean"))
    torch.library.opcheck(ops.gather_csr, (doubles(2, 3), indptr, 6))


PROGRAM = """
import sys, strew.torch_scatter
sys.modules["torch_scatter"] = strew.torch_scatter
import torch, torch_geometric, torch_geometric.typing as typing
from torch_geometric.testing import has_package
from torch_geometric.utils import segment, softmax
from torch_geometric.utils._scatter import scatter_argmax
assert typing.WITH_TORCH_SCATTER and has_package("torch_scatter>=2.1")
from torch_scatter.composite import scatter_std
from torch_scatter.utils import broadcast
import torch_scatter.segment_csr, torch_scatter.scatter, torch_scatter.testing
x, ptr = torch.tensor([[1.0], [5.0], [3.0]]), torch.tensor([0, 2, 3])
print(segment(x, ptr, "max").tolist(), scatter_argmax(x.flatten(), torch.tensor([0, 0, 1])).tolist())
print(softmax(x, ptr=ptr).sum().item(), scatter_std(x, torch.tensor([0, 0, 1]), 0).shape)
"""


def test_one_line_makes_pytorch_geometric_use_it():
    pytest.importorskip("torch_geometric")
    assert run_python(PROGRAM).split("\n")[:2] == ["[[5.0], [3.0]] [1, 2]", "2.0 torch.Size([2, 1])"]

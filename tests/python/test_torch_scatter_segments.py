"""Tests segments between pointers (CSR): types, `out`, and rejected arguments."""

import math

import pytest
import strew.torch_scatter as ts
from support import refuses
import torch

ROWS = torch.arange(4.0)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64])
def test_the_mean_of_integers_has_their_type(dtype):
    src, indptr = torch.tensor([1, 2, 3, 6], dtype=dtype), torch.tensor([0, 2, 4])
    mean = ts.segment_csr(src, indptr, reduce="mean")
    assert (mean.dtype, mean.tolist()) == (dtype, [1, 4])
    torch.library.opcheck(torch.ops.strew.segment_csr, (src, indptr, "mean"))


INTO_OUT = {
    "segment_csr": lambda out: ts.segment_csr(ROWS, torch.tensor([0, 2]), out),
    "segment_max_csr": lambda out: ts.segment_max_csr(ROWS, torch.tensor([0, 2]), out),
    "gather_csr": lambda out: ts.gather_csr(ROWS[:1], torch.tensor([0, 1]), out[:, :1] if out.dim() > 1 else out[:1]),
    "gather_coo": lambda out: ts.gather_coo(ROWS, torch.tensor([2]), out),
}


@pytest.mark.parametrize("name", INTO_OUT)
def test_an_out_of_another_shape_or_type_is_refused_and_left_as_it_is(name):
    call, out = INTO_OUT[name], torch.full((1, 3), 7.0)
    refuses(ValueError, rf"{name}: out has shape \[1, .\]; it must be \[1\], that of the result", call, out)
    wide = torch.zeros(1, dtype=torch.double)
    refuses(TypeError, rf"{name}: out is float64 but src is float32; both must have one type", call, wide)
    assert (out.tolist(), wide.tolist()) == ([[7, 7, 7]], [0])


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_an_out_of_another_shape_is_refused_in_torchscript():
    scripted = torch.jit.script(ts.segment_csr)
    with pytest.raises(torch.jit.Error, match=r"segment_csr: out has shape \[3\]; it must be \[1\]"):
        scripted(ROWS, torch.tensor([0, 2]), torch.zeros(3))


def csr(src, *indptr):
    return lambda: ts.segment_csr(src, torch.tensor(*indptr))


BATCHES = torch.arange(10.0).view(2, 5)
REFUSED = [
    (csr(ROWS[:0], [0, 5]), IndexError, "segment_csr: indptr[1] = 5 is outside [0, 0]"),
    (csr(ROWS, [50]), IndexError, "segment_csr: indptr[0] = 50 is outside [0, 4]"),
    (csr(ROWS.view(4, 1)[:, :0], [0, 3, 1]), ValueError, "segment_csr: indptr[2] = 1 is below the one before it, 3"),
    (csr(ROWS.long(), [0, 50]), IndexError, "segment_csr: indptr[1] = 50 is outside [0, 4]"),
    (csr(ROWS, [0.0, 2.0]), TypeError, "segment_csr: indptr is float32; it must hold integers"),
    (csr(ROWS[:0], [0.0, 2.0]), TypeError, "segment_csr: indptr is float32; it must hold integers"),
    (csr(ROWS.long(), [0.0, 2.0]), TypeError, "segment_csr: indptr is float32; it must hold integers"),
    (csr(ROWS, 3), ValueError, "segment_csr: indptr has shape [] of rank 0; it needs rank 1 or more"),
    (csr(ROWS[0], [0]), ValueError, "segment_csr: src has shape [] of rank 0; it needs rank 1 or more"),
    (csr(ROWS, [[0, 4]]), ValueError,
     "segment_csr: indptr has shape [1, 2] of rank 2; src of shape [4] needs rank 1 to 1"),
    (csr(BATCHES, [[0, 5]] * 3), ValueError,
     "segment_csr: indptr has shape [3, 2]: dimension 0 is 3; it must be 1, or 2 as in src"),
    (csr(BATCHES, [[0, 2, 5], [0, 4, 3]]), ValueError, "segment_csr: indptr[1, 2] = 3 is below the one before it, 4"),
    (lambda: ts.segment_max_csr(ROWS[:0], torch.tensor([0, 5])), IndexError,
     "segment_max_csr: indptr[1] = 5 is outside [0, 0]"),
    (lambda: ts.segment_min_csr(ROWS.long(), torch.tensor([0.0, 2.0])), TypeError,
     "segment_min_csr: indptr is float32; it must hold integers"),
    (lambda: ts.gather_csr(ROWS[:0], torch.tensor([0, 5])), ValueError,
     "gather_csr: indptr has shape [2]; dim 0 must have 1 values"),
    (lambda: ts.gather_csr(ROWS[:1], torch.tensor([0, 5]), ROWS[:0]), IndexError,
     "gather_csr: indptr[1] = 5 is outside [0, 0]"),
    (lambda: ts.gather_csr(ROWS[:1], torch.tensor([0.0, 5.0])), TypeError,
     "gather_csr: indptr is float32; it must hold integers"),
    (lambda: ts.gather_csr(ROWS, torch.tensor(3), ROWS), ValueError,
     "gather_csr: indptr has shape [] of rank 0; it needs rank 1 or more"),
    (lambda: ts.gather_csr(BATCHES[:, :1], torch.tensor([[0, 5]] * 3)), ValueError,
     "gather_csr: indptr has shape [3, 2]: dimension 0 is 3; it must be 1, or 2 as in src"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), REFUSED, ids=[text for _, _, text in REFUSED])
def test_pointers_are_checked_whatever_src_is(call, kind, text):
    with pytest.raises(kind) as refused:
        call()
    assert (str(refused.value), refused.value.operator) == (text, text.split(":")[0])


def test_rows_of_no_columns_are_gathered():
    assert ts.gather_csr(torch.zeros(3, 0), torch.tensor([0, 2, 5, 6])).shape == (6, 0)


def test_pointers_of_a_byte_reach_over_more_rows_than_a_byte_counts():
    assert ts.segment_csr(torch.ones(300, dtype=torch.int64), torch.tensor([1, 4, 4], dtype=torch.uint8)).tolist() == [3, 0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64])
@pytest.mark.parametrize("bounds", [[0, 2, 2, 5, 8], [1, 3, 3, 5, 7], [[0, 2, 2, 5, 8]], [[1, 2, 3, 3, 3], [0, 2, 2, 5, 8]]])
@pytest.mark.parametrize("reduce", ["max", "min"])
def test_extremes_without_positions_are_those_with_them(dtype, bounds, reduce):
    src, indptr = torch.tensor([[1.0, -2, 5, -7, 0, 3, 4, -1]] * 2), torch.tensor(bounds)
    if dtype.is_floating_point:
        src[:, 2:5], src[:, 7] = math.inf if reduce == "min" else -math.inf, math.nan
    src = (src[0] if indptr.dim() == 1 else src[: len(bounds)]).to(dtype)
    wanted = {"max": ts.segment_max_csr, "min": ts.segment_min_csr}[reduce](src, indptr)[0]
    torch.testing.assert_close(ts.segment_csr(src, indptr, reduce=reduce), wanted, equal_nan=True)
    assert not dtype.is_floating_point or wanted.flatten()[1:3].tolist() == [0, 0] or wanted.dim() > 1

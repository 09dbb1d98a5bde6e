"""What segments between pointers are given and give: types, `out`, and what is refused."""

import pytest

torch = pytest.importorskip("torch")

import strew.torch_scatter as ts  # noqa: E402

ROWS = torch.arange(4.0)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64])
def test_the_mean_of_integers_has_their_type(dtype):
    src, indptr = torch.tensor([1, 2, 3, 6], dtype=dtype), torch.tensor([0, 2, 4])
    mean = ts.segment_csr(src, indptr, reduce="mean")
    assert (mean.dtype, mean.tolist()) == (dtype, [1, 4])
    torch.library.opcheck(torch.ops.strew.segment_csr, (src, indptr, "mean"))


INTO_OUT = {
    "segment_sum_csr": lambda out: ts.segment_csr(ROWS, torch.tensor([0, 2]), out),
    "segment_max_csr": lambda out: ts.segment_max_csr(ROWS, torch.tensor([0, 2]), out),
    "gather_csr": lambda out: ts.gather_csr(ROWS[:1], torch.tensor([0, 1]), out[:, :1] if out.dim() > 1 else out[:1]),
    "gather_coo": lambda out: ts.gather_coo(ROWS, torch.tensor([2]), out),
}


@pytest.mark.parametrize("name", INTO_OUT)
def test_an_out_of_another_shape_or_type_is_refused_and_left_as_it_is(name):
    call, out = INTO_OUT[name], torch.full((1, 3), 7.0)
    with pytest.raises(ValueError, match=rf"{name}: out has shape \[1, .\]; it must be \[1\], that of the result"):
        call(out)
    wide = torch.zeros(1, dtype=torch.double)
    with pytest.raises(TypeError, match=rf"{name}: out is float64 but src is float32; both must have one type"):
        call(wide)
    assert (out.tolist(), wide.tolist()) == ([[7, 7, 7]], [0])


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_an_out_of_another_shape_is_refused_in_torchscript():
    scripted = torch.jit.script(ts.segment_csr)
    with pytest.raises(torch.jit.Error, match=r"segment_sum_csr: out has shape \[3\]; it must be \[1\]"):
        scripted(ROWS, torch.tensor([0, 2]), torch.zeros(3))

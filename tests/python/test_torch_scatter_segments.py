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

"""strew.torch.functional beside PyTorch: its own samples (OpInfo), values and gradients."""

import pytest

torch = pytest.importorskip("torch")
invocations = pytest.importorskip("torch.testing._internal.common_methods_invocations")

import strew.torch.functional as F  # noqa: E402

NAMES = {
    "gather": F.gather,
    "take_along_dim": F.take_along_dim,
    "scatter": F.scatter,
    "scatter_add": F.scatter_add,
    "scatter_reduce": F.scatter_reduce,
    "index_add": F.index_add,
    "index_copy": F.index_copy,
    "index_reduce": F.index_reduce,
    "index_put": F.index_put,
    "segment_reduce": F.segment_reduce,
    "nn.functional.embedding": F.embedding,
}
DTYPES = [torch.float64, torch.float32, torch.int64, torch.uint8, torch.bool, torch.complex64]
INFOS = [info for info in invocations.op_db if info.name in NAMES]


def cases():
    for info in INFOS:
        name = ".".join(filter(None, (info.name, info.variant_test_name)))
        for dtype in DTYPES:
            if dtype in info.dtypes:
                yield pytest.param(info, dtype, id=f"{name}-{str(dtype)[6:]}")


def said(sample):
    shapes = [list(t.shape) if isinstance(t, torch.Tensor) else t for t in (sample.input, *sample.args)]
    return f"{shapes} {sample.kwargs}"


def samples(info, dtype, requires_grad=False):
    for sample in info.sample_inputs("cpu", dtype, requires_grad=requires_grad):
        if info.name == "nn.functional.embedding":  # its OpInfo gives the table first
            sample.input, sample.args = sample.args[0], (sample.input, *sample.args[1:])
        yield sample


def reaches_twice(sample, name):
    """Of equal places without a reduction PyTorch promises none."""
    if name == "scatter" and "reduce" not in sample.kwargs or name in ("index_copy", "index_put"):
        index = sample.args[0] if name == "index_put" else sample.args[1]
        parts = index if isinstance(index, tuple | list) else [index]
        return any(part is not None and part.dtype != torch.bool and part.numel() > 1 for part in parts)
    return False


def theirs(info, sample):
    if info.name == "nn.functional.embedding":
        return torch.nn.functional.embedding(sample.input, *sample.args, **sample.kwargs)
    return info.op(sample.input, *sample.args, **sample.kwargs)


@pytest.mark.parametrize(("info", "dtype"), cases())
def test_values_are_pytorchs(info, dtype):
    count = 0
    for sample in samples(info, dtype):
        wanted = theirs(info, sample)
        result = NAMES[info.name](sample.input, *sample.args, **sample.kwargs)
        count += 1
        torch.testing.assert_close(result, wanted, equal_nan=True, msg=lambda text: f"{said(sample)}: {text}")
    assert count > 0


@pytest.mark.parametrize("info", [pytest.param(i, id=f"{i.name}.{i.variant_test_name}") for i in INFOS])
def test_gradients_are_pytorchs(info):
    for sample in samples(info, torch.float64, requires_grad=True):
        if sample.kwargs.get("sparse"):
            continue
        needing = [t for t in (sample.input, *sample.args) if isinstance(t, torch.Tensor) and t.requires_grad]
        wanted = theirs(info, sample)
        if not wanted.requires_grad:
            continue
        weights = torch.arange(1.0, wanted.numel() + 1, dtype=wanted.dtype).view(wanted.shape)
        ours = NAMES[info.name](sample.input, *sample.args, **sample.kwargs)
        for a, b in zip(
            torch.autograd.grad(ours, needing, weights, allow_unused=True),
            torch.autograd.grad(wanted, needing, weights, allow_unused=True),
            strict=True,
        ):
            a, b = (torch.zeros(()) if g is None or g.numel() == 0 else g for g in (a, b))
            torch.testing.assert_close(a, b, equal_nan=True, check_dtype=False, msg=lambda text: f"{said(sample)}: {text}")

"""Code shared by the tests: a call with PyTorch alone and on Strew, and the comparison of both."""

import contextlib
import warnings

import strew.torch
import torch

FLOATS = (torch.float32, torch.float64)
HALVES = (torch.float16, torch.bfloat16)


def copied(value):
    """Copy arguments; each tensor gets its own memory and keeps its strides."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.numel() == 0:
            copy = value.detach().clone()
        else:
            room = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
            memory = value.detach().as_strided((room,), (1,), value.storage_offset()).clone()
            copy = memory.as_strided(value.shape, value.stride())
        return copy.requires_grad_(value.requires_grad)
    if isinstance(value, (tuple, list)):
        return type(value)(copied(item) for item in value)
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value


def outcome(call):
    """Return the result of a call: its tensors, or the type and text of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call()
        except Exception as error:  # whatever PyTorch raises
            return type(error).__name__, str(error)
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def taken():
    return sum(count.handled for count in strew.torch.counts().values())


def bits(tensor):
    """Return a tensor's type, shape, strides and bytes, with one NaN for all NaNs."""
    if not isinstance(tensor, torch.Tensor):
        return tensor
    values = tensor.detach().resolve_conj().resolve_neg()
    if values.is_complex():
        values = torch.view_as_real(values)
    if values.is_floating_point() and values.dtype in (*FLOATS, *HALVES):
        values = torch.where(values.isnan(), torch.full_like(values, torch.nan), values)
    contents = values.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if values.numel() else b""
    return tensor.dtype, tuple(tensor.shape), tensor.stride(), contents


def same(first, second):
    if isinstance(first[0], str) or isinstance(second[0], str):
        return first == second
    return len(first) == len(second) and all(map(lambda a, b: bits(a) == bits(b), first, second))


def difference(call, **options):
    """Return None if `call` gives the same with PyTorch alone and on Strew, else both outcomes."""
    expected = outcome(call)
    with strew.torch.installed(**options):
        found = outcome(call)
    return None if same(expected, found) else (expected, found)


@contextlib.contextmanager
def threads(count):
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)

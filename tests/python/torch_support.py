"""Operands and gradients shared by the tests of `strew.torch`."""

import torch

REDUCTIONS = ["none", "add", "mul", "max", "min"]
ELEMENTS = torch.tensor([[0, 1, 0], [0, 0, -1], [2, 2, 2]])


def doubles(*shape, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=dtype, generator=generator).requires_grad_()


def gradients(function, *operands):
    operands = [operand.detach().clone().requires_grad_() for operand in operands]
    result = function(*operands)
    weights = torch.arange(1.0, result.numel() + 1, dtype=result.dtype).view(result.shape)
    return result, *torch.autograd.grad(result, operands, weights)


def assert_same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)

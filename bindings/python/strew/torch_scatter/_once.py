"""One autograd function for a formula of several operators, for plain tensors in eager code."""

import torch

from strew.torch._transforms import _PLAIN, is_eager


class _Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, formula, backward, saved, op, src, index, whole, axis, size, *how):
        result, kept = formula(op, src, index, whole, axis, size, *how)
        ctx.save_for_backward(src if "src" in saved else None, result if "result" in saved else None, whole, kept)
        ctx.rule, ctx.count = (backward, op, axis, size, how[-1] if how else None), 9 + len(how)
        return result

    @staticmethod
    def backward(ctx, grad):
        backward, op, axis, size, how = ctx.rule
        return *[None] * 4, backward(op, grad, *ctx.saved_tensors, axis, size, how), *[None] * (ctx.count - 5)


def once(formula, backward, saved, op, src, index, whole, axis, size, base, *how):
    """Return the first result of a formula. The gradient may read the second result.

    If tensors are plain and `base` is None, autograd records one function; otherwise, it records the operators.
    ``backward(op, grad, src, result, whole, second, axis, size, how[-1])`` returns the gradient of `src`. `src` and
    `result` are None unless `saved` names them.
    """
    kind = type(src)
    given = (op, src, index, whole, axis, size, base, *how)
    is_recorded = base is None and src.requires_grad and torch.is_grad_enabled()
    if is_recorded and kind in _PLAIN and type(whole) is torch.Tensor and is_eager():
        return _Once.apply(formula, backward, saved, *given)
    return formula(*given)[0]

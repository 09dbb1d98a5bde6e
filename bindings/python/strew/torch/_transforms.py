"""Calls of the operators, directly or in the form that the transforms of `torch.func` need."""

import torch

from . import _operators
from ._arguments import refuse_forward_mode

_transformable: dict[str, type[torch.autograd.Function]] = {}


def _no_forward_mode(ctx, *tangents):
    raise NotImplementedError("there is no forward-mode derivative; use reverse mode (backward, grad)")


def map_samples(op):
    """Makes `torch.vmap` call an operator once for each sample, as PyTorch does with a warning, and before 2.5 must."""
    if not hasattr(op, "register_vmap"):
        return

    def call_each(info, axes, *operands):
        def sample(number):
            return op(*(each.select(axis, number) if isinstance(axis, int) else each for each, axis in zip(operands, axes)))

        results = [sample(number) for number in range(info.batch_size)]
        if isinstance(results[0], torch.Tensor):
            return torch.stack(results), 0
        stacked = tuple(torch.stack(each) for each in zip(*results, strict=True))
        return stacked, (0,) * len(stacked)

    op.register_vmap(call_each)


def register(name, backward, save, home=_operators):
    """Registers the gradient of a module's operator, for `backward` and `torch.func.grad`, and its loop for `vmap`."""
    op = getattr(home, name)
    op.register_autograd(backward, setup_context=save)
    map_samples(op)
    _transformable[name] = type(
        f"Strew_{name}",
        (torch.autograd.Function,),
        {
            "generate_vmap_rule": True,
            "forward": staticmethod(lambda *operands: op(*operands)),
            "setup_context": staticmethod(save),
            "backward": staticmethod(backward),
            "jvp": staticmethod(_no_forward_mode),
        },
    )


def _call(name):
    """Return a function that calls the operator of this name with all parameters, since its gradient needs them all."""
    defaults = [argument.default_value for argument in getattr(torch.ops.strew, name).default._schema.arguments]

    def call(*operands):
        refuse_forward_mode(name, *(operand for operand in operands if isinstance(operand, torch.Tensor)))
        operands = (*operands, *defaults[len(operands) :])
        # The transforms of torch reject the function that torch generates for a custom operator with a gradient.
        # Compiled code cannot ask whether they are active.
        if not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active():
            return _transformable[name].apply(*operands)
        return getattr(torch.ops.strew, name)(*operands)

    return call


gather = _call("gather")
gather_elements = _call("gather_elements")
gather_nd = _call("gather_nd")
scatter_elements = _call("scatter_elements")
scatter_nd = _call("scatter_nd")
tensor_scatter = _call("tensor_scatter")
products_of_others = _call("products_of_others")

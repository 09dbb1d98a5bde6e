"""Calls of the operators ``strew::...``. Eager code calls them directly; other code uses PyTorch's dispatcher."""

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.nn import Parameter

from ._arguments import refuse_forward_mode

# For each operator name, a function that runs a call, or returns None if PyTorch's dispatcher must handle it.
_eager: dict[str, Callable[..., Any]] = {}
_PLAIN = (torch.Tensor, Parameter)


def is_eager():
    """Return True if calls with plain tensors can run directly: PyTorch does not compile, trace or intercept them."""
    return not (
        torch.compiler.is_compiling()
        or torch._C._are_functorch_transforms_active()
        or torch._C._len_torch_dispatch_stack()
        or torch._C._is_torch_function_mode_enabled()
        or torch._C._get_tracing_state() is not None
        or forward_ad._current_level >= 0
    )


def runs_at_once(*tensors):
    """Return whether a function of these tensors runs directly on the CPU, and autograd does not record it."""
    records = torch.is_grad_enabled()
    for each in tensors:
        if type(each) not in _PLAIN or not each.is_cpu or (records and each.requires_grad):
            return False
    return is_eager()


def at_once(name, *operands):
    """Return the result of a call in eager code; None elsewhere, and for calls that PyTorch's dispatcher must handle.

    The dispatcher must handle two kinds of calls: illegal ones, for which it raises the error, and calls with tensors
    that only PyTorch can read, such as tensors that outlived their transform.
    """
    return _eager[name](*operands) if is_eager() else None


def _no_forward_mode(ctx, *tangents):
    raise NotImplementedError("there is no forward-mode derivative; use reverse mode (backward, grad)")


def _map_samples(op):
    """Make `torch.vmap` call an operator once for each sample, as PyTorch itself does, but without its warning."""
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


def define(name, schema, run, fake, mutates=()):
    """Register a function as the operator ``strew::name``, and return a function that calls it.

    `run` computes the result for detached tensors, and `fake` the result of a traced call. The returned function has an
    attribute `gradient`, a function that registers the gradient.
    """

    def run_detached(*operands):
        operands = (*operands, *defaults[len(operands) :])  # PyTorch drops trailing defaults
        result = run(*(each.detach() if isinstance(each, torch.Tensor) else each for each in operands))
        return None if mutates else result

    op = torch.library.custom_op(f"strew::{name}", run_detached, mutates_args=mutates, schema=schema)
    op.register_fake(fake)
    if not mutates:
        _map_samples(op)
    arguments = getattr(torch.ops.strew, name).default._schema.arguments
    names, defaults = [argument.name for argument in arguments], [argument.default_value for argument in arguments]
    places = [place for place, argument in enumerate(arguments) if "Tensor" in str(argument.type)]
    functions = {}

    def eager(*operands):
        needs_gradient = False
        for place in places:
            operand = operands[place]
            if type(operand) in _PLAIN:
                needs_gradient = needs_gradient or operand.requires_grad
            elif operand is not None:
                return None
        if operands[0] is None or operands[0].is_meta:
            return None
        recorded = needs_gradient and torch.is_grad_enabled()
        if recorded and not functions:
            return None
        try:
            return functions["recorded"].apply(*operands) if recorded else run(*operands)
        except Exception as error:
            if recorded and not hasattr(error, "code"):
                raise  # raised by an autograd hook
            return None

    def call(*operands, **named):
        if len(operands) < len(defaults):  # the gradient needs all operands
            rest = zip(names[len(operands) :], defaults[len(operands) :], strict=True)
            operands = (*operands, *(named.get(name, default) for name, default in rest))
        if (result := at_once(name, *operands)) is not None:
            return result
        refuse_forward_mode(name, *(operand for operand in operands if isinstance(operand, torch.Tensor)))
        # The transforms of torch reject the function that torch generates for a custom operator with a gradient.
        # Compiled code cannot test whether a transform is active.
        if functions and not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active():
            return functions["transformable"].apply(*operands)
        return getattr(torch.ops.strew, name)(*operands)

    def gradient(backward, save):
        """Register the gradient for `Tensor.backward` and `torch.func.grad`.

        The function `backward` returns gradients for the first parameters. All others have none.
        """

        def backward_of_all(ctx, *gradients):
            found = backward(ctx, *gradients)
            return (*found, *[None] * (len(names) - len(found)))

        def forward(ctx, *operands):
            result = run(*operands)
            save(ctx, operands, result)
            return result

        op.register_autograd(backward_of_all, setup_context=save)
        back = {"backward": staticmethod(backward_of_all)}
        functions["recorded"] = type(f"Strew_{name}", (torch.autograd.Function,), {"forward": staticmethod(forward), **back})
        whole = {"generate_vmap_rule": True, "setup_context": staticmethod(save), "jvp": staticmethod(_no_forward_mode), **back}
        whole["forward"] = staticmethod(lambda *operands: op(*operands))
        functions["transformable"] = type(f"Strew_{name}", (torch.autograd.Function,), whole)

    _eager[name] = eager
    call.gradient = gradient
    call.functions = functions  # autograd functions: recorded and transformable
    return call


# The attributes that gradients support. Gradients support other attributes only with their default values.
_KNOWN = set(
    "axis batch_dims reduction mode out_of_bounds negative_indices fill_value include_self acc_dtype alpha reject_duplicates".split()
)


def named_gradient(home, name, backward, save):
    """Register the gradient of an operator of the module `home`. `save` receives the operator's arguments by name."""
    arguments = getattr(torch.ops.strew, name).default._schema.arguments
    others = {one.name: one.default_value for one in arguments if "Tensor" not in str(one.type) and one.name not in _KNOWN}

    def save_named(ctx, inputs, output):
        given = {one.name: value for one, value in zip(arguments, inputs, strict=True)}
        ctx.unknown = next((other for other, default in others.items() if given[other] != default), None)
        save(ctx, given, output)

    def backward_of_known(ctx, gradient):
        if ctx.unknown is not None:
            raise NotImplementedError(f"there is no derivative of {name} with {ctx.unknown}")
        return backward(ctx, gradient)

    getattr(home, name).gradient(backward_of_known, save_named)

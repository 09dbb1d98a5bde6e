"""The operators with gradients. They have the parameters of `strew`'s functions. Scatters also have in-place forms."""

from .. import _derived
from .._names import hinting
from . import _arguments as _given, _operators as _ops
from ._operators import OPERATORS, SCATTERS
from ._transforms import at_once

_KINDS = {
    "array": "Tensor",
    "array of integers": "Tensor or sequence of integers",
    "array or scalar": "Tensor, sequence or scalar",
    "result": "Tensor",
}

# For each function, the second paragraph and the examples of its docstring.
_WORDS = {
    "gather": (
        "Gradients are summed in row-major order of `indices`; filled elements have no gradient.",
        """\
>>> strew.torch.gather(torch.tensor([[1, 2], [3, 4], [5, 6]]), [2, -3])
tensor([[5, 6],
        [1, 2]])
""",
    ),
    "gather_elements": (
        "Gradients are as in `gather`.",
        """\
>>> strew.torch.gather_elements(torch.tensor([[1, 2, 3], [4, 5, 6]]), [[0, 0], [2, 1]], axis=1)
tensor([[1, 1],
        [6, 5]])
""",
    ),
    "gather_nd": (
        "Gradients are as in `gather`.",
        """\
>>> strew.torch.gather_nd(torch.tensor([[1, 2], [3, 4]]), [[0, 0], [1, 1]])
tensor([1, 4])
""",
    ),
    "scatter_elements": (
        """\
Let g be the gradient of an element of the result. The terms of this element are its value in data and the updates with
its index. With "add", the gradient of a term is g; with "mul", it is g times the product of all other terms. With
"none", it is g for the term whose value remains, and 0 for the others. With "max" and "min", terms that equal the
result share g equally; a NaN equals a NaN. A dropped update has gradient 0.""",
        """\
>>> updates = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
>>> result = strew.torch.scatter_elements(torch.ones(3), [0, 2, 2], updates)
>>> result.sum().backward()
>>> updates.grad
tensor([1., 0., 1.])
""",
    ),
    "scatter_nd": (
        "Gradients are as in `scatter_elements`.",
        """\
>>> strew.torch.scatter_nd(torch.zeros(3, 2), [[2], [0], [2]], [[1, 1], [2, 2], [3, 3]], reduction="add")
tensor([[2., 2.],
        [0., 0.],
        [4., 4.]])
""",
    ),
    "tensor_scatter": (
        "The gradient of an operand is the gradient of the result's elements that come from it.",
        """\
>>> strew.torch.tensor_scatter(torch.zeros(1, 3, 2), torch.ones(1, 1, 2), [1])
tensor([[[0., 0.],
         [1., 1.],
         [0., 0.]]])
""",
    ),
    "scatter_elements_": (
        "The result is written to `data`, which is returned. If autograd records the call, the old values are copied.",
        """\
>>> histogram = torch.zeros(4)
>>> strew.torch.scatter_elements_(histogram, [1, 3, 1], 1.0, reduction="add")
tensor([0., 2., 0., 1.])
""",
    ),
    "scatter_nd_": (
        "The result is written to `data`, which is returned. If autograd records the call, the old values are copied.",
        """\
>>> strew.torch.scatter_nd_(torch.zeros(3), [[1]], [5])
tensor([0., 5., 0.])
""",
    ),
    "tensor_scatter_": (
        "The result is written to `past_cache`, which is returned.",
        """\
>>> strew.torch.tensor_scatter_(torch.zeros(1, 3, 1), torch.ones(1, 2, 1), [2], mode="circular").flatten()
tensor([1., 0., 1.])
""",
    ),
}


def _in_place(name):
    """Return a function that writes an operator's result to the operator's first operand, directly or with a copy."""
    at = list(OPERATORS[name].values()).index("updates")

    def run(data, *rest):
        updates = rest[at - 1]
        _given.refuse_forward_mode(f"{name}_", data, updates)
        if _given.needs_copy(data, updates):
            # Except for tensor_scatter, gradients may read the old values.
            old = data if name == "tensor_scatter" else data.clone()
            return data.copy_(getattr(_ops, name)(old, *rest))
        getattr(_ops, f"{name}_")(data, *rest)
        return data

    return run


# Functions are made from source text so that the interpreter binds arguments. Plain calls skip the checks of `prepare`.
_SOURCE = """\
def {name}{signature}:
    if {is_plain}:
        result = at_once({name!r}, {operands})
        if result is not None:
            return result
    return run(*prepare({parameters}))
"""


def _function(shown):
    name = shown.rstrip("_")
    signature = _derived.of_torch(name)
    run = getattr(_ops, name) if shown == name else _in_place(name)
    numbers = [one.name for one in signature.parameters.values() if one.default is None and one.name not in OPERATORS[name]]
    plain = [f"{number} is None" for number in numbers] + ["type(casting) is str and casting == 'equiv'"] * ("casting" in signature.parameters)
    source = _SOURCE.format(
        name=shown,
        signature=signature,
        is_plain=" and ".join(plain) if shown == name else False,
        operands=", ".join(one for one in signature.parameters if one != "casting"),
        parameters=", ".join(signature.parameters),
    )
    scope = {"run": run, "prepare": _given.operands_of(shown, OPERATORS[name], signature), "at_once": at_once}
    exec(source, scope)
    note, examples = _WORDS.get(shown, ("It has no gradient.", ""))
    examples = f">>> import torch, strew.torch\n{examples}"
    return hinting(_derived.dressed(scope[shown], shown, __package__, signature, _KINDS, note, examples))


__all__ = [*OPERATORS, *(f"{name}_" for name in SCATTERS)]
globals().update({name: _function(name) for name in __all__})

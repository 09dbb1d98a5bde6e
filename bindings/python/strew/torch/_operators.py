"""The custom operators ``strew::...``: kernels for tensors in CPU memory and on CUDA devices, and shapes for tracing.

An operator has the parameters of `strew`'s function of that name, in the same order, except ``out`` and ``casting``.
"""

import torch

from .. import _derived, _strew
from .._errors import refusal
from ._arguments import check_axis, check_rank, type_of
from ._transforms import define

_SCHEMA_TYPES = {int: "SymInt", bool: "bool", str: "str", type(None): "Scalar?"}
OPERATORS = {operator["name"]: operator["inputs"] for operator in _strew._operators()}
_OUTPUT_SHAPES = {operator["name"]: operator["output_shape"] for operator in _strew._operators()}
SCATTERS = [name for name, inputs in OPERATORS.items() if "updates" in inputs.values()]


def _refused(wrong, data, updates):
    """Return a scatter's error without the advice that only direct callers of `strew` can follow."""
    name = getattr(wrong, "operand", None)
    if name not in ("updates", "update") or updates.dtype == data.dtype:
        return wrong
    verb, of = ("are", "data") if name == "updates" else ("is", "past_cache")
    how, to = ("use", data) if torch.can_cast(updates.dtype, data.dtype) else ("convert the latter with", updates)
    text = f"{name} {verb} {type_of(updates)} but {of} is {type_of(data)}; both must have the same type; {how} .to({to.dtype})"
    return refusal(TypeError, wrong.code, text, operator=wrong.operator, operand=name)


def _like(data, *operands):
    return torch.empty_like(data, memory_format=torch.contiguous_format)


def _shape_only(name, parameters):
    """Return a function that allocates the result of a traced call. The table of operators states its shape."""
    shape = compile(_OUTPUT_SHAPES[name].partition(";")[0], name, "eval")
    defaults = {one.name: one.default for one in parameters}

    def result(data, *others):
        given = defaults | dict(zip(defaults, (data, *others)))
        if "axis" in shape.co_names:
            check_axis(name, data, given["axis"])
            given["axis"] %= data.dim()
        if "batch_dims" in shape.co_names:
            check_rank(name, "indices", given["indices"])
        return data.new_empty(eval(shape, {}, given))

    return result


def _schema(name, parameters, is_in_place):
    parts = []
    for parameter in parameters:
        kind = _SCHEMA_TYPES.get(type(parameter.default), "Scalar?")
        if parameter.name in OPERATORS[name]:
            kind = "Tensor" if parameter.default is parameter.empty else "Tensor?"
        kind = "Tensor(a!)" if is_in_place and not parts else kind
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}".replace("'", '"')
        # For operators that write, torch's tracing functions have a parameter `mode` of their own.
        parts.append(f"{kind} {'write_mode' if is_in_place and parameter.name == 'mode' else parameter.name}{default}")
    return f"({', '.join(parts)}) -> {'()' if is_in_place else 'Tensor'}"


def _operator(name, is_in_place=False):
    function = getattr(_strew, name)
    parameters = [one for one in _derived.of_torch(name).parameters.values() if one.name != "casting"]
    by_place = sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters)  # number of parameters before `out`
    names = [one.name for one in parameters]
    passed = names[:by_place] + [f"{name}={name}" for name in names[by_place:]] + [f"out={names[0]}"] * is_in_place
    call = eval(f"lambda {', '.join(names)}: function({', '.join(passed)})", {"function": function})
    roles = list(OPERATORS[name].values())
    updates = roles.index("updates") if "updates" in roles else 0

    def run(*given):
        try:
            return call(*given)
        except TypeError as error:
            wrong = error
        raise _refused(wrong, given[0], given[updates])

    fake = (lambda *given: None) if is_in_place else _shape_only(name, parameters)
    written = {parameters[0].name} if is_in_place else ()
    return define(name + "_" * is_in_place, _schema(name, parameters, is_in_place), run, fake, written)


# Defines the operators as globals of this module, such as gather and scatter_nd_.
globals().update({name: _operator(name) for name in OPERATORS})
globals().update({f"{name}_": _operator(name, is_in_place=True) for name in SCATTERS})


def _products_of_others(data, places, updates):
    """Return, for each row of `updates`, the row of `data` at its place, times all other updates at that place.

    Dividing the product of all updates by one of them would give wrong results for zeros, infinities and NaN.
    """
    order = torch.argsort(places, stable=True)
    places, factors = places[order], updates[order]
    others = _like(factors)
    after = _products_before(places.flip(0), factors.flip(0)).flip(0)
    others[order] = data[places] * _products_before(places, factors) * after
    return others


def _products_before(places, factors):
    """Return, for each factor, the product of the earlier factors with the same place. Equal places are adjacent."""
    products = torch.cat([torch.ones_like(factors[:1]), factors[:-1]])
    products[1:][places[1:] != places[:-1]] = 1
    step = 1
    while step < len(places) and (same := places[step:] == places[:-step]).any():
        further = products[step:] * products[:-step]
        products[step:] = torch.where(same.unsqueeze(-1), further, products[step:])
        step *= 2
    return products


products_of_others = define(
    "products_of_others",
    "(Tensor data, Tensor places, Tensor updates) -> Tensor",
    _products_of_others,
    lambda data, places, updates: _like(updates),
)

"""Suggests names for unknown attributes of modules and unknown parameters of functions."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ._errors import wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


# Strew's names for parameters and functions that have other names in NumPy, PyTorch, JAX or Dask.
_ELSEWHERE = {
    "dim": "axis", "reduce": "reduction", "mode": "out_of_bounds", "index": "indices", "src": "updates", "input": "data",
    "aggr": "reduction", "dim_size": "size", "gather_index": "edges", "shuffle": "shuffle_method", "take": "gather",
    "take_along_axis": "gather_elements", "put_along_axis": "scatter_elements",
}


def _nearest(name, names):
    """Return the most similar of `names`, ignoring case and underscores, or None."""
    import difflib

    if _ELSEWHERE.get(name) in names:
        return _ELSEWHERE[name]
    plain = {other.lower().replace("_", ""): other for other in names}
    near = difflib.get_close_matches(name.lower().replace("_", ""), plain, 1, 0.75)
    return plain[near[0]] if near else None


def did_you_mean(name, names):
    """Return "; did you mean 'scatter'?", or "" if no name is similar."""
    near = _nearest(name, names)
    return f"; did you mean {near!r}?" if near else ""


def no_attribute(module, name, known, hint=""):
    """Return the AttributeError for an unknown name; for "scater" it suggests all names that begin with "scatter"."""
    families = {}
    for other in known:
        families.setdefault(other.split("_")[0], []).append(other)
    near = _nearest(name, [*families, *known])
    if near and not hint:
        family = [near] if near in known else families[near]
        hint = f"; did you mean {' or '.join(map(repr, family))}?"
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")


def hinting(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function so that its error for an unknown parameter suggests a similar name."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> R:
        for name in named:
            if name not in known:
                others = f"the parameters are {', '.join(known)}" if len(known) > 1 else f"the parameter is {known[0]}"
                text = f"there is no parameter {name!r}; {others}{did_you_mean(name, known)}"
                raise wrong_type(function.__name__, None, text)
        return function(*given, **named)

    return call

"""What was probably meant by a name that a module or a function does not have."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from . import _strew
from ._errors import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def did_you_mean(name, names):
    """"; did you mean 'scatter'?", or nothing. A name may hold surrogates, which are no UTF-8."""
    return _strew._did_you_mean(name.encode(errors="replace").decode(), list(names))


def a_type_of(value):
    """"an int", "a list", "a ufunc"."""
    name = type(value).__qualname__
    return f"{'an' if name[0].lower() in 'aeio' else 'a'} {name}"


def no_attribute(module, name, known, hint=""):
    """The AttributeError for it; for "scater" it names all that begin with "scatter"."""
    near = [other for other in known if did_you_mean(name, [other.split("_")[0]])]
    hint = hint or did_you_mean(name, known) or (f"; there {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else "")
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")


def hinting(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which says what was probably meant by a parameter that it does not have."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> R:
        for name in named:
            if name not in known:
                text = f"there is no parameter {name!r}; there are {', '.join(known)}{did_you_mean(name, known)}"
                raise refusal(TypeError, "invalid type", text, operator=function.__name__)
        return function(*given, **named)

    return call

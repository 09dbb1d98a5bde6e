"""Argument checks for functions that are written in Python."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

from ._errors import wrong_type, wrong_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._names import P, R


def article(given: Any) -> str:
    """Return the name of a value's type with its article; "None" for None. torch.compile can trace this function, unlike its C++ counterpart."""
    kind = type(given)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return "None" if given is None else f"an {name}" if name[0] in "aeiou" else f"a {name}"


def as_int(op: str, name: str, given: Any) -> int:
    """Convert `given` to a 64-bit int. A SymInt, PyTorch's symbol for an unknown size, is returned unchanged."""
    if type(given).__name__ == "SymInt":
        return given
    number = given
    if isinstance(given, bool) or not isinstance(given, int):
        try:
            number = None if isinstance(given, bool) else operator.index(given)
        except Exception:  # arrays and tensors may raise any error
            number = None
    if number is None:
        raise wrong_type(op, name, f"{name} is {article(given)}; it must be an int")
    if not -(2**63) <= number < 2**63:
        raise wrong_value(op, name, f"{name} {number} is not a 64-bit int", number)
    return number


def as_count(op: str, name: str, given: Any, unit: str, least: int, most: int, wanted: str) -> int:
    """Convert `given` to an int from `least` to `most`."""
    try:
        count = operator.index(given)
    except TypeError:
        raise wrong_type(op, name, f"{name} is {given!r}; {wanted}") from None
    if not least <= count <= most:
        raise wrong_value(op, name, f"{count} {unit}; {least} to {most} are possible", count)
    return count


def as_flag(op: str, name: str, given: Any) -> bool:
    """Convert `given`, a Python or NumPy bool, to a Python bool."""
    if type(given).__name__ in ("bool", "bool_"):
        return bool(given)
    raise wrong_type(op, name, f"{name} is {article(given)}; it must be a bool")


def taking_one_dict(run: Callable[P, R]) -> Callable[P, R]:
    """Wrap a method so that its error for inputs passed as keywords shows the correct call."""

    @functools.wraps(run)
    def call(*given: P.args, **named: P.kwargs) -> R:
        if not named.keys() <= {"inputs"}:
            raise wrong_type("run", "inputs", "inputs must be one dict, as in run({...})")
        return run(*given, **named)

    return call

"""Calls that NumPy itself runs, and the reasons, which docs/migrating.md lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REASONS = {
    "elements": "Objects, 0-byte elements, other libraries' arrays, subclasses",
    "refused": "Calls that NumPy rejects itself: bad types, modes or shapes, or read-only arrays",
    "empty": "Calls with an empty result or no updates (NumPy still checks some of the indices)",
    "short": "Up to 65,536 values, which NumPy counts faster",
    "out": "An `out` of a different type or shape: NumPy casts the result or raises an error",
    "broadcast": "An array that is broadcast against its indices, so that an element is written many times",
    "strides": "Writing to overlapping elements, or with strides that are not multiples of the element size (fields of packed records)",
    "types": "Arithmetic on `longdouble`, dates, strings and other types that Strew only moves",
    "wider": "Calls that NumPy computes in a wider type, rounding at each step (1.5 added to integers)",
    "indices": "Indices with a new axis, with a mask and an ellipsis, or without any array (only slices and integers)",
}

_DEFAULTS = {"axis": None, "out": None, "mode": "raise", "weights": None, "minlength": 0}


def to_numpy(reason: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Let NumPy run the call. Omits options with NumPy's default, since libraries to which NumPy passes it may lack them."""
    assert reason in REASONS
    return function(*arguments, **{name: value for name, value in options.items() if value is not _DEFAULTS[name]})

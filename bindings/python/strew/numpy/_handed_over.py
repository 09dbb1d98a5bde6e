"""Calls that NumPy itself runs, and the reasons, which docs/migrating.md lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REASONS = {
    "elements": "Python objects, empty elements, subclasses of `ndarray`, other libraries' arrays",
    "refused": "Calls that NumPy rejects with its own message: types, modes, shapes, read-only arrays",
    "empty": "Calls with an empty result or no updates (NumPy still checks some of the indices)",
    "out": "An `out` of another type or shape, which NumPy casts to or rejects",
    "broadcast": "An array that is broadcast against its indices, so that an element is written many times",
    "strides": "Writing to elements that overlap, or whose strides are no multiples of their size (fields of packed records)",
    "types": "Arithmetic of `longdouble`, dates, strings and other types that Strew only moves",
    "wider": "Calls that NumPy computes in a wider type, rounding at each step (1.5 added to integers)",
    "indices": "Indices without an array of integers: only slices, new axes, masks with an ellipsis, and others",
}


def to_numpy(reason: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run an unchanged call with NumPy's function, for one of REASONS."""
    assert reason in REASONS
    return function(*arguments)

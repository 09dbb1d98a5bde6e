"""Conversion of operands of NumPy's functions for Strew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# NumPy without type annotations, for calls that NumPy runs: its functions accept more than the annotations allow.
numpy: Any = np

# Index rules for each of NumPy's modes, which have names and numbers.
RULES: dict[Any, Any] = {
    "raise": {},
    "wrap": {"out_of_bounds": "wrap"},
    "clip": {"out_of_bounds": "clip", "negative_indices": "out_of_bounds"},
}
RULES |= {number: RULES[name] for number, name in enumerate(("clip", "wrap", "raise"))}


def as_rules(mode: object) -> dict[str, Any] | None:
    """Return the index rules for NumPy's `mode`, or None if it is not a mode."""
    if mode is None:
        return RULES["raise"]
    return RULES.get(mode) if isinstance(mode, str | int) and not isinstance(mode, bool) else None


def is_moved(array: object) -> bool:
    """Return whether `array` is a plain ndarray whose elements Strew can move."""
    if type(array) is not np.ndarray or array.ndim == 64 or array.dtype.itemsize == 0:
        return False
    return not array.dtype.hasobject or isinstance(array.dtype, np.dtypes.StringDType)


def as_written(array: Any) -> Any:
    """Return an array to write to: for a memmap, an ndarray on the same memory."""
    return array.view(np.ndarray) if type(array) is np.memmap else array


def is_foreign(given: object) -> bool:
    """Return whether `given` is an array from another library that overrides NumPy's functions."""
    kind = type(given)
    own = np.ndarray.__array_function__
    return kind is not np.ndarray and getattr(kind, "__array_function__", own) is not own


def as_data(given: ArrayLike) -> NDArray[Any] | None:
    """Return `given` as an array whose elements Strew can move; None if NumPy must run the call."""
    # NumPy returns results of the given class if it has `__array_wrap__`, as ndarray's subclasses and xarray's do.
    if type(given) is not np.ndarray and (is_foreign(given) or hasattr(given, "__array_wrap__")):
        return None
    data = np.asarray(given)
    return data if is_moved(data) else None


def as_places(given: ArrayLike, casting: Literal["safe", "same_kind"] = "same_kind") -> NDArray[Any] | None:
    """Return `given` as indices with the casts of NumPy's functions; None if NumPy rejects them."""
    if is_foreign(given):
        return None
    places = np.asarray(given)
    if places.size == 0 and type(given) is not np.ndarray:
        return places.astype(np.intp)
    if places.dtype == bool:
        return places.view(np.uint8)
    return as_signed(places) if places.dtype.kind in "iu" and np.can_cast(places.dtype, np.intp, casting) else None


def as_signed(places: NDArray[Any]) -> NDArray[Any]:
    """Return indices, with uint64 read as int64. As in NumPy, 2^64 - 1 then means -1, the last position."""
    is_long = places.dtype.kind == "u" and places.itemsize == 8
    return places.view(np.dtype(np.int64).newbyteorder(places.dtype.byteorder)) if is_long else places


def apart(operand: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
    """Return `operand`, or a copy of it if it shares memory with `target`."""
    return operand.copy() if np.may_share_memory(operand, target) else operand


def shapes_in_words(used: tuple[int, ...], given: tuple[int, ...], axis: int | None) -> tuple[str, str]:
    """Return an error's words for the shape that Strew used, and replacements that name the caller's shape."""
    if axis is None and len(given) != 1:
        return f"axis 0 of data with shape {list(used)}", f"the flattened array of shape {list(given)}"
    return f"data with shape {list(used)}", f"data with shape {list(given)}"


def is_about_out(error: Exception) -> bool:
    """Return whether the error is about `out`: its elements overlap, or its strides do not fit the element size."""
    return getattr(error, "operand", None) == "out"

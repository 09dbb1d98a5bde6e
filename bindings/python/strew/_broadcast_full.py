"""Arrays whose elements all share one stored value."""

from __future__ import annotations

import contextlib
import importlib
import operator
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from ._errors import wrong_type, wrong_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

_NAME = "broadcast_full"
# For each `_kind` of an array, the kinds of values that convert to it. `_element` rejects integers that do not fit.
_NUMBERS = {"b": "bi", "i": "bi", "f": "bif", "c": "bifc"}


def broadcast_full(shape: SupportsIndex | Sequence[SupportsIndex], fill_value: Any, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Return an array of the given shape whose elements share one stored value, for example zeros to scatter into.

    Parameters
    ----------
    shape : int or sequence of int
    fill_value : scalar
    dtype : dtype, optional
        The type of the array, by default the type of `fill_value`. For a scatter, pass the type of the updates. Names
        of types of ml_dtypes, such as "bfloat16", are accepted.

    Returns
    -------
    ndarray
        Read-only, with stride 0 along every axis.

    Raises
    ------
    TypeError, ValueError, OverflowError
        If `shape` is not a valid shape, or `fill_value` is not a scalar that `dtype` can hold. Floats are not cast to
        integers.

    Examples
    --------
    >>> import numpy as np, strew
    >>> strew.scatter_nd(strew.broadcast_full((3, 2), 0.0), [[2], [0], [2]], np.ones((3, 2)), "add")
    array([[1., 1.],
           [0., 0.],
           [2., 2.]])
    """
    element = _element(fill_value, dtype)
    if element.ndim > 0:
        raise wrong_value(_NAME, "fill_value", f"fill_value has shape {list(element.shape)}; it must be a scalar")
    try:
        dims = [operator.index(dim) for dim in ([shape] if isinstance(shape, SupportsIndex) else shape)]
    except TypeError:
        raise wrong_type(_NAME, "shape", f"shape is {shape!r}; it must be an int or a sequence of ints") from None
    if any(dim < 0 for dim in dims):
        raise wrong_value(_NAME, "shape", f"shape {dims} has a negative dimension")
    try:
        return np.broadcast_to(element, dims)
    except (ValueError, OverflowError):
        text = f"shape {dims} of type {element.dtype} is too large; an array has at most 64 dimensions and 2^63 - 1 bytes"
        raise wrong_value(_NAME, "shape", text) from None


def _element(value: Any, dtype: DTypeLike | None) -> NDArray[Any]:
    """Convert `value` to `dtype` by the rules for updates, or raise an error."""
    given = np.asarray(value)
    if dtype is None:
        return given.copy()
    wanted = _as_dtype(dtype)
    kinds = _kind(given.dtype), _kind(wanted)
    lossy = kinds[1] in _NUMBERS and kinds[0] not in _NUMBERS[kinds[1]]
    if lossy or (kinds[1] in "US" and kinds[0] != kinds[1]):
        raise wrong_type(_NAME, "fill_value", f"a value of type {given.dtype} cannot be stored in an array of type {wanted}")
    with contextlib.suppress(OverflowError):
        element = np.array(value, wanted)
        same = {"b": int, "i": int, "U": str, "S": bytes}.get(kinds[1])
        if same is None or element.ndim > 0 or same(element[()]) == same(given[()]):
            return element
    raise OverflowError(f"broadcast_full: fill_value is {value!r}, which {wanted} cannot hold")


def _as_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    if isinstance(dtype, str):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module("ml_dtypes")  # registers its names with NumPy
    try:
        return np.dtype(dtype)
    except TypeError as error:
        raise wrong_type(_NAME, "dtype", f"{error}; bfloat16 and similar types need the package ml_dtypes") from None


def _kind(dtype: np.dtype[Any]) -> str:
    """Return NumPy's kind code of a type, but "i" for unsigned integers, and "f" or "i" for types of ml_dtypes."""
    if dtype.kind == "V":
        return "f" if "float" in dtype.name else "i" if "int" in dtype.name else "V"
    return "i" if dtype.kind == "u" else dtype.kind

"""`put` and `put_along_axis`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _strew
from .._errors import in_name_of
from ._operands import RULES, apart, as_places, is_moved, numpy
from ._take import broadcast_off, shape_along

if TYPE_CHECKING:
    from typing import Any, Literal

    from numpy.typing import ArrayLike, NDArray


def put(a: NDArray[Any], ind: ArrayLike, v: ArrayLike, mode: Literal["raise", "wrap", "clip"] = "raise") -> None:
    """Write values to places of the flattened array: `numpy.put`, by `strew.scatter_elements`.

    Parameters
    ----------
    a : ndarray
    ind : array_like of int
    v : array_like
        Values, cast to the type of `a`; begun again where they are fewer than `ind`. Of equal places the last counts.
    mode : {'raise', 'wrap', 'clip'}
        As of `take`.

    Raises
    ------
    IndexError, TypeError, ValueError
        As of `numpy.put`. Nothing was written.

    Examples
    --------
    >>> import numpy as np, strew.numpy as snp
    >>> x = np.arange(5)
    >>> snp.put(x, [0, 9], [-44, -55], mode="clip")
    >>> x
    array([-44,   1,   2,   3, -55])
    """
    places, rules = as_places(ind), RULES.get(mode) if isinstance(mode, str | int) else None
    if not is_moved(a) or a.size == 0 or not a.flags.c_contiguous or not a.flags.writeable or places is None or rules is None:
        numpy.put(a, ind, v, mode)
        return
    values = np.asarray(v, dtype=a.dtype).reshape(-1)
    if values.size == 0 or places.size == 0:
        numpy.put(a, ind, v, mode)
        return
    places = places.reshape(-1)
    if values.size < places.size:
        values = np.broadcast_to(values, places.shape) if values.size == 1 else np.resize(values, places.shape)
    flat = a.reshape(-1)
    updates = apart(values[: places.size], flat)
    try:
        _strew.scatter_elements(flat, apart(places, flat), updates, out=flat, **rules)
    except IndexError as error:
        raise in_name_of(error, "put") from None


def put_along_axis(arr: NDArray[Any], indices: NDArray[Any], values: ArrayLike, axis: int | None) -> None:
    """Write one value for each index, along an axis: `numpy.put_along_axis`, by `strew.scatter_elements`.

    Parameters
    ----------
    arr : ndarray
    indices : ndarray of int
        Of the rank of `arr`; off the axis both are broadcast against each other.
    values : array_like
        Broadcast against `indices` and cast to the type of `arr`. Of equal places the last counts.
    axis : int or None
        The array is flattened where it is None.

    Raises
    ------
    IndexError, TypeError, ValueError
        As of `numpy.put_along_axis`. Nothing was written.

    Examples
    --------
    >>> import numpy as np, strew.numpy as snp
    >>> x = np.array([[10, 30, 20], [60, 40, 50]])
    >>> snp.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 99, axis=1)
    >>> x
    array([[10, 99, 20],
           [99, 40, 50]])
    """
    if not is_moved(arr) or type(indices) is not np.ndarray or indices.dtype.kind not in "iu":
        numpy.put_along_axis(arr, indices, values, axis)
        return
    data = arr
    if axis is None:
        if not arr.flags.c_contiguous or indices.ndim != 1:
            numpy.put_along_axis(arr, indices, values, axis)
            return
        data, at = arr.reshape(-1), 0
    else:
        at = normalize_axis_index(axis, arr.ndim)
    shape = shape_along(data.shape, indices.shape, at)
    updates = np.asarray(values)
    # An element that is broadcast is written many times, as NumPy does.
    if shape is None or 0 in updates.shape or broadcast_off(data, shape, at) is not data:
        numpy.put_along_axis(arr, indices, values, axis)
        return
    places = broadcast_off(indices, shape, at)
    if updates.ndim > places.ndim or not _can_broadcast(updates.shape, places.shape):
        numpy.put_along_axis(arr, indices, values, axis)
        return
    updates = np.broadcast_to(np.asarray(values, dtype=arr.dtype), places.shape)
    try:
        _strew.scatter_elements(data, apart(places, data), apart(updates, data), at, out=data)
    except IndexError as error:
        raise in_name_of(error, "put_along_axis") from None
    except ValueError:  # as in at: an array that Strew does not write to
        numpy.put_along_axis(arr, indices, values, axis)


def _can_broadcast(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return all(n in (1, m) for n, m in zip(shape[::-1], to[::-1], strict=False))

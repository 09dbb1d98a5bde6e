"""NumPy's `put` and `put_along_axis`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _strew
from .._errors import in_name_of, wrong_type
from ._handed_over import to_numpy
from ._operands import apart, as_places, as_rules, as_signed, as_written, is_about_out, is_foreign, is_moved, numpy, shapes_in_words
from ._take import broadcast_off, shape_along

if TYPE_CHECKING:
    from typing import Any, Literal

    from numpy.typing import ArrayLike, NDArray


def put(a: NDArray[Any], ind: ArrayLike, v: ArrayLike, mode: Literal["raise", "wrap", "clip"] = "raise") -> None:
    """Write values to positions of the flattened array: `numpy.put`, using `strew.scatter_elements`.

    Parameters
    ----------
    a : ndarray
    ind : array_like of int
    v : array_like
        Values, cast to the type of `a`; repeated if there are fewer values than indices. If a position is
        repeated, the last value is written.
    mode : {'raise', 'wrap', 'clip'}
        As for `take`.

    Raises
    ------
    IndexError, TypeError, ValueError
        As for `numpy.put`, before anything is written, except in calls that NumPy itself runs.

    Examples
    --------
    >>> import numpy as np, strew.numpy as snp
    >>> x = np.arange(5)
    >>> snp.put(x, [0, 9], [-44, -55], mode="clip")
    >>> x
    array([-44,   1,   2,   3, -55])
    """
    a = as_written(a)
    places, rules = as_places(ind, "safe"), as_rules(mode)
    call = numpy.put, a, ind, v, mode
    if not is_moved(a) or is_foreign(ind):
        _reject_dask("put", a)
        return to_numpy("elements", numpy.put, a, ind, v, mode=mode)
    if places is None or rules is None or not a.flags.writeable:
        return to_numpy("refused", *call)
    values = np.asarray(v, dtype=a.dtype).reshape(-1) if a.size else places
    if 0 in (a.size, values.size, places.size):
        return to_numpy("empty", *call)
    places = places.reshape(-1)
    if values.size < places.size:
        values = np.broadcast_to(values, places.shape) if values.size == 1 else np.resize(values, places.shape)
    try:
        # A non-contiguous array is copied, as in NumPy.
        whole = a if a.flags.c_contiguous else _strew.gather(a, np.arange(len(a)))
        flat = whole.reshape(-1)
        _strew.scatter_elements(flat, apart(places, flat), apart(values[: places.size], flat), out=flat, **rules)
    except (IndexError, MemoryError, ValueError) as error:
        raise in_name_of(error, "put", *shapes_in_words((a.size,), a.shape, None)) from None
    if whole is not a:
        a[...] = whole


def put_along_axis(arr: NDArray[Any], indices: NDArray[Any], values: ArrayLike, axis: int | None) -> None:
    """Write one value for each index, along an axis: `numpy.put_along_axis`, using `strew.scatter_elements`.

    Parameters
    ----------
    arr : ndarray
    indices : ndarray of int
        The rank is that of `arr`. Except along the axis, `arr` and `indices` are broadcast against each other.
    values : array_like
        Broadcast against `indices` and cast to the type of `arr`. If a position is repeated, the last value is written.
    axis : int or None
        None flattens the array.

    Raises
    ------
    IndexError, TypeError, ValueError
        As for `numpy.put_along_axis`, before anything is written.

    Examples
    --------
    >>> import numpy as np, strew.numpy as snp
    >>> x = np.array([[10, 30, 20], [60, 40, 50]])
    >>> snp.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 99, axis=1)
    >>> x
    array([[10, 99, 20],
           [99, 40, 50]])
    """
    arr = as_written(arr)
    call = numpy.put_along_axis, arr, indices, values, axis
    if not is_moved(arr) or is_foreign(indices):
        _reject_dask("put_along_axis", arr)
        return to_numpy("elements", *call)
    if not isinstance(indices, np.ndarray) or indices.dtype.kind not in "iu" or not arr.flags.writeable:
        return to_numpy("refused", *call)
    if axis is None and not arr.flags.c_contiguous:
        return to_numpy("refused", *call)
    at = 0 if axis is None else normalize_axis_index(axis, arr.ndim)
    shape = shape_along((arr.size,) if axis is None else arr.shape, indices.shape, at)
    updates = np.asarray(values)
    if shape is None:
        return to_numpy("refused", *call)
    data = arr.reshape(-1) if axis is None else arr
    if broadcast_off(data, shape, at) is not data:
        return to_numpy("broadcast", *call)
    places = broadcast_off(as_signed(np.asarray(indices)), shape, at)
    if updates.ndim > places.ndim or not _can_broadcast(updates.shape, places.shape):
        return to_numpy("refused", *call)
    if 0 in updates.shape:
        return to_numpy("empty", *call)
    kept: Any = apart(places, data)
    if not isinstance(values, np.ndarray) or not np.can_cast(updates.dtype, arr.dtype, "same_kind"):
        updates = np.asarray(values, dtype=arr.dtype)  # raises NumPy's own errors
    try:
        if updates.dtype != arr.dtype:
            # Checks indices before the slow cast. The cast cannot fail, so the error is the same as after it.
            stand_in = np.broadcast_to(np.zeros((), arr.dtype), places.shape)
            kept = _strew._check_indices(_strew.scatter_elements, (data, kept, stand_in, at), {})
            updates = updates.astype(arr.dtype)
        updates = np.broadcast_to(updates, places.shape)
        _strew.scatter_elements(data, kept, apart(updates, data), at, out=data)
    except (IndexError, MemoryError, ValueError) as error:
        if not is_about_out(error):
            raise in_name_of(error, "put_along_axis", *shapes_in_words(data.shape, arr.shape, axis)) from None
        to_numpy("strides", *call)


def _reject_dask(name: str, array: Any) -> None:
    """Raise TypeError if the output is a Dask array, which NumPy would silently leave unchanged."""
    if getattr(array, "__dask_graph__", lambda: None)() is not None:
        raise wrong_type(name, None, "a Dask array cannot be changed; strew.dask.scatter_elements returns a new one")


def _can_broadcast(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return all(n in (1, m) for n, m in zip(shape[::-1], to[::-1], strict=False))

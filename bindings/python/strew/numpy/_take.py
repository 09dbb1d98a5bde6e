"""NumPy's `take` and `take_along_axis`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _strew
from .._errors import in_name_of
from ._handed_over import to_numpy
from ._operands import as_data, as_places, as_rules, as_signed, is_about_out, is_foreign, is_moved, numpy, shapes_in_words

if TYPE_CHECKING:
    from typing import Any, Literal

    from numpy.typing import ArrayLike, NDArray


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: NDArray[Any] | None = None,
    mode: Literal["raise", "wrap", "clip"] = "raise",
) -> Any:
    """Return elements or rows along an axis: `numpy.take`, using `strew.gather`.

    Parameters
    ----------
    a : array_like
    indices : array_like of int
    axis : int, optional
        None flattens the array.
    out : ndarray, optional
        Array of the result's shape, to which the result is written.
    mode : {'raise', 'wrap', 'clip'}
        Rule for an index outside the axis: ``'raise'`` raises an error, ``'wrap'`` takes the index modulo the length of
        the axis, and ``'clip'`` takes the first or last position. With ``'clip'``, negative indices are outside the
        axis.

    Returns
    -------
    ndarray or scalar
        As returned by `numpy.take`.

    Raises
    ------
    IndexError, TypeError, ValueError
        As for `numpy.take`, before anything is written.

    Examples
    --------
    >>> import strew.numpy as snp
    >>> snp.take([4, 3, 5, 7], [[0, 1], [2, 5]], mode="wrap")
    array([[4, 3],
           [5, 3]])
    """
    has_take = type(a) is not np.ndarray and hasattr(a, "take")  # NumPy calls the object's own `take`
    data, places, rules = None if has_take else as_data(a), as_places(indices), as_rules(mode)
    call = numpy.take, a, indices, axis, out, mode
    if data is None or is_foreign(indices):
        return to_numpy("elements", numpy.take, a, indices, axis=axis, out=out, mode=mode)
    if places is None or rules is None or isinstance(axis, bool):
        return to_numpy("refused", *call)
    data = data.reshape(-1) if axis is None or data.ndim == 0 else data
    at = normalize_axis_index(0 if axis is None else axis, data.ndim)
    shape = data.shape[:at] + places.shape + data.shape[at + 1 :]
    if out is not None and (not is_moved(out) or out.dtype != data.dtype or out.shape != shape):
        return to_numpy("out", *call)
    if 0 in shape and not rules:
        return to_numpy("empty", *call)
    if 0 in shape:  # no position is needed, and NumPy's wrap would loop forever on an empty axis
        return np.empty(shape, data.dtype) if out is None else out
    try:
        if out is None:
            taken = _strew.gather(data, places, at, **rules)
            return taken if shape else taken[()]
        if not (np.may_share_memory(out, data) or np.may_share_memory(out, places)):
            try:
                return _strew.gather(data, places, at, out, **rules)
            except ValueError as error:
                if not is_about_out(error):
                    raise
        # As in NumPy, overlapping elements of `out` are written in order.
        out[...] = _strew.gather(data, places, at, **rules)
        return out
    except (IndexError, MemoryError, ValueError) as error:
        raise in_name_of(error, "take", *shapes_in_words(data.shape, np.shape(a), axis)) from None


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> Any:
    """Return one element per index, along an axis: `numpy.take_along_axis`, using `strew.gather_elements`.

    Parameters
    ----------
    arr : array_like
    indices : array_like of int
        The rank is that of `arr`. Except along the axis, `arr` and `indices` are broadcast against each other.
    axis : int or None, default -1
        None flattens the array.

    Returns
    -------
    ndarray
        As returned by `numpy.take_along_axis`.

    Raises
    ------
    IndexError, ValueError
        As for `numpy.take_along_axis`.

    Examples
    --------
    >>> import numpy as np, strew.numpy as snp
    >>> x = np.array([[10, 30, 20], [60, 40, 50]])
    >>> snp.take_along_axis(x, np.argsort(x, axis=1), axis=1)
    array([[10, 20, 30],
           [40, 50, 60]])
    """
    data, call = as_data(arr), (numpy.take_along_axis, arr, indices, axis)
    if data is None or is_foreign(indices):
        return to_numpy("elements", *call)
    if not isinstance(indices, np.ndarray) or indices.dtype.kind not in "iu":
        return to_numpy("refused", *call)
    data = data.reshape(-1) if axis is None else data
    at = normalize_axis_index(0 if axis is None else axis, data.ndim)
    shape = shape_along(data.shape, indices.shape, at)
    if shape is None:
        return to_numpy("refused", *call)
    used = broadcast_off(data, shape, at)
    try:
        return _strew.gather_elements(used, broadcast_off(as_signed(np.asarray(indices)), shape, at), at)
    except (IndexError, MemoryError, ValueError) as error:
        raise in_name_of(error, "take_along_axis", *shapes_in_words(used.shape, np.shape(arr), axis)) from None


def shape_along(shape: tuple[int, ...], places: tuple[int, ...], axis: int) -> tuple[int, ...] | None:
    """Return the broadcast shape, with -1 for the axis, or None for shapes that do not match (NumPy rejects them)."""
    if len(shape) != len(places):
        return None
    off = [(n, m) for at, (n, m) in enumerate(zip(shape, places, strict=True)) if at != axis]
    if any(n != m and 1 not in (n, m) for n, m in off):
        return None
    both = [m if n == 1 else n for n, m in off]
    return (*both[:axis], -1, *both[axis:])


def broadcast_off(array: NDArray[Any], shape: tuple[int, ...], axis: int) -> NDArray[Any]:
    """Return `array` broadcast to the shape, except along the axis."""
    wanted = (*shape[:axis], array.shape[axis], *shape[axis + 1 :])
    return array if array.shape == wanted else np.broadcast_to(array, wanted)

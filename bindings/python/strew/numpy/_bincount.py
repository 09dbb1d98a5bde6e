"""NumPy's `bincount`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _strew
from .._broadcast_full import broadcast_full
from .._errors import in_name_of
from ._handed_over import to_numpy
from ._operands import as_places, is_foreign, numpy

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from numpy.typing import ArrayLike, NDArray


_FEW = 2048  # number of bins into which `_few` counts without searching for the highest value
_SHORT = 1 << 16  # number of values up to which NumPy is faster
_MOST = np.iinfo(np.intp).max // 16  # the largest number of bins that an array can have


def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: SupportsIndex = 0) -> NDArray[Any]:
    """Return the number of occurrences of each integer in an array: `numpy.bincount`, using `strew.scatter_elements`.

    Parameters
    ----------
    x : array_like of int, of rank 1
    weights : array_like, optional
        One weight per value, cast to float64 and summed in order.
    minlength : int, default 0
        Minimum number of bins of the result.

    Returns
    -------
    ndarray
        ``max(x.max() + 1, minlength)`` integers, or float64 with weights.

    Raises
    ------
    ValueError, TypeError
        As for `numpy.bincount`.

    Examples
    --------
    >>> import strew.numpy as snp
    >>> snp.bincount([0, 1, 1, 3], minlength=6)
    array([1, 2, 0, 1, 0, 0])
    """
    places = as_places(x)
    is_index = hasattr(type(minlength), "__index__") and not isinstance(minlength, bool)
    call = numpy.bincount, x, weights, minlength
    if is_foreign(x) or is_foreign(weights):
        return to_numpy("elements", numpy.bincount, x, weights=weights, minlength=minlength)
    if places is None or places.ndim != 1 or not is_index:
        return to_numpy("refused", *call)
    if places.size <= _SHORT:
        return to_numpy("short", numpy.bincount, places, weights, minlength)
    added: Any = 1
    if weights is not None:
        added = np.asarray(weights)
        if added.shape != places.shape or not np.can_cast(added.dtype, np.float64):
            return to_numpy("refused", *call)
        added = added.astype(np.float64, copy=False)
    least = minlength.__index__()
    if weights is None and 0 <= least <= _FEW:
        counts = _few(places)
        if counts is not None:
            return counts[: max(int(counts.nonzero()[0][-1]) + 1, least)].copy()
    unsigned = np.dtype(f"u{places.itemsize}").newbyteorder(places.dtype.byteorder)
    highest = int(places.view(unsigned).max())  # negative values, read as unsigned, exceed all others
    if highest > np.iinfo(places.dtype).max or least < 0 or max(highest, least) > _MOST:
        return to_numpy("refused", *call)
    bins = broadcast_full(max(highest + 1, least), 0, np.intp if weights is None else np.float64)
    try:
        return _strew.scatter_elements(bins, places, added, reduction="add")
    except MemoryError as error:
        raise in_name_of(error, "bincount") from None


def _few(places: NDArray[Any]) -> NDArray[Any] | None:
    """Return the counts in `_FEW` bins, or None if a sample or the counting shows that more bins are needed."""
    if not 0 <= int(places[:: places.size // 64].max()) < _FEW // 2:
        return None
    try:
        return _strew.scatter_elements(broadcast_full(_FEW, 0, np.intp), places, 1, reduction="add", negative_indices="out_of_bounds")
    except IndexError:
        return None

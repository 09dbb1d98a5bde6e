"""`bincount`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _strew
from .._full import full
from ._operands import as_places, numpy

if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from numpy.typing import ArrayLike, NDArray


def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: SupportsIndex = 0) -> NDArray[Any]:
    """Count each value of an array of integers of 0 or more: `numpy.bincount`, by `strew.scatter_elements`.

    Parameters
    ----------
    x : array_like of int, of rank 1
    weights : array_like, optional
        As many, cast to float64 and added up in order.
    minlength : int, default 0
        The result has at least so many bins.

    Returns
    -------
    ndarray
        Of ``max(x.max() + 1, minlength)`` integers, or float64 with weights.

    Raises
    ------
    ValueError, TypeError
        As of `numpy.bincount`.

    Examples
    --------
    >>> import strew.numpy as snp
    >>> snp.bincount([0, 1, 1, 3], minlength=6)
    array([1, 2, 0, 1, 0, 0])
    """
    places = as_places(x)
    if places is None or places.ndim != 1 or places.size == 0 or not hasattr(type(minlength), "__index__"):
        return numpy.bincount(x, weights, minlength)
    added: Any = 1
    if weights is not None:
        added = np.asarray(weights)
        if added.shape != places.shape or not np.can_cast(added.dtype, np.float64):
            return numpy.bincount(x, weights, minlength)
        added = added.astype(np.float64, copy=False)
    unsigned = np.dtype(f"u{places.itemsize}").newbyteorder(places.dtype.byteorder)
    highest = int(places.view(unsigned).max())  # a negative one is higher than any other
    least = minlength.__index__()
    if highest > np.iinfo(places.dtype).max or isinstance(minlength, bool) or not 0 <= least <= np.iinfo(np.intp).max:
        return numpy.bincount(x, weights, minlength)
    bins = full(max(highest + 1, least), 0, np.intp if weights is None else np.float64)
    return _strew.scatter_elements(bins, places, added, reduction="add")

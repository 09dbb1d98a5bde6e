"""Indices that are checked once, for many calls."""

from collections.abc import Callable
from typing import Any

from . import _strew
from ._errors import wrong_type
from ._explain import _OPERATORS


def check_indices(function: Callable[..., Any], *operands: Any, **attributes: Any) -> _strew.CheckedIndices:
    """Check the indices of a call once, and return them for later calls. Nothing is written.

    Pass the result in place of the indices in later calls. A call does not check them again if the rules for index
    values are the same and the data have the same extents along the indexed axes. Rows may have another length and
    type, and the operator may differ: checked edges of a graph serve its gathers and its scatters.

    On a CUDA device the result also keeps, in device memory, what the strategy derives from the indices: destinations
    and, for scatters, the last position of each destination or the positions sorted by destination. Later calls then
    only move or combine elements.

    Do not change the index values afterwards: later calls in CPU memory would give wrong results, though they would
    access no memory outside the operands. Calls on a device use the original values.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`; not `strew.tensor_scatter`, whose few indices are always checked.
    *operands, **attributes
        Arguments of the call; `out` is ignored. On a device the reduction decides what the result keeps.

    Returns
    -------
    CheckedIndices
        Keeps the indices alive.

    Raises
    ------
    TypeError
        If `function` is not an operator with indices.
    Exception
        The errors that the call raises before it moves elements, such as IndexError.

    Examples
    --------
    >>> import numpy as np, strew
    >>> edges = strew.check_indices(strew.scatter_elements, np.zeros(3), [0, 2, 0], np.ones(3), reduction="add")
    >>> strew.scatter_elements(np.zeros(3), edges, [1.0, 2.0, 3.0], reduction="add")
    array([4., 0., 2.])
    >>> strew.gather_elements(np.array([5, 6, 7]), edges)
    array([5, 7, 5])
    >>> strew.check_indices(strew.gather, np.zeros(3), [3])
    Traceback (most recent call last):
    IndexError: gather: indices[0] = 3 is outside [-3, 2] for axis 0 of data with shape [3]
    """
    if not any(function is one for one in _OPERATORS) or function is _strew.tensor_scatter:
        text = f"{function!r} is none of the operators with indices that can be kept; give a function such as strew.scatter_nd"
        raise wrong_type("check_indices", "function", text)
    return _strew._check_indices(function, operands, attributes)

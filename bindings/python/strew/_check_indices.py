"""Indices that are checked once, for many calls."""

from collections.abc import Callable
from typing import Any

from . import _strew
from ._errors import refusal
from ._explain import _OPERATORS


def check_indices(function: Callable[..., Any], *operands: Any, **attributes: Any) -> _strew.CheckedIndices:
    """Check the indices of a call once, and keep what is known of them for later calls. Nothing is written.

    The result takes the place of the indices in every later call. Where what is known of them applies, a call does not
    check them again: with the same rules for index values, and data of the same extents along the axes that are
    addressed. Rows may have another length and type, and the operator may be another: what was kept of the edges of a
    graph serves its gathers and its scatters. Anywhere else the call checks them itself.

    On a CUDA device it also keeps, in memory that CUDA gives, what is made of indices there: the places that they
    address and, for scatters, who wins each place, or the positions sorted by place. Later calls then only move or
    fold.

    The values must not change meanwhile. If they do, results in CPU memory are wrong, though no access is outside the
    operands; on a device calls that use what was kept do as with the values of then.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`; not `strew.tensor_scatter`, whose few indices are always checked.
    *operands, **attributes
        What it would be called with. On a device the reduction decides what is kept.

    Returns
    -------
    CheckedIndices
        It keeps the indices alive.

    Raises
    ------
    TypeError
        If `function` is none of the operators with indices.
    Exception
        What the call would raise before it moves anything: IndexError for an index outside its axis. `out` is not
        looked at.

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
        raise refusal(
            TypeError,
            "invalid type",
            f"{function!r} is none of the operators with indices that can be kept; "
            "give a function such as strew.scatter_nd",
            operator="check_indices",
            operand="function",
        )
    return _strew._check_indices(function, operands, attributes)

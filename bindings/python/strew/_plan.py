"""Plans of repeated calls."""

from collections.abc import Callable
from typing import Any

from . import _strew


def plan(function: Callable[..., Any], *operands: Any, **attributes: Any) -> _strew.Plan:
    """Check the types, shapes and attributes of a call once, and return a plan for many runs (experimental).

    For small dense ndarrays, `run` takes less than half the time of a call of the operator. For other arrays, it takes
    as long as the call.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`.
    *operands, **attributes
        Arguments of the call, except `out`, which `run` accepts. Index values are not read.

    Returns
    -------
    Plan
        Its ``run(*operands, out=None)`` makes the call. A plan keeps the attributes and no operands.

    Raises
    ------
    TypeError
        If `function` is not an operator.
    Exception
        The errors of the call about types, shapes and attributes.

    Examples
    --------
    >>> import numpy as np, strew
    >>> rows = strew.plan(strew.gather, np.zeros((3, 2)), np.array([0, 0]))
    >>> rows
    Plan(gather: data float64 [3, 2], indices int64 [2])
    >>> rows.run(np.arange(6.0).reshape(3, 2), np.array([2, 0]))
    array([[4., 5.],
           [0., 1.]])
    >>> rows.run(np.zeros((4, 2)), np.array([2, 0]))
    Traceback (most recent call last):
    ValueError: gather: data is float64 [4, 2]; the plan is for float64 [3, 2]
    """
    return _strew._plan(function, operands, attributes)

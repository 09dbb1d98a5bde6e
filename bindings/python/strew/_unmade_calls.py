"""Functions that explain or plan a call, or check its indices, without running it."""

import re
from collections.abc import Callable
from typing import Any

from . import _strew
from ._arguments import article
from ._errors import wrong_type


class Explanation(dict[str, Any]):
    """Result of `explain`: a dict that prints as lines of text."""

    def __repr__(self) -> str:
        if "device" in self:
            lines = [
                self["call"],
                f"{self['strategy']} on {self['device']}: {self['reason']}",
                f"  scratch memory: {self['scratch_bytes']:,} bytes",
                *["  indices: already checked"] * self["uses_checked_indices"],
                *(f"  not {one}" for one in self["considered"]),
            ]
            return "\n".join(lines)
        indices = self["indices"]
        positions = f"{self['prefetch_distance']} positions" if self["prefetch_distance"] else "none"
        distance = "one part of data" if self["prefetch_blocks"] else positions
        constant = ", constant along the last axis of indices" if indices["constant_rows"] else ""
        seen = f"{indices['lowest']} to {indices['highest']}{constant}"
        lines = [
            self["call"],
            f"{self['strategy']}: {self['reason']}",
            f"  tasks: {self['tasks']}; scratch memory: {self['scratch_bytes']:,} bytes; index values: {seen}",
            f"  prefetch distance: {distance}; index values prefetched: {_SAID[self['prefetch_indices']]}",
            *_rules(indices),
            f"  non-temporal stores: {_SAID[self['non_temporal_stores']]}; indices read once: {_SAID[self['reads_once']]}",
        ]
        if self["considered"]:
            lines.append("  considered, with bytes of scratch memory and expected microseconds:")
        for one in self["considered"]:
            mark = "*" if one["strategy"] == self["strategy"] else " "
            cost = f"{one['scratch_bytes']:>14,} {one['nanoseconds'] / 1e3:>12,.1f}" if one["applies"] else f"{'-':>14} {'-':>12}"
            lines.append(f"  {mark} {one['strategy']:<15} {cost}  {one['reason']}")
        return "\n".join(lines)


_SAID = {False: "no", True: "yes"}
_STANDS_FOR = {"clip": "clipped", "wrap": "wrapped", "fill": "filled", "drop": "dropped", "error": "rejected"}


def _rules(indices: dict[str, Any]) -> list[str]:
    rule, negative = indices["out_of_bounds"], indices["negative_indices"]
    if (rule, negative) == ("error", "from_end"):
        return []
    seen = "some" if indices["any_out_of_bounds"] else "none"
    counted = ", including negative ones" if negative == "out_of_bounds" else ""
    return [f"  index values out of bounds{counted}: {_STANDS_FOR[rule]}; {seen} found"]


_OPERATORS = [getattr(_strew, name) for name in _strew.__all__]


def explain(function: Callable[..., Any], *operands: Any, **attributes: Any) -> Explanation:
    """Return how a call of one of the operators would run, and why, without running it.

    Without ``out=``, an output is allocated, as in the call.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`.
    *operands, **attributes
        Arguments of the call.

    Returns
    -------
    Explanation
        A dict that prints as lines of text. Its texts and keys may change between versions:

        - ``call``: the operands, and the parameters that differ from their defaults
        - ``strategy``, ``reason``, ``tasks``: the strategy, the reason for it, and its number of tasks
        - ``scratch_bytes``: size of the call's scratch memory
        - ``prefetch_distance``: in positions; ``prefetch_blocks``: whether data are prefetched in parts instead of rows
        - ``prefetch_indices``: whether the next index values are prefetched
        - ``non_temporal_stores``: whether stores bypass the caches; ``reads_once``: whether indices are read only once
        - ``indices``: statistics of the index values, and the rules for them
        - ``considered``: each strategy, the reason for or against it, and estimates of its time and its processor time
        - on a CUDA device also ``device`` and ``uses_checked_indices``, and nothing about tasks, prefetching or stores

    Raises
    ------
    TypeError
        If `function` is not an operator.
    Exception
        The errors of the call.

    Examples
    --------
    >>> import strew
    >>> strew.explain(strew.gather, [5.0, 6.0, 7.0], [2, 0])["reason"]
    'a call this small runs at once, without a choice of strategy'
    >>> strew.explain(strew.gather, [5.0, 6.0, 7.0], [2, 0])
    gather: float64 [3], indices int64 [2]
    serial: a call this small runs at once, without a choice of strategy
      tasks: 1; scratch memory: 0 bytes; index values: 0 to 2
      prefetch distance: none; index values prefetched: no
      non-temporal stores: no; indices read once: no
    >>> strew.explain(strew.gather, [5.0, 6.0, 7.0], [2, 3], out_of_bounds="clip")["indices"]["any_out_of_bounds"]
    True
    """
    if not any(function is one for one in _OPERATORS):
        raise no_operator("explain", function)
    return Explanation(_strew._explain(function, operands, attributes))


def no_operator(caller: str, function: Any) -> TypeError:
    """Return the error of `explain` or `picture` for an object that is not the function of an operator."""
    name = getattr(function, "__qualname__", None) or article(function)
    text = f"{name} is not one of the operators; pass a function such as strew.scatter_nd, and its arguments"
    used = re.search(r", using `(strew\.\w+)`", str(getattr(function, "__doc__", "")))  # in docstrings of strew.numpy
    if (getattr(function, "__module__", None) or "").startswith("strew.dask"):
        text = f"strew.dask.{name} runs chunk by chunk when its result is computed; pass strew.{name} and one chunk"
    elif used:
        text = f"{name} runs {used[1]}; pass that function and its arguments"
    return wrong_type(caller, "function", text)


def check_indices(function: Callable[..., Any], *operands: Any, **attributes: Any) -> _strew.CheckedIndices:
    """Check the indices of a call once, and return them for later calls. Nothing is written.

    Pass the result instead of the indices in later calls. A later call does not check them again if it has the same
    rules for index values, and data of the same extents along the indexed axes. The length and type of rows may differ,
    and so may the operator: a graph's checked edges can be used in both gathers and scatters.

    On a CUDA device, the result also stores, in device memory, data derived from the indices: the addressed locations
    and, for scatters, the position of each destination's last update or the positions sorted by destination. Later
    calls then only move or combine elements.

    Do not change the index values afterwards: later calls in CPU memory would give wrong results, but would not
    access memory outside the operands. Calls on a device use the original values.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`; not `strew.tensor_scatter`, whose few indices are always checked.
    *operands, **attributes
        Arguments of the call; `out` is ignored. On a device, the reduction determines what the result stores.

    Returns
    -------
    CheckedIndices
        An object that keeps the indices alive.

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
        text = f"{function!r} is not an operator whose indices can be checked in advance; pass one such as strew.scatter_nd"
        raise wrong_type("check_indices", "function", text)
    return _strew._check_indices(function, operands, attributes)


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
        Its ``run(*operands, out=None)`` runs the call. A plan stores the attributes but no operands.

    Raises
    ------
    TypeError
        If `function` is not an operator.
    Exception
        The errors that the call raises for its types, shapes and attributes.

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

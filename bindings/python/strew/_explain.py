"""Explanations of calls."""

from collections.abc import Callable
from typing import Any

from . import _strew
from ._errors import wrong_type


class Explanation(dict[str, Any]):
    """Result of `explain`: a dict that prints as lines."""

    def __repr__(self) -> str:
        if "device" in self:
            lines = [
                self["call"],
                f"{self['strategy']} on {self['device']}: {self['reason']}",
                f"  scratch memory: {self['scratch_bytes']:,} bytes",
                *["  indices: checked before"] * self["uses_checked_indices"],
                *(f"  not {one}" for one in self["considered"]),
            ]
            return "\n".join(lines)
        indices = self["indices"]
        positions = f"{self['prefetch_distance']} positions" if self["prefetch_distance"] else "none"
        distance = "one part of data" if self["prefetch_blocks"] else positions
        seen = f"{indices['lowest']} to {indices['highest']}" + (", the same along rows" * indices["constant_rows"])
        lines = [
            self["call"],
            f"{self['strategy']}: {self['reason']}",
            f"  tasks: {self['tasks']}; scratch memory: {self['scratch_bytes']:,} bytes; index values: {seen}",
            f"  prefetch distance: {distance}; index values prefetched: {_said(self['prefetch_indices'])}",
            *_rules(indices),
            f"  non-temporal stores: {_said(self['non_temporal_stores'])}; indices read once: {_said(self['reads_once'])}",
        ]
        if self["considered"]:
            lines.append("  considered, with the scratch memory that it needs, and microseconds that were expected:")
        for one in self["considered"]:
            mark = "*" if one["strategy"] == self["strategy"] else " "
            lines.append(f"  {mark} {one['strategy']:<15} {one['scratch_bytes']:>14,} {one['nanoseconds'] / 1e3:>12,.1f}  {one['reason']}")
        return "\n".join(lines)


_STANDS_FOR = {"clip": "clipped", "wrap": "wrapped", "fill": "filled", "drop": "dropped", "error": "refused"}


def _rules(indices: dict[str, Any]) -> list[str]:
    rule, negative = indices["out_of_bounds"], indices["negative_indices"]
    if (rule, negative) == ("error", "from_end"):
        return []
    seen = "some are" if indices["any_out_of_bounds"] else "none is"
    counted = ", where negative ones are" if negative == "out_of_bounds" else ""
    return [f"  index values outside their axis{counted}: {_STANDS_FOR[rule]}; {seen}"]


def _said(fact: bool) -> str:
    return "yes" if fact else "no"


_OPERATORS = [getattr(_strew, name) for name in _strew.__all__]


def explain(function: Callable[..., Any], *operands: Any, **attributes: Any) -> Explanation:
    """Return how a call of one of the operators would run, and why, without making the call.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`.
    *operands, **attributes
        Arguments of the call.

    Returns
    -------
    Explanation
        A dict that prints as lines. Its texts and keys may change with the version:

        - ``call``: the operands, and the parameters that differ from their defaults
        - ``strategy``, ``reason``, ``tasks``: the strategy, the reason for it, and its number of tasks
        - ``scratch_bytes``: memory besides the output; without ``out=`` `explain` allocates an output, as the call does
        - ``prefetch_distance`` in positions; ``prefetch_blocks``, ``prefetch_indices``: whether these are prefetched
        - ``non_temporal_stores``: whether stores bypass the caches; ``reads_once``: whether indices are read only once
        - ``indices``: statistics of the index values, and their rules
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
    'so small a call is done at once, without a choice'
    >>> strew.explain(strew.gather, [5.0, 6.0, 7.0], [2, 0])
    gather: float64 [3], indices int64 [2]
    serial: so small a call is done at once, without a choice
      tasks: 1; scratch memory: 0 bytes; index values: 0 to 2
      prefetch distance: none; index values prefetched: no
      non-temporal stores: no; indices read once: no
    >>> strew.explain(strew.gather, [5.0, 6.0, 7.0], [2, 3], out_of_bounds="clip")["indices"]["any_out_of_bounds"]
    True
    """
    if not any(function is one for one in _OPERATORS):
        if getattr(function, "__module__", "").startswith("strew.dask"):
            name = function.__name__
            text = f"what strew.dask.{name} does is done chunk by chunk when it is computed; explain a call of strew.{name} on one chunk"
        else:
            text = f"{function!r} is none of the operators; give a function such as strew.scatter_nd"
        raise wrong_type("explain", "function", text)
    return Explanation(_strew._explain(function, operands, attributes))

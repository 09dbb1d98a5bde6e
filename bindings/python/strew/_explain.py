"""What a call would do, and why."""

from collections.abc import Callable
from typing import Any

from . import _strew


class Explanation(dict[str, Any]):
    """What `explain` says: a dict that is shown as lines."""

    def __repr__(self) -> str:
        indices = self["indices"]
        seen = f"{indices['lowest']} to {indices['highest']}" + (", the same along rows" * indices["constant_rows"])
        lines = [
            f"{self['strategy']}: {self['reason']}",
            f"  tasks: {self['tasks']}; scratch memory: {self['scratch_bytes']:,} bytes; index values: {seen}",
            "  asked for ahead: " + (", ".join(what for key, what in _AHEAD.items() if self[key]) or "nothing"),
            f"  output written past the caches: {_said(self['streams'])}; indices read once: {_said(self['reads_once'])}",
        ]
        if self["considered"]:
            lines.append("  considered, with the scratch memory that it needs:")
        for one in self["considered"]:
            mark = "*" if one["strategy"] == self["strategy"] else " "
            lines.append(f"  {mark} {one['strategy']:<15} {one['scratch_bytes']:>14,}  {one['reason']}")
        return "\n".join(lines)


_AHEAD = {
    "prefetch_ahead": "elements, position by position",
    "prefetch_parts": "parts of data",
    "prefetch_indices": "indices",
}


def _said(fact: bool) -> str:
    return "yes" if fact else "no"

_OPERATORS = (
    _strew.gather,
    _strew.gather_elements,
    _strew.gather_nd,
    _strew.scatter_elements,
    _strew.scatter_nd,
    _strew.tensor_scatter,
)


def explain(function: Callable[..., Any], *operands: Any, **attributes: Any) -> Explanation:
    """Say how a call of one of the operators would be done, and why not otherwise. Nothing is written.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`.
    *operands, **attributes
        What it would be called with.

    Returns
    -------
    Explanation
        A dict, shown as lines: ``strategy`` and its ``reason``; ``tasks``, among which the work is divided; ``scratch_bytes``, memory that it
        works in; ``prefetch_ahead``, ``prefetch_parts`` and ``prefetch_indices``, what is asked for ahead of its use;
        ``streams``, whether the output is written past the caches; ``reads_once``, whether index values are checked
        while they are used; ``indices``, what was seen in them; ``considered``, all strategies with the reason for or
        against each. Texts and names may differ from version to version. Without ``out=`` memory for a result is
        taken, as by the call.

    Raises
    ------
    TypeError
        If `function` is none of the operators.
    Exception
        What the call would raise.

    Examples
    --------
    >>> import strew
    >>> strew.explain(strew.gather, [5.0, 6.0, 7.0], [2, 0])["reason"]
    'so small a call is done at once, without a choice'
    >>> strew.explain(strew.gather, [5.0, 6.0, 7.0], [2, 0])
    serial: so small a call is done at once, without a choice
      tasks: 1; scratch memory: 0 bytes; index values: 0 to 2
      asked for ahead: nothing
      output written past the caches: no; indices read once: no
    """
    if function not in _OPERATORS:
        raise TypeError(f"explain: {function!r} is none of the operators; give a function such as strew.scatter_nd")
    return Explanation(_strew._explain(function, operands, attributes))

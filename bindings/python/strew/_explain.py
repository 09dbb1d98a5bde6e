"""What a call would do, and why."""

from collections.abc import Callable
from typing import Any

from . import _strew

_OPERATORS = (
    _strew.gather,
    _strew.gather_elements,
    _strew.gather_nd,
    _strew.scatter_elements,
    _strew.scatter_nd,
    _strew.tensor_scatter,
)


def explain(function: Callable[..., Any], *operands: Any, **attributes: Any) -> dict[str, Any]:
    """Say how a call of one of the operators would be done, and why not otherwise. Nothing is written.

    Parameters
    ----------
    function : function
        The operator, such as `strew.scatter_nd`.
    *operands, **attributes
        What it would be called with.

    Returns
    -------
    dict
        ``strategy`` and its ``reason``; ``tasks``, among which the work is divided; ``scratch_bytes``, memory that it
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
    """
    if function not in _OPERATORS:
        raise TypeError(f"explain: {function!r} is none of the operators; give a function such as strew.scatter_nd")
    return _strew._explain(function, operands, attributes)

"""How much memory calls may work in, and how much is kept for later ones. The results never depend on it."""

import operator
from typing import SupportsIndex

from . import _strew
from ._errors import refusal

_AT_FIRST = _strew._memory_cache_limit(), _strew._scratch_limit()


def get_memory_cache_limit() -> int:
    """How many bytes of memory may be kept for later results; see `set_memory_cache_limit`."""
    return _strew._memory_cache_limit()


def get_memory_cache_bytes() -> int:
    """How many bytes of memory are kept now; see `set_memory_cache_limit`."""
    return _strew._memory_cache_bytes()


def release_memory_cache() -> None:
    """Give all memory that is kept for later results back to the operating system."""
    _strew._release_memory_cache()


def get_scratch_limit() -> int:
    """How many bytes of memory a call may work in; see `set_scratch_limit`."""
    return _strew._scratch_limit()


def set_memory_cache_limit(n_bytes: SupportsIndex | None) -> None:
    """Keep up to `n_bytes` of memory of results that are no longer in use, for results of later calls.

    Fresh memory costs more than most calls: the operating system clears it page by page. So memory of results of
    1 MiB and more is kept when they are deleted, at first up to 1 GiB or an eighth of the machine's memory, whichever
    is less.

    Parameters
    ----------
    n_bytes : int or None
        0 keeps nothing; None is the limit at first. What is kept beyond a new limit is released at once.

    Raises
    ------
    TypeError, ValueError
        If `n_bytes` is no integer, or negative.

    Examples
    --------
    >>> import strew
    >>> strew.set_memory_cache_limit(2**28)
    >>> strew.get_memory_cache_limit()
    268435456
    >>> strew.release_memory_cache()
    >>> strew.get_memory_cache_bytes()
    0
    >>> strew.set_memory_cache_limit(None)
    """
    _strew._set_memory_cache_limit(_AT_FIRST[0] if n_bytes is None else _checked("set_memory_cache_limit", n_bytes))


def set_scratch_limit(n_bytes: SupportsIndex | None) -> None:
    """Let the strategy of every later call in this process work in up to `n_bytes` of memory besides its output.

    Some ways to do a call need such memory; where it is more than the limit the next best way is
    taken, and on a CUDA device, where sums have no other, the call is refused. Not counted are
    the positions of `tensor_scatter`, 8 bytes for each.

    Parameters
    ----------
    n_bytes : int or None
        At first, and for None, 1 GiB.

    Raises
    ------
    TypeError, ValueError
        If `n_bytes` is no integer, or negative.

    Examples
    --------
    >>> import strew
    >>> strew.set_scratch_limit(2**20)
    >>> strew.get_scratch_limit()
    1048576
    >>> strew.set_scratch_limit(None)
    """
    _strew._set_scratch_limit(_AT_FIRST[1] if n_bytes is None else _checked("set_scratch_limit", n_bytes))


def _checked(name, n_bytes):
    try:
        count = operator.index(n_bytes)
    except TypeError:
        raise refusal(
            TypeError,
            "invalid type",
            f"n_bytes is {n_bytes!r}; an integer is wanted, such as 2**30 for 1 GiB",
            operator=name,
            operand="n_bytes",
        ) from None
    if not 0 <= count < 2**63:
        raise refusal(
            ValueError,
            "invalid argument",
            f"{count} bytes; 0 to {2**63 - 1} are possible",
            operator=name,
            operand="n_bytes",
            value=count,
        )
    return count

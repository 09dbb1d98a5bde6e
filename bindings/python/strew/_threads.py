"""Number of threads of a call. Results never depend on it."""

import contextlib
from collections.abc import Iterator
from typing import SupportsIndex

from . import _strew
from ._arguments import as_count


def _checked(function: str, n: SupportsIndex) -> int:
    return as_count(function, "n", n, "threads", 1, 1024, "an integer from 1 to 1024 is wanted")


def get_num_threads() -> int:
    """Return how many threads the next call of this Python thread may use.

    The default is the number of processors that affinity and CPU quotas allow, or ``STREW_NUM_THREADS``;
    `set_num_threads` and `num_threads` override it.
    """
    return _strew._thread_count()


def set_num_threads(n: SupportsIndex | None) -> None:
    """Limit all later calls of this process to `n` threads.

    Parameters
    ----------
    n : int or None
        1 to 1024. None restores the default; see `get_num_threads`.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer, or out of range.

    Examples
    --------
    >>> import strew
    >>> strew.set_num_threads(1)
    >>> strew.get_num_threads()
    1
    >>> strew.set_num_threads(None)
    """
    _strew._set_thread_count(0 if n is None else _checked("set_num_threads", n))


@contextlib.contextmanager
def num_threads(n: SupportsIndex) -> Iterator[None]:
    """Limit calls of this Python thread to `n` threads inside a ``with`` block.

    Parameters
    ----------
    n : int
        1 to 1024.

    Returns
    -------
    context manager

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer, or out of range.

    Examples
    --------
    >>> import strew
    >>> with strew.num_threads(2):
    ...     strew.get_num_threads()
    2
    """
    before = _strew._exchange_own_thread_count(_checked("num_threads", n))
    try:
        yield
    finally:
        _strew._exchange_own_thread_count(before)

"""Limits on threads, scratch memory, and memory cached for later calls. Results never depend on them."""

import contextlib
from collections.abc import Iterator
from typing import SupportsIndex

from . import _strew
from ._arguments import as_count

_AT_FIRST = _strew._memory_cache_limit(), _strew._scratch_limit()


def get_memory_cache_limit() -> int:
    """Return the limit of the memory cache in bytes; see `set_memory_cache_limit`."""
    return _strew._memory_cache_limit()


def get_memory_cache_bytes() -> int:
    """Return the number of bytes in the memory cache; see `set_memory_cache_limit`."""
    return _strew._memory_cache_bytes()


def release_memory_cache() -> None:
    """Release all memory in the cache to the operating system."""
    _strew._release_memory_cache()


def get_scratch_limit() -> int:
    """Return the limit of a call's scratch memory in bytes; see `set_scratch_limit`."""
    return _strew._scratch_limit()


def set_memory_cache_limit(n_bytes: SupportsIndex | None) -> None:
    """Limit the cache that keeps the memory of deleted results for later calls.

    The operating system clears new memory page by page, which takes longer than most calls. The memory of a deleted
    result is therefore cached if it is 1 MiB or more. The default limit is 1 GiB or an eighth of the memory that the
    process may use, whichever is less.

    Parameters
    ----------
    n_bytes : int or None
        0 disables the cache; None restores the default. Cached memory beyond a new limit is released at once.

    Raises
    ------
    TypeError, ValueError
        If `n_bytes` is not an integer, or is negative.

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
    _strew._set_memory_cache_limit(_AT_FIRST[0] if n_bytes is None else _as_bytes("set_memory_cache_limit", n_bytes))


def set_scratch_limit(n_bytes: SupportsIndex | None) -> None:
    """Limit the scratch memory of every call in this process. The output of a call does not count.

    If the best strategy needs more than the limit, the call uses the next best one. On a CUDA device, the call
    fails instead. The 8 bytes that `tensor_scatter` uses for each position do not count.

    Parameters
    ----------
    n_bytes : int or None
        None restores the default, 1 GiB.

    Raises
    ------
    TypeError, ValueError
        If `n_bytes` is not an integer, or is negative.

    Examples
    --------
    >>> import strew
    >>> strew.set_scratch_limit(2**20)
    >>> strew.get_scratch_limit()
    1048576
    >>> strew.set_scratch_limit(None)
    """
    _strew._set_scratch_limit(_AT_FIRST[1] if n_bytes is None else _as_bytes("set_scratch_limit", n_bytes))


def _as_bytes(name, n_bytes):
    wanted = "it must be an integer, such as 2**30 for 1 GiB"
    return as_count(name, "n_bytes", n_bytes, "bytes", 0, 2**63 - 1, wanted)


def _as_threads(function, n):
    return as_count(function, "n", n, "threads", 1, 1024, "it must be an integer from 1 to 1024")


def get_num_threads() -> int:
    """Return how many threads the next call from this Python thread may use.

    The default is the value of the environment variable ``STREW_NUM_THREADS``, or else the number of processors that
    affinity and CPU quotas allow. `set_num_threads` and `num_threads` override the default.
    """
    return _strew._thread_count()


def set_num_threads(n: SupportsIndex | None) -> None:
    """Limit all later calls in this process to `n` threads.

    Parameters
    ----------
    n : int or None
        1 to 1024. None restores the default; see `get_num_threads`.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer, or is out of range.

    Examples
    --------
    >>> import strew
    >>> strew.set_num_threads(1)
    >>> strew.get_num_threads()
    1
    >>> strew.set_num_threads(None)
    """
    _strew._set_thread_count(0 if n is None else _as_threads("set_num_threads", n))


@contextlib.contextmanager
def num_threads(n: SupportsIndex) -> Iterator[None]:
    """Return a context manager that limits calls from this Python thread to `n` threads.

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
        If `n` is not an integer, or is out of range.

    Examples
    --------
    >>> import strew
    >>> with strew.num_threads(2):
    ...     strew.get_num_threads()
    2
    """
    before = _strew._exchange_own_thread_count(_as_threads("num_threads", n))
    try:
        yield
    finally:
        _strew._exchange_own_thread_count(before)

"""Functions for arrays on CUDA devices, which Strew's operators accept like other arrays.

The package strew-cuda13 runs the operators on the device. A call waits for its device and raises the same errors as a
call in CPU memory. Inside `deferred`, a call does not wait.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ._device import deferred_in
from ._strew import DeferredErrors, _cuda_unavailable_reason

__all__ = ["DeferredErrors", "available", "deferred", "unavailable_reason"]


@contextmanager
def deferred() -> Iterator[DeferredErrors]:
    """Let calls on CUDA devices return before the device has finished.

    Inside the block, calls of this thread or asynchronous task do not wait, unless the arrays' library hides its
    stream, as JAX does. If the block ends without an exception, it waits for all calls that were not captured by a
    CUDA graph, and raises the first error. If blocks are nested, the innermost one records the calls.

    Yields
    ------
    DeferredErrors
        The record of the calls. Its methods `wait` and `check` raise errors before the block ends. For captured calls,
        `check` raises the error of the graph's last launch.

    Examples
    --------
    >>> import numpy as np, strew, strew.cuda
    >>> with strew.cuda.deferred():  # calls in CPU memory have finished when they return
    ...     strew.gather(np.array([1.0, 2.0]), [1])
    array([2.])
    """
    errors = DeferredErrors()
    before = deferred_in.set((errors, threading.get_ident()))
    try:
        yield errors
    finally:
        deferred_in.reset(before)
    errors.wait()


def available() -> bool:
    """Return whether calls can run on a CUDA device here.

    Returns
    -------
    bool
        False if a part is missing; `unavailable_reason` names it.

    Examples
    --------
    >>> import strew.cuda
    >>> strew.cuda.available() in (True, False)
    True
    """
    return unavailable_reason() is None


def unavailable_reason() -> str | None:
    """Return why no call can run on a CUDA device here.

    Returns
    -------
    str or None
        The missing part: the package strew-cuda13 of this version of Strew, a driver for CUDA 13, or a device for which
        the kernels were compiled. None if `available`.

    Examples
    --------
    >>> import strew.cuda
    >>> why = strew.cuda.unavailable_reason()
    >>> (why is None) == strew.cuda.available()
    True
    """
    try:
        return _cuda_unavailable_reason()
    except ImportError as error:
        return error.msg

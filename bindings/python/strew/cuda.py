"""Functions for arrays on CUDA devices, which Strew's operators accept like any others.

The operators run there by the package strew-cuda13. A call waits for its device, to raise what a call in CPU memory
would; inside `deferred` it does not wait. Not yet run on a device.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ._device import deferred_in
from ._strew import DeferredErrors, _cuda_unavailable_reason

__all__ = ["DeferredErrors", "available", "deferred", "unavailable_reason"]


@contextmanager
def deferred() -> Iterator[DeferredErrors]:
    """Let calls on CUDA devices return while the device works.

    Inside the block, calls of this thread or asynchronous task on arrays whose library tells its stream (all but JAX)
    do not wait. The end of the block waits for them and raises the first refusal, unless an exception left the block;
    calls that a CUDA graph captured are not waited for. In a block inside another one the inner one takes note of calls.

    Yields
    ------
    DeferredErrors
        The record of the calls. `wait` and `check` raise errors earlier; for captured calls, `check` raises the error
        of the last launch.

    Examples
    --------
    >>> import numpy as np, strew, strew.cuda
    >>> with strew.cuda.deferred():  # calls in CPU memory are done when they return
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
    """Return whether there are the package strew-cuda13, a driver, and a device for which its kernels were compiled.

    Returns
    -------
    bool
        False if one of them is missing; `unavailable_reason` names it.

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
        The missing part: the package strew-cuda13 (or it belongs to another version of Strew), a driver, one for CUDA
        13, a device, or one for which the kernels were compiled. None if `available`.

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

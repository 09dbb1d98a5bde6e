"""What arrays on CUDA devices need beside Strew's operators, which take them as any others.

The operators run there by the package strew-cuda13. A call waits for its device, to raise what a call in CPU memory
would; with a `DeferredErrors` it does not wait. Not yet run on a device.
"""

from ._strew import DeferredErrors, _cuda_unavailable_reason

__all__ = ["DeferredErrors", "available", "unavailable_reason"]


def available() -> bool:
    """Whether the package strew-cuda13, a driver, and a device that its kernels were compiled for are there.

    Returns
    -------
    bool
        False where one of them is missing; `unavailable_reason` says which.

    Examples
    --------
    >>> import strew.cuda
    >>> strew.cuda.available() in (True, False)
    True
    """
    return unavailable_reason() is None


def unavailable_reason() -> str | None:
    """Why no call can run on a CUDA device here.

    Returns
    -------
    str or None
        What is missing: the package strew-cuda13 (or it was built from another version of Strew), a driver, one for
        CUDA 13, a device, or one that the kernels were compiled for. None where `available` is true.

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

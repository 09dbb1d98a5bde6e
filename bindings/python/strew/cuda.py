"""What arrays on CUDA devices need beside Strew's operators, which take them as any others.

The operators run there by the package strew-cuda13. A call waits for its device, to raise what a call in CPU memory
would; with a `DeferredErrors` it does not wait. Not yet run on a device.
"""

import importlib.util

from ._strew import DeferredErrors, _cuda_available

__all__ = ["DeferredErrors", "available"]


def available() -> bool:
    """Whether the package strew-cuda13, a driver and a device are there.

    Returns
    -------
    bool
        False where one of them is missing.

    Raises
    ------
    ImportError
        If the package was built from another version of Strew.

    Examples
    --------
    >>> import strew.cuda
    >>> strew.cuda.available() in (True, False)
    True
    """
    return importlib.util.find_spec("strew_cuda") is not None and _cuda_available()

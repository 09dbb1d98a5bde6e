"""Gather and scatter on Dask arrays, for operands larger than memory.

Operands are Dask arrays with any chunks; NumPy, zarr and h5py arrays and sequences are converted. Results are lazy, and
have the same bits as for arrays in memory. The module needs ``dask[array]`` (the extra ``dask``) and must be imported
explicitly. docs/dask.md explains when to use it and which chunks to choose.

>>> import dask.array as da, numpy as np, strew.dask
>>> cache = da.ones((4, 2), chunks=(2, 2), dtype=np.float32)
>>> rows = da.from_array(np.array([[3], [0], [3]]), chunks=(2, 1))
>>> strew.dask.scatter_nd(cache, rows, np.array([[1, 2], [10, 20], [100, 200]], np.float32), reduction="add").compute()
array([[ 11.,  21.],
       [  1.,   1.],
       [  1.,   1.],
       [102., 203.]], dtype=float32)
"""

try:
    import dask.array  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"strew.dask needs the package dask: pip install 'dask[array]' ({error})", name=error.name) from error

from typing import TYPE_CHECKING

from .. import _names
from . import _functions
from ._functions import *  # noqa: F403

__all__ = _functions.__all__


def __dir__():
    return __all__


if not TYPE_CHECKING:

    def __getattr__(name):
        raise _names.no_attribute(__name__, name, __all__)

"""NumPy's functions that gather and scatter, run by Strew with the same arguments, results and casts.

NumPy itself runs some calls, for example on arrays of Python objects; docs/migrating.md lists these calls. In other
calls, bad indices raise an error before any write. Sums of rows, and sums at sorted or repeated indices, are faster
than NumPy's.

>>> import numpy as np, strew.numpy as snp
>>> counts = np.zeros(4, dtype=int)
>>> snp.add.at(counts, [1, 3, 1], 1)
>>> counts
array([0, 2, 0, 1])
"""

from typing import TYPE_CHECKING

from .. import _names
from ._at import add, bitwise_and, bitwise_or, bitwise_xor, divide, maximum, minimum, multiply, subtract
from ._bincount import bincount
from ._put import put, put_along_axis
from ._take import take, take_along_axis

__all__ = [
    "add",
    "bincount",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "put",
    "put_along_axis",
    "subtract",
    "take",
    "take_along_axis",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise _names.no_attribute(__name__, name, __all__)

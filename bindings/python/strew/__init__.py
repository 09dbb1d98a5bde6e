"""The ONNX gather and scatter operators: exact, deterministic, fast, on your own arrays.

NumPy, PyTorch and JAX arrays go in without a copy, and the same kind of array comes out.

>>> import numpy as np, strew
>>> strew.scatter_nd(np.zeros(4), [[1], [1]], [1.0, 2.0], reduction="add")
array([0., 3., 0., 0.])
"""

from ._strew import (
    __version__,
    gather,
    gather_elements,
    gather_nd,
    get_num_threads,
    scatter_elements,
    scatter_nd,
    tensor_scatter,
)
from ._threads import num_threads, set_num_threads

__all__ = [
    "gather",
    "gather_elements",
    "gather_nd",
    "get_num_threads",
    "num_threads",
    "scatter_elements",
    "scatter_nd",
    "set_num_threads",
    "tensor_scatter",
]

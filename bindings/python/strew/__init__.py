"""The ONNX gather and scatter operators: exact, deterministic, fast, on your own arrays.

NumPy, PyTorch and JAX arrays go in without a copy, and the same kind of array comes out.

>>> import numpy as np, strew
>>> strew.scatter_nd(np.zeros(4), [[1], [1]], [1.0, 2.0], reduction="add")
array([0., 3., 0., 0.])
"""

import importlib

from ._model_info import NodeInfo, ValueInfo, Violation
from ._strew import (
    Model,
    __version__ as __version__,
    gather,
    gather_elements,
    gather_nd,
    get_num_threads,
    infer_shapes,
    load,
    scatter_elements,
    scatter_nd,
    tensor_scatter,
)
from ._threads import num_threads, set_num_threads

__all__ = [
    "Model",
    "NodeInfo",
    "ValueInfo",
    "Violation",
    "gather",
    "gather_elements",
    "gather_nd",
    "get_num_threads",
    "infer_shapes",
    "load",
    "num_threads",
    "scatter_elements",
    "scatter_nd",
    "set_num_threads",
    "tensor_scatter",
]


def __getattr__(name):
    # What needs onnx is imported only when it is asked for.
    if name == "onnx_backend":
        return importlib.import_module(".onnx_backend", __name__)
    if name == "reference_ops":
        return importlib.import_module("._reference_ops", __name__).reference_ops
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), "onnx_backend", "reference_ops"])

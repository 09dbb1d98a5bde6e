"""The ONNX gather and scatter operators: exact, deterministic and fast, on your own arrays.

NumPy, PyTorch and JAX arrays are read without a copy, and results are arrays of the same kind.

>>> import numpy as np, strew
>>> strew.scatter_nd(np.zeros(4), [[1], [1]], [1.0, 2.0], reduction="add")
array([0., 3., 0., 0.])
"""

import importlib.util
import typing

from . import _names, _strew
from ._edges import Edges
from ._errors import Refusal
from ._broadcast_full import broadcast_full
from ._graph import edge_dot, gather_scatter
from ._limits import (
    get_memory_cache_bytes, get_memory_cache_limit, get_num_threads, get_scratch_limit, num_threads,
    release_memory_cache, set_memory_cache_limit, set_num_threads, set_scratch_limit,
)
from ._model_info import NodeInfo, ValueInfo, Violation
from ._models import Model, infer_shapes, load_model
from ._operator_table import Operator, OperatorAttribute, OperatorInput, OperatorVersion, operators
from ._paths import get_cmake_dir, get_include
from ._picture import Picture, picture
from ._strew import *  # noqa: F403 (the operators)
from ._strew import CheckedIndices, Plan, __commit__ as __commit__, __version__ as __version__
from ._unmade_calls import check_indices, explain, plan

__all__ = [
    "CheckedIndices",
    "Edges",
    "Model",
    "NodeInfo",
    "Operator",
    "OperatorAttribute",
    "OperatorInput",
    "OperatorVersion",
    "Picture",
    "Plan",
    "Refusal",
    "ValueInfo",
    "Violation",
    "broadcast_full",
    "check_indices",
    "edge_dot",
    "explain",
    "gather_scatter",
    "get_cmake_dir",
    "get_include",
    "get_memory_cache_bytes",
    "get_memory_cache_limit",
    "get_num_threads",
    "get_scratch_limit",
    "infer_shapes",
    "load_model",
    "num_threads",
    "operators",
    "picture",
    "plan",
    "release_memory_cache",
    "set_memory_cache_limit",
    "set_num_threads",
    "set_scratch_limit",
]
__all__ += _strew.__all__


if not typing.TYPE_CHECKING:

    def _hint_of_numpy(name):
        if name in ("install", "fuse"):
            return f"; see strew.torch.{name}"
        known = not name.startswith("_") and name in importlib.import_module(".numpy", __name__).__all__
        return f"; see strew.numpy.{name}" if known else ""

    def __getattr__(name):
        # Modules that need onnx are imported on first use.
        module = {"onnx_backend": ".onnx_backend", "reference_ops": "._reference_ops"}.get(name)
        if module is None:
            is_module = not name.startswith("_") and name.isidentifier() and importlib.util.find_spec(f"{__name__}.{name}")
            hint = f"; it must be imported: import strew.{name}" if is_module else _hint_of_numpy(name)
            raise _names.no_attribute(__name__, name, __dir__(), hint)
        try:
            loaded = importlib.import_module(module, __name__)
        except ModuleNotFoundError as error:
            raise AttributeError(f"strew.{name} needs the package onnx: pip install onnx ({error})") from error
        return loaded if name == "onnx_backend" else loaded.reference_ops


def __dir__():
    return [*__all__, "__commit__", "__version__", *(["onnx_backend", "reference_ops"] if importlib.util.find_spec("onnx") else [])]

"""Strew's operators for PyTorch, with gradients. ``torch.compile`` and ``torch.export`` can trace them.

Importing this module registers the custom operators ``torch.ops.strew.gather`` and so on, for tensors in CPU memory
and, if the package strew-cuda13 is installed, on CUDA devices. Each function has the name and the parameters of its
counterpart in `strew`, without ``out``; a function whose name ends in ``_`` writes into its first argument. There are
no forward-mode derivatives, and no second derivatives with the reduction "mul". Pass ``onnx_translation`` to
``torch.onnx.export`` as the ``custom_translation_table``.

`install` makes PyTorch's own operators use Strew's kernels; the program itself does not change.

>>> import torch, strew.torch
>>> table = torch.zeros(3, 2, requires_grad=True)
>>> strew.torch.gather(table, torch.tensor([2, 0, 2])).sum().backward()
>>> table.grad
tensor([[1., 1.],
        [0., 0.],
        [2., 2.]])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .. import _names
from . import _gradients as _gradients
from ._compile import Compiled, compiled
from ._fuse import Fusion, fuse, unfuse
from . import _functions
from ._functions import *  # noqa: F403
from ._graph import Edges, gather_scatter
from ._install import install, installed, uninstall
from ._library import CallCounts, counts

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    onnx_translation: dict[Any, Callable[..., Any]]

__all__ = [
    "CallCounts",
    "Compiled",
    "Edges",
    "Fusion",
    "compiled",
    "counts",
    "fuse",
    "gather_scatter",
    "install",
    "installed",
    "unfuse",
    "uninstall",
]
__all__ += _functions.__all__

if not TYPE_CHECKING:

    def __getattr__(name):
        # onnxscript is imported only when a program reads onnx_translation.
        if name == "onnx_translation":
            try:
                return importlib.import_module("._onnx", __name__).onnx_translation
            except ImportError as error:
                raise AttributeError(f"strew.torch.onnx_translation needs onnxscript: {error}") from error
        raise _names.no_attribute(__name__, name, __all__)


def __dir__() -> list[str]:
    return [*__all__, "onnx_translation"]

"""The interface of torch_scatter 2.1.2, built on Strew's operators. It needs no separate wheel per version of PyTorch.

>>> import sys, strew.torch_scatter
>>> sys.modules["torch_scatter"] = strew.torch_scatter  # before whatever imports it, such as PyTorch Geometric
>>> import torch
>>> from torch_scatter import scatter_max
>>> scatter_max(torch.tensor([3.0, 7.0, 5.0]), torch.tensor([0, 2, 2]))
(tensor([3., 0., 7.]), tensor([0, 3, 1]))

Names, signatures, broadcasting, ``out=`` and gradients are as in the original, with these differences:

- An index out of bounds raises `IndexError` before anything is written, even with ``out``.
- A NaN wins a maximum and a minimum; the original ignores it. `scatter_logsumexp` keeps a NaN.
- Sums and products of float16 and bfloat16 are computed in float32 and rounded once.
- An ``out`` must have the shape of the result, and may have any strides.
- Sums have the same bits for any number of threads.
"""

import sys
import types

from . import utils as utils
from .composite import scatter_log_softmax, scatter_logsumexp, scatter_softmax, scatter_std
from .scatter import scatter, scatter_add, scatter_max, scatter_mean, scatter_min, scatter_mul, scatter_sum
from .segment_coo import (
    gather_coo, segment_add_coo, segment_coo, segment_max_coo, segment_mean_coo, segment_min_coo, segment_sum_coo,
)
from .segment_csr import (
    gather_csr, segment_add_csr, segment_csr, segment_max_csr, segment_mean_csr, segment_min_csr, segment_sum_csr,
)

__version__ = "2.1.2"  # of torch_scatter

__all__ = [
    "__version__",
    "gather_coo",
    "gather_csr",
    "scatter",
    "scatter_add",
    "scatter_log_softmax",
    "scatter_logsumexp",
    "scatter_max",
    "scatter_mean",
    "scatter_min",
    "scatter_mul",
    "scatter_softmax",
    "scatter_std",
    "scatter_sum",
    "segment_add_coo",
    "segment_add_csr",
    "segment_coo",
    "segment_csr",
    "segment_max_coo",
    "segment_max_csr",
    "segment_mean_coo",
    "segment_mean_csr",
    "segment_min_coo",
    "segment_min_csr",
    "segment_sum_coo",
    "segment_sum_csr",
]


class _Package(types.ModuleType):
    """A module whose functions survive imports: the submodule `scatter` does not hide the function `scatter`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, types.ModuleType) and callable(self.__dict__.get(name))):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

"""PyTorch's own functions that gather and scatter, run by Strew: the same names, arguments and gradients.

Of equal indices the last counts, sums have the same bits for any number of threads, and a bad index is an
`IndexError` before anything is written. ``bfloat16`` and ``float16`` are rounded after each update.

>>> import torch, strew.torch.functional as F
>>> F.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 2, 2]), torch.tensor([5.0, 6.0, 8.0]), "mean", include_self=False)
tensor([5., 1., 7.])
"""

from ._elements import gather, scatter, scatter_add, scatter_reduce, take_along_dim
from ._put import index_put
from ._rows import embedding, segment_reduce
from ._slices import index_add, index_copy, index_reduce

__all__ = [
    "embedding",
    "gather",
    "index_add",
    "index_copy",
    "index_put",
    "index_reduce",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "segment_reduce",
    "take_along_dim",
]

"""Edges that are prepared once, and which prepared edges a call's tensors are."""

from __future__ import annotations

import weakref
from typing import Any

from torch import Tensor

from .. import _edges as _whole

# Prepared edges by the memory of their index tensors, which they keep alive; each also stands for its reverse.
_prepared: weakref.WeakValueDictionary[tuple[Any, ...], Edges] = weakref.WeakValueDictionary()


class Edges:
    """The edges of a graph, checked and sorted once, for many calls of `gather_scatter`: `strew.Edges` of tensors.

    It keeps the tensors alive, which must not change; a change by PyTorch is noticed.

    Parameters
    ----------
    gather_index, scatter_index : Tensor of integers, shape (edges,)
        Where the rows of an edge come from, and where they go: ``edge_index[0]`` and ``edge_index[1]`` of PyTorch
        Geometric.
    source_size, target_size : int
        Rows of the data, and of the result.

    Examples
    --------
    >>> import torch, strew.torch
    >>> edges = strew.torch.Edges(torch.tensor([0, 2, 1]), torch.tensor([1, 1, 0]), 3, 2)
    >>> strew.torch.gather_scatter(torch.tensor([1.0, 10.0, 100.0]), edges)
    tensor([ 10., 101.])
    """

    __slots__ = ("__weakref__", "_edges", "_key", "gather_index", "scatter_index")

    def __init__(self, gather_index: Tensor, scatter_index: Tensor, source_size: int, target_size: int) -> None:
        self.gather_index = gather_index
        self.scatter_index = scatter_index
        self._edges = _whole.Edges(gather_index, scatter_index, source_size, target_size)
        self._key = _key(gather_index, scatter_index)
        _prepared[self._key] = self

    @property
    def source_size(self) -> int:
        """Rows of the data that are gathered from."""
        return self._edges.source_size

    @property
    def target_size(self) -> int:
        """Rows of the result."""
        return self._edges.target_size

    @property
    def nbytes(self) -> int:
        """Bytes that it takes beside the tensors."""
        return self._edges.nbytes

    def __len__(self) -> int:
        return len(self._edges)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return repr(self._edges)

    def __reduce__(self) -> Any:
        return Edges, (self.gather_index, self.scatter_index, self.source_size, self.target_size)


def _key(gather_index, scatter_index):
    return tuple(
        part
        for index in (gather_index, scatter_index)
        for part in (index.data_ptr(), _version(index), index.shape[0] if index.dim() else 0, index.stride(), index.dtype)
    )


def _version(index):
    """How often PyTorch has changed a tensor; of one made in inference mode it does not count."""
    return None if index.is_inference() else index._version


def _edges_of(gather_index, scatter_index, source_size, target_size):
    """The prepared edges of these tensors, or new ones."""
    found = _find(gather_index, scatter_index, source_size, target_size)
    return _whole.Edges(gather_index, scatter_index, source_size, target_size) if found is None else found


def _along(gather_index, scatter_index, source_size, target_size):
    """What gather_scatter takes after data: the prepared edges of these tensors, or the tensors."""
    found = _find(gather_index, scatter_index, source_size, target_size)
    return (gather_index, scatter_index, target_size) if found is None else (found,)


def _find(gather_index, scatter_index, source_size, target_size):
    found = _prepared.get(_key(gather_index, scatter_index))
    if found is not None and (found.source_size, found.target_size) == (source_size, target_size):
        return found._edges
    found = _prepared.get(_key(scatter_index, gather_index))
    if found is not None and (found.target_size, found.source_size) == (source_size, target_size):
        return found._edges.reversed
    return None

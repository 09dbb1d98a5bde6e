"""Prepared edges, and their keys. A key is the tensor by which a custom operator finds prepared edges."""

from __future__ import annotations

import secrets
import weakref
from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor
from torch._compile import _disable_dynamo
from torch._guards import detect_fake_mode
from torch.utils._pytree import GetAttrKey, register_pytree_node

from .. import _edges as _whole, _strew
from .._arguments import as_int
from .._errors import MadeByInit, wrong_value
from ._arguments import check_tensors


class _KeyMemory(numpy.ndarray):
    """The memory of a key. Every tensor that shares this memory keeps the edges alive."""

    edges: _whole.Edges


# Edges by the value of the key, a random number. A key from another process therefore finds no edges.
_by_key: weakref.WeakValueDictionary[int, _KeyMemory] = weakref.WeakValueDictionary()


def _keep(edges: _whole.Edges) -> Any:
    number = secrets.randbits(63)
    memory = numpy.array(number, numpy.int64).view(_KeyMemory)
    memory.edges = edges
    _by_key[number] = memory
    return torch.from_numpy(memory)


def _check_has_values(name: str, index: Tensor) -> None:
    if index.is_meta or torch._C._functorch.is_functorch_wrapped_tensor(index) or detect_fake_mode(index) is not None:
        text = f"{name} has no values while torch transforms or traces a call (vmap, fake and meta tensors)"
        remedy = "make Edges beforehand, or pass the two index tensors to gather_scatter"
        raise wrong_value("Edges", name, f"{text}; {remedy}")


def _are_equal(kept: Tensor, index: Tensor) -> bool:
    return _strew._are_equal(kept, index.to(torch.int64).contiguous())


def kept(key: Tensor | None) -> _whole.Edges | None:
    """Return the edges of a key, or None for a key from another process, such as one in an exported program."""
    memory = None if key is None else _by_key.get(int(key))
    return None if memory is None else memory.edges


class Along(NamedTuple):
    """Edges as operands of an operator: the indices and the key. If `is_reverse`, the key's edges run the other way."""

    gather_index: Tensor
    scatter_index: Tensor
    key: Tensor | None = None
    is_reverse: bool = False

    def reverse(self) -> Along:
        return Along(self.scatter_index, self.gather_index, self.key, not self.is_reverse)

    def prepared(self, source_size: int, target_size: int) -> _whole.Edges | None:
        """Return the prepared edges if they have these sizes, or None."""
        found = kept(self.key)
        if found is None:
            return None
        wanted = (target_size, source_size) if self.is_reverse else (source_size, target_size)
        if (len(found), found.source_size, found.target_size) != (self.gather_index.shape[0], *wanted):
            return None
        return found.reversed if self.is_reverse else found


class Edges(MadeByInit):
    """The edges of a graph, checked and sorted once for many calls of `gather_scatter`, like `strew.Edges`.

    The index tensors are copied, so changing them later changes neither the edges nor the gradients of earlier calls.
    Compiled and exported programs accept edges; a program exported by another process prepares the edges on each call.

    Parameters
    ----------
    gather_index, scatter_index : Tensor of integers, shape (edges,)
        The source row and the target row of each edge: ``edge_index[0]`` and ``edge_index[1]`` of PyTorch Geometric.
    source_size, target_size : int
        Number of rows of the data (`source_size`) and of the result (`target_size`).

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.
    TypeError, ValueError
        If an argument has the wrong type or shape, or a size is negative.

    Examples
    --------
    >>> import torch, strew.torch
    >>> edges = strew.torch.Edges(torch.tensor([0, 2, 1]), torch.tensor([1, 1, 0]), 3, 2)
    >>> strew.torch.gather_scatter(torch.tensor([1.0, 10.0, 100.0]), edges)
    tensor([ 10., 101.])
    """

    __slots__ = ("__weakref__", "_gather_index", "_key", "_scatter_index", "_source_size", "_target_size")

    @_disable_dynamo  # torch.compile breaks its graph here
    def __init__(self, gather_index: Tensor, scatter_index: Tensor, source_size: int, target_size: int) -> None:
        check_tensors("Edges", hint=" (strew.Edges takes any array)", gather_index=gather_index, scatter_index=scatter_index)
        self._source_size = as_int("Edges", "source_size", source_size)
        self._target_size = as_int("Edges", "target_size", target_size)
        sizes = self._source_size, self._target_size
        for name, index in (("gather_index", gather_index), ("scatter_index", scatter_index)):
            _check_has_values(name, index)
        edges = _whole.Edges(gather_index.detach(), scatter_index.detach(), *sizes)
        how: Any = {"memory_format": torch.contiguous_format, "copy": True}
        dtype = torch.int32 if max(sizes) <= 2**31 else torch.int64
        with torch.inference_mode(False):  # autograd cannot save a copy created in inference mode
            self._gather_index, self._scatter_index = gather_index.to(dtype, **how), scatter_index.to(dtype, **how)
            self._key = _keep(edges)
            self._key._strew_indices = self._gather_index, self._scatter_index

    @classmethod
    def from_edge_index(cls, edge_index: Tensor, n: int | tuple[int, int]) -> Edges:
        """Return the edges of an edge_index tensor of PyTorch Geometric, like `strew.Edges.from_edge_index`.

        Examples
        --------
        >>> import torch, strew.torch
        >>> strew.torch.Edges.from_edge_index(torch.tensor([[0, 2, 1], [1, 1, 0]]), 3)
        Edges(3 edges, 3 sources, 3 targets)
        """
        check_tensors("Edges.from_edge_index", hint=" (strew.Edges takes any array)", edge_index=edge_index)
        return cls(*_whole.rows_and_sizes(edge_index, n))

    @classmethod
    def from_matrix(cls, matrix: Any) -> Edges:
        """Return the edges of a sparse matrix, from its columns to its rows, like `strew.Edges.from_matrix`.

        Parameters
        ----------
        matrix : CSR tensor from PyTorch or CSR matrix from SciPy, shape (targets, sources)

        Raises
        ------
        TypeError, ValueError
            As for `strew.Edges.from_matrix`.

        Examples
        --------
        >>> import torch, strew.torch
        >>> matrix = torch.eye(3).to_sparse_csr()
        >>> strew.torch.gather_scatter(torch.ones(3), strew.torch.Edges.from_matrix(matrix), weight=matrix.values())
        tensor([1., 1., 1.])
        """
        made = _whole.Edges.from_matrix(matrix)
        return cls(*map(torch.from_numpy, (made.sources, made.targets)), made.source_size, made.target_size)

    source_size: Any = property(lambda self: self._source_size, doc=_whole.Edges.source_size.__doc__)
    target_size: Any = property(lambda self: self._target_size, doc=_whole.Edges.target_size.__doc__)
    __bool__: Any = _whole.Edges.__bool__
    __repr__: Any = _whole.Edges.__repr__

    @property
    def nbytes(self) -> int:
        """Bytes in use, including the copies of the index tensors."""
        found = kept(self._key)
        return (0 if found is None else found.nbytes) + self._gather_index.nbytes + self._scatter_index.nbytes

    def _along(self) -> Along:
        return Along(self._gather_index, self._scatter_index, self._key)

    def _are_between(self, gather_index: Tensor, scatter_index: Tensor) -> bool:
        """Return whether these indices equal the indices of the edges. Comparing takes less time than sorting again."""
        return _are_equal(self._gather_index, gather_index) and _are_equal(self._scatter_index, scatter_index)

    def __len__(self) -> int:
        return self._gather_index.shape[0]

    def __reduce__(self) -> Any:
        return Edges, (self._gather_index, self._scatter_index, self.source_size, self.target_size)


def _parts(edges):
    return list(edges._along()[:3]), (edges.source_size, edges.target_size)


def _named_parts(edges):
    parts, sizes = _parts(edges)
    return list(zip(map(GetAttrKey, Along._fields[:3]), parts, strict=True)), sizes


def _of_parts(parts, sizes):
    made = Edges.__new__(Edges)
    made._gather_index, made._scatter_index, key = parts
    # Drops the key if the indices are not the key's own, as after tree_map. Traced keys are kept.
    own = getattr(key, "_strew_indices", (None, None)) if type(key) is Tensor else parts[:2]
    made._key = key if own[0] is parts[0] and own[1] is parts[1] else torch.tensor(-1)
    made._source_size, made._target_size = sizes
    return made


# The constructor checks all its arguments, so torch.load(weights_only=True) may call it.
torch.serialization.add_safe_globals([Edges])
# Lets programs exported by torch.export take edges as arguments.
register_pytree_node(
    Edges,
    _parts,
    _of_parts,
    serialized_type_name="strew.torch.Edges",
    to_dumpable_context=list,
    from_dumpable_context=tuple,
    flatten_with_keys_fn=_named_parts,
)

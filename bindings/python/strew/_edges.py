"""Edges of a graph, prepared for many calls."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _strew
from ._arguments import article, as_int
from ._errors import MadeByInit, wrong_type, wrong_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Array = Any


def rows_and_sizes(edge_index: Any, n: Any) -> tuple[Any, Any, Any, Any]:
    """Return the arguments of `Edges` for an edge_index. `n` is the number of nodes, or a pair (sources, targets)."""
    name = "Edges.from_edge_index"
    sizes = tuple(as_int(name, "n", each) for each in (n if isinstance(n, tuple | list) else (n, n)))
    if len(sizes) != 2:
        raise wrong_value(name, "n", f"n has {len(sizes)} numbers; it must have 2, for sources and targets")
    shape = getattr(edge_index, "shape", None)
    if shape is None and not isinstance(edge_index, tuple | list):
        raise wrong_type(name, "edge_index", f"edge_index is {article(edge_index)}; it must be an array of shape [2, edges]")
    if shape is not None and (len(shape) != 2 or shape[0] != 2):
        raise wrong_value(name, "edge_index", f"edge_index has shape {list(shape)}; it must be [2, edges]")
    if len(edge_index) != 2:
        raise wrong_value(name, "edge_index", f"edge_index has {len(edge_index)} rows; it must have 2, for sources and targets")
    return edge_index[0], edge_index[1], *sizes


class Edges(MadeByInit):
    """The edges of a graph, checked and sorted by target once, for many calls of `gather_scatter`.

    Edge ``e`` goes from source row ``gather_index[e]`` to target row ``scatter_index[e]``. Preparing edges takes about
    as long as two calls of `gather_scatter`; later calls do not check the indices. The index arrays are copied, so
    changing them later has no effect. Several threads may use the same edges at once.

    Parameters
    ----------
    gather_index, scatter_index : array of integers, shape (edges,)
    source_size, target_size : int
        Number of rows of the data (`source_size`) and of the result (`target_size`).
    out_of_bounds : {"error", "clip", "wrap", "drop"}
        Meaning of an index outside its axis; "drop" drops the edge.
    negative_indices : {"from_end", "out_of_bounds"}

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.
    TypeError, ValueError
        If an argument has the wrong type or shape, or a size is negative.

    Examples
    --------
    >>> import numpy as np, strew
    >>> edges = strew.Edges([0, 2, 1], [1, 1, 0], source_size=3, target_size=2)
    >>> edges
    Edges(3 edges, 3 sources, 2 targets)
    >>> strew.gather_scatter(np.array([1.0, 10.0, 100.0]), edges)
    array([ 10., 101.])
    """

    __slots__ = ("__weakref__", "_edges")

    def __init__(
        self,
        gather_index: _Array,
        scatter_index: _Array,
        source_size: int,
        target_size: int,
        *,
        out_of_bounds: Literal["error", "clip", "wrap", "drop"] = "error",
        negative_indices: Literal["from_end", "out_of_bounds"] = "from_end",
    ) -> None:
        sizes = as_int("Edges", "source_size", source_size), as_int("Edges", "target_size", target_size)
        self._edges = _strew._edges(gather_index, scatter_index, *sizes, out_of_bounds, negative_indices)

    @classmethod
    def _of(cls, edges: Any) -> Edges:
        made = cls.__new__(cls)
        made._edges = edges
        return made

    @classmethod
    def from_edge_index(cls, edge_index: _Array, n: int | tuple[int, int]) -> Edges:
        """Return the edges of a PyTorch Geometric edge_index, whose two rows hold the sources and the targets.

        Parameters
        ----------
        edge_index : array of integers, shape (2, edges)
        n : int or (int, int)
            The number of nodes; for two kinds of nodes, the numbers of sources and of targets.

        Returns
        -------
        Edges

        Raises
        ------
        IndexError, TypeError, ValueError
            As for `Edges`.

        Examples
        --------
        >>> import strew
        >>> strew.Edges.from_edge_index([[0, 2, 1], [1, 1, 0]], 3)
        Edges(3 edges, 3 sources, 3 targets)
        """
        return cls(*rows_and_sizes(edge_index, n))

    @classmethod
    def from_csr(cls, row_start: _Array, column: _Array, source_size: int) -> Edges:
        """Return the edges of a CSR matrix (compressed sparse rows). They are already sorted, so they are only checked.

        Parameters
        ----------
        row_start : array of integers, shape (targets + 1,)
            Target t has the edges ``range(row_start[t], row_start[t + 1])``.
        column : array of integers, shape (edges,)
            The source of each edge.
        source_size : int

        Returns
        -------
        Edges

        Raises
        ------
        IndexError
            If an index is out of bounds; the error names the first one.
        ValueError
            If `row_start` does not begin with 0, decreases, or does not end with the length of `column`.

        Examples
        --------
        >>> import numpy as np, strew
        >>> edges = strew.Edges.from_csr([0, 2, 2, 3], [0, 1, 1], source_size=2)
        >>> strew.gather_scatter(np.array([1.0, 10.0]), edges)
        array([11.,  0., 10.])
        """
        return cls._of(_strew._edges_of_csr(row_start, column, as_int("Edges.from_csr", "source_size", source_size)))

    @classmethod
    def from_segments(cls, row_start: _Array) -> Edges:
        """Return the edges from each row of the data to its segment. A segment is a range of consecutive rows.

        Parameters
        ----------
        row_start : array of integers, shape (segments + 1,)
            Segment t has the rows ``range(row_start[t], row_start[t + 1])``; the last value is the number of rows.

        Returns
        -------
        Edges

        Raises
        ------
        ValueError
            If `row_start` decreases or does not begin with 0.

        Examples
        --------
        >>> import numpy as np, strew
        >>> strew.gather_scatter(np.array([1.0, 10.0, 100.0]), strew.Edges.from_segments([0, 2, 2, 3]))
        array([ 11.,   0., 100.])
        """
        return cls._of(_strew._edges_of_segments(row_start))

    @classmethod
    def from_matrix(cls, matrix: Any) -> Edges:
        """Return the edges of a CSR matrix from SciPy or PyTorch, without its values.

        `gather_scatter(data, edges, weight=values)` is then the product of the matrix with the data.

        Parameters
        ----------
        matrix : CSR matrix

        Returns
        -------
        Edges

        Raises
        ------
        TypeError
            If `matrix` is not a CSR matrix, or its shape is not two ints.
        ValueError
            If the shape of `matrix` does not match its row starts.

        Examples
        --------
        >>> import types, numpy as np, strew
        >>> matrix = types.SimpleNamespace(indptr=[0, 1, 2], indices=[1, 0], data=[2.0, 3.0], shape=(2, 2))  # like SciPy's
        >>> strew.gather_scatter(np.eye(2), strew.Edges.from_matrix(matrix), weight=matrix.data)
        array([[0., 2.],
               [3., 0.]])
        """
        if str(getattr(matrix, "layout", "")) == "torch.sparse_csr":
            row_start, column = matrix.crow_indices(), matrix.col_indices()
        elif hasattr(matrix, "indptr") and getattr(matrix, "format", "csr") == "csr":
            row_start, column = matrix.indptr, matrix.indices
        else:
            layout = getattr(matrix, "format", None) or getattr(matrix, "layout", None)
            kind = type(matrix).__name__ if layout is None else f"{type(matrix).__name__} of format {layout}"
            text = f"{kind} is not a CSR matrix; pass one from SciPy or PyTorch"
            raise wrong_type("Edges.from_matrix", "matrix", f"{text}, such as matrix.tocsr() or matrix.to_sparse_csr()")
        try:
            rows, columns = map(operator.index, matrix.shape)
        except (AttributeError, TypeError, ValueError):
            raise wrong_type("Edges.from_matrix", "matrix", "matrix must have a shape of two ints") from None
        made = cls.from_csr(row_start, column, columns)
        if made.target_size != rows:
            text = f"matrix has shape {[rows, columns]}, but has row starts for {made.target_size} rows"
            raise wrong_value("Edges.from_matrix", "matrix", text)
        return made

    @property
    def source_size(self) -> int:
        """Number of rows of the gathered data."""
        return self._edges.source_size

    @property
    def target_size(self) -> int:
        """Number of rows of the result."""
        return self._edges.target_size

    @property
    def is_sorted(self) -> bool:
        """True if the given edges were sorted by target."""
        return self._edges.sorted

    @property
    def nbytes(self) -> int:
        """Bytes in use: up to 8 per edge (4 if `is_sorted`) and 4 per target.

        `reversed` adds up to 8 per edge and 4 per source. With 2**31 - 128 or more edges or rows, these numbers double.
        """
        return self._edges.nbytes

    @property
    def reversed(self) -> Edges:
        """The reversed edges, from targets to sources, for gradients. They are sorted on first use."""
        return Edges._of(self._edges.reversed())

    @property
    def sources(self) -> NDArray[np.int64]:
        """The source of each edge, in the order of `sort`."""
        return self._edges.sources()

    @property
    def targets(self) -> NDArray[np.int64]:
        """The target of each edge, in the order of `sort`."""
        return self._edges.targets()

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The position of each edge among the given edges, in the order of `sort`."""
        return self._edges.numbers()

    def sort(self, values: _Array) -> _Array:
        """Return `values` in the order that `gather_scatter` expects with ``sorted=True``.

        Parameters
        ----------
        values : array, shape (edges, ...)

        Returns
        -------
        array

        Raises
        ------
        TypeError, ValueError
            If `values` do not have a row for each edge, or their element type is not supported.

        Examples
        --------
        >>> import numpy as np, strew
        >>> edges = strew.Edges([0, 0, 0], [2, 0, 1], 1, 3)
        >>> weight = edges.sort(np.array([1.0, 2.0, 3.0]))
        >>> weight
        array([2., 3., 1.])
        >>> strew.gather_scatter(np.ones(1), edges, weight=weight, sorted=True)
        array([2., 3., 1.])
        """
        return self._edges.move(values, back=False)

    def unsort(self, values: _Array) -> _Array:
        """Undo `sort`: return values in the original order of the edges.

        Parameters
        ----------
        values : array, shape (edges, ...)

        Returns
        -------
        array

        Raises
        ------
        TypeError, ValueError
            If `values` do not have a row for each edge, or their element type is not supported.

        Examples
        --------
        >>> import numpy as np, strew
        >>> edges = strew.Edges([0, 0, 0], [2, 0, 1], 1, 3)
        >>> edges.unsort(edges.sort(np.array([1.0, 2.0, 3.0])))
        array([1., 2., 3.])
        """
        return self._edges.move(values, back=True)

    def __len__(self) -> int:
        return self._edges.count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Edges({len(self)} edges, {self.source_size} sources, {self.target_size} targets)"

    def __reduce__(self) -> Any:
        pairs = np.full((2, self._edges.given_count), -1, np.int64)
        pairs[:, self.numbers] = self.sources, self.targets
        return _unpickle, (*pairs, self.source_size, self.target_size)


def _unpickle(sources: Any, targets: Any, *sizes: int) -> Edges:
    sources, targets = np.asarray(sources), np.asarray(targets)
    if sources.shape == targets.shape:
        left_out = (sources == -1) & (targets == -1)  # edges that out_of_bounds="drop" removed
        made = Edges(sources, targets, *sizes, out_of_bounds="drop", negative_indices="out_of_bounds")
        if len(made) + np.count_nonzero(left_out) == len(sources):
            return made
        sources, targets = np.where(left_out, 0, sources), np.where(left_out, 0, targets)
    return Edges(sources, targets, *sizes, negative_indices="out_of_bounds")

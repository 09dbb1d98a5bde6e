"""Fused gather-scatter over the edges of a graph (generalised SpMM)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from . import _strew
from ._arguments import article, as_flag, as_int
from ._edges import Edges
from ._errors import wrong_type
from ._names import hinting

if TYPE_CHECKING:
    _Array = Any
    _Reduction = Literal["add", "mean", "max", "min", "mul"]


@hinting
def gather_scatter(
    data: _Array,
    edges: Edges | _Array,
    scatter_index: _Array | None = None,
    size: int | None = None,
    *,
    weight: _Array | None = None,
    addend: _Array | None = None,
    relu: bool = False,
    reduction: _Reduction = "add",
    base: _Array | None = None,
    out: _Array | None = None,
    argmax: bool = False,
    acc_dtype: Literal["data", "float32"] = "data",
    sorted: bool = False,
    out_of_bounds: Literal["error", "clip", "wrap", "drop"] | None = None,
    negative_indices: Literal["from_end", "out_of_bounds"] | None = None,
) -> Any:
    """Transform the source row of each edge and reduce it into the target row, without storing a row per edge.

    For each edge ``e``, row ``gather_index[e]`` of the data is multiplied by ``weight[e]``, ``addend[e]`` is added,
    `relu` replaces negative values with 0, and the result is reduced into row ``scatter_index[e]``. For any number of
    threads, the bits equal those of separate operators called in this order. Each product and sum is rounded to the
    type of the data, and edges are reduced in the given order.

    Parameters
    ----------
    data : array, shape (sources, ...)
        float16, bfloat16, float32 or float64. The result is an array of the same library, such as NumPy or PyTorch.
    edges : Edges, or array of integers, shape (edges,)
        Prepared edges, or the source of each edge: ``gather_index[e]`` for edge ``e``.
    scatter_index : array of integers, shape (edges,)
        The target of each edge, if `edges` is an array.
    size : int
        Number of rows of the result, if `edges` is an array.
    weight, addend : array, optional
        Arrays of the type of `data`. Shapes are padded on the right with 1s and broadcast to
        ``(edges, *data.shape[1:])``.
    relu : bool
        Replace negative values with 0; a NaN is kept.
    reduction : {"add", "mean", "max", "min", "mul"}
    base : array, optional
        Initial values of the reduction, with the shape of the result; not modified unless also passed as `out`. An
        initial value counts as one term of a mean. If `base` is None, a target without edges is 0, or 1 for "mul".
    out : array, optional
        Array to which the result is written.
    argmax : bool
        For "max" and "min": also return the first edge that supplied each element, or the number of edges if none did.
    acc_dtype : {"data", "float32"}
        Type in which float16 and bfloat16 are accumulated.
    sorted : bool
        Whether `weight` and `addend` are in the order of ``edges.sort``.
    out_of_bounds, negative_indices : str
        As in `Edges`, if `edges` is an array.

    Returns
    -------
    array, shape (targets, ...), or (array, array of int64) if `argmax` is True

    Raises
    ------
    IndexError
        If an index is out of bounds; the error names the first one.
    TypeError, ValueError
        If types or shapes do not match.

    Examples
    --------
    >>> import numpy as np, strew
    >>> features = np.array([[1.0, 2.0], [10.0, 20.0]], np.float32)
    >>> strew.gather_scatter(features, [0, 1, 1], [2, 2, 0], 3, weight=np.array([1, 0.5, 2], np.float32))
    array([[20., 40.],
           [ 0.,  0.],
           [ 6., 12.]], dtype=float32)
    >>> strew.gather_scatter(features, [0, 1, 1], [2, 2, 0], 3, reduction="max", argmax=True)[1]
    array([[2, 2],
           [3, 3],
           [1, 1]])
    """
    if isinstance(edges, Edges):
        if scatter_index is not None or size is not None:
            text = "pass scatter_index and size with an array of indices, not with Edges"
            raise wrong_type("gather_scatter", "scatter_index", text)
        for name, rule in (("out_of_bounds", out_of_bounds), ("negative_indices", negative_indices)):
            if rule is not None:
                text = f"pass {name} with an array of indices, not with Edges, which already have a rule"
                raise wrong_type("gather_scatter", name, text)
        fold: Any = _strew._gather_scatter
        along: tuple[Any, ...] = (edges._edges,)
    else:
        if scatter_index is None or size is None:
            text = "pass Edges, or gather_index, scatter_index and size"
            if type(edges).__module__.startswith("strew.torch"):
                text = "edges are strew.torch.Edges; use strew.torch.gather_scatter"
            raise wrong_type("gather_scatter", "edges", text)
        fold = _strew._gather_scatter_once
        outside = "error" if out_of_bounds is None else out_of_bounds
        negative = "from_end" if negative_indices is None else negative_indices
        along = (edges, scatter_index, as_int("gather_scatter", "size", size), outside, negative)
    relu, argmax = as_flag("gather_scatter", "relu", relu), as_flag("gather_scatter", "argmax", argmax)
    sorted = as_flag("gather_scatter", "sorted", sorted)
    result = fold(data, *along, weight, addend, base, out, relu, reduction, acc_dtype, argmax, sorted)
    if argmax and type(data).__module__.split(".")[0] == "torch":
        import torch

        return result[0], torch.from_numpy(result[1])
    return result


def edge_dot(one: _Array, other: _Array, edges: Edges, *, heads: int = 1) -> _Array:
    """Return the dot product of the source row and the target row of each edge (SDDMM).

    The rows of edge ``e`` are ``one[gather_index[e]]`` and ``other[scatter_index[e]]``. If `one` is the data of a
    `gather_scatter` and `other` the gradient of its result, the dot products are the gradient of `weight`. Rounded
    products are added in a fixed order, so every machine computes the same bits. There are n partial sums: 16, or 8 for
    float64. The products of columns j, j + n and so on are added to sum j. Then the upper half of the sums is
    repeatedly added to the lower half, until one sum remains.

    Parameters
    ----------
    one : array, shape (sources, ...)
    other : array, shape (targets, ...)
        An array with the type and the row shape of `one`.
    edges : Edges
    heads : int
        Number of parts of each row; each part has its own dot product.

    Returns
    -------
    array, shape (edges,), or (edges, heads) if heads is not 1

    Raises
    ------
    TypeError, ValueError
        If types or shapes do not match, or `heads` does not divide the length of a row.

    Examples
    --------
    >>> import numpy as np, strew
    >>> edges = strew.Edges([0, 1], [0, 0], 2, 1)
    >>> strew.edge_dot(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[10.0, 1.0]]), edges)
    array([12., 34.])
    """
    if not isinstance(edges, Edges):
        raise wrong_type("edge_dot", "edges", f"edges is {article(edges)}; it must be strew.Edges")
    return _strew._edge_dot(one, other, edges._edges, as_int("edge_dot", "heads", heads))

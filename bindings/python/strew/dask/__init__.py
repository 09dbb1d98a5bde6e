"""Gather and scatter on Dask arrays, for operands larger than memory, with the bytes of one call.

Operands are Dask arrays with any chunks, or are converted to them: NumPy, zarr or h5py arrays, and sequences. Results
are lazy. The module needs ``dask[array]`` (the extra ``dask``) and its own import. docs/dask.md has guidance on when it
pays and which chunks to choose.

>>> import dask.array as da, numpy as np, strew.dask
>>> cache = da.ones((4, 2), chunks=(2, 2), dtype=np.float32)
>>> rows = da.from_array(np.array([[3], [0], [3]]), chunks=(2, 1))
>>> strew.dask.scatter_nd(cache, rows, np.array([[1, 2], [10, 20], [100, 200]], np.float32), reduction="add").compute()
array([[ 11.,  21.],
       [  1.,   1.],
       [  1.,   1.],
       [102., 203.]], dtype=float32)
"""

try:
    import dask.array  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"strew.dask needs the package dask: pip install 'dask[array]' ({error})", name=error.name) from error

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .. import _names
from . import _operators
from ._chunks import check_parameters

if TYPE_CHECKING:
    from .._strew import _AccDtype, _Casting, _Mode, _NegativeIndices, _OutOfBoundsGather, _OutOfBoundsScatter, _Reduction

__all__ = ["gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd", "tensor_scatter"]


def __dir__():
    return __all__


if not TYPE_CHECKING:

    def __getattr__(name):
        raise _names.no_attribute(__name__, name, __all__)


_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])


def _refusing_others(function: _FunctionT) -> _FunctionT:
    """Return the function with an error for unknown parameters in the words of `strew`'s own functions."""
    known = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*operands, **attributes):
        check_parameters(function.__name__, attributes, known)
        return function(*operands, **attributes)

    return cast("_FunctionT", call)


@_refusing_others
def gather(
    data: Any,
    indices: Any,
    axis: int = 0,
    *,
    out_of_bounds: "_OutOfBoundsGather" = "error",
    fill_value: Any = None,
    negative_indices: "_NegativeIndices" = "from_end",
    shuffle_method: str = "auto",
) -> "dask.array.Array":
    """Return slices of `data` along `axis`, as ONNX Gather-13.

    Parameters
    ----------
    data : dask.array.Array or array_like
        Rank 1 or more.
    indices : dask.array.Array or array_like
        Integers of any shape; negative ones count from the end. Indices in memory are checked at once, those of a Dask
        array when the result is computed.
    axis : int
        In [-rank, rank - 1].
    out_of_bounds, fill_value, negative_indices
        As for `strew.gather`.
    shuffle_method : {"auto", "direct", "disk", "tasks", "p2p"}
        How chunks of indices and chunks of data that are split along the axis exchange rows. The result never depends
        on it.

    Returns
    -------
    dask.array.Array
        Shape data.shape[:axis] + indices.shape + data.shape[axis + 1:], with the chunks of both.

    Raises
    ------
    IndexError
        For the first index value in row-major order that is outside the axis, with the message of `strew.gather`: when
        the result is computed, before any chunk of it exists.
    TypeError, ValueError
        At the call, for types, shapes, attributes and chunks of unknown sizes.

    Examples
    --------
    >>> import dask.array as da, strew.dask
    >>> table = da.arange(12, chunks=5).reshape(6, 2)
    >>> strew.dask.gather(table, [5, 0, -1]).compute()
    array([[10, 11],
           [ 0,  1],
           [10, 11]])
    """
    rules = {"out_of_bounds": out_of_bounds, "fill_value": fill_value, "negative_indices": negative_indices}
    return _operators.gather(data, indices, axis, shuffle_method, rules)


@_refusing_others
def gather_elements(
    data: Any,
    indices: Any,
    axis: int = 0,
    *,
    out_of_bounds: "_OutOfBoundsGather" = "error",
    fill_value: Any = None,
    negative_indices: "_NegativeIndices" = "from_end",
    shuffle_method: str = "auto",
) -> "dask.array.Array":
    """Return elements of `data` along `axis`, as ONNX GatherElements-13 and `np.take_along_axis`.

    `indices` have the rank of `data` and are not longer than `data` on the other axes. The result has their shape; on
    the other axes it has the chunks of `data`. If the axis is in one chunk, nothing is shuffled. Parameters and errors
    are those of `gather`.

    Examples
    --------
    >>> import dask.array as da, strew.dask
    >>> data = da.arange(6, chunks=2).reshape(2, 3)
    >>> strew.dask.gather_elements(data, [[2, 0], [1, 1]], axis=1).compute()
    array([[2, 0],
           [4, 4]])
    """
    rules = {"out_of_bounds": out_of_bounds, "fill_value": fill_value, "negative_indices": negative_indices}
    return _operators.gather_elements(data, indices, axis, shuffle_method, rules)


@_refusing_others
def gather_nd(
    data: Any,
    indices: Any,
    batch_dims: int = 0,
    *,
    out_of_bounds: "_OutOfBoundsGather" = "error",
    fill_value: Any = None,
    negative_indices: "_NegativeIndices" = "from_end",
    shuffle_method: str = "auto",
) -> "dask.array.Array":
    """Return the slices of `data` that index tuples along the last axis of `indices` address, as ONNX GatherND-13.

    The result has the shape indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:]. Parameters and errors are
    those of `gather`.

    Examples
    --------
    >>> import dask.array as da, strew.dask
    >>> data = da.arange(6, chunks=2).reshape(2, 3)
    >>> strew.dask.gather_nd(data, [[1, 2], [0, 0]]).compute()
    array([5, 0])
    """
    rules = {"out_of_bounds": out_of_bounds, "fill_value": fill_value, "negative_indices": negative_indices}
    return _operators.gather_nd(data, indices, batch_dims, shuffle_method, rules)


@_refusing_others
def scatter_elements(
    data: Any,
    indices: Any,
    updates: Any,
    axis: int = 0,
    reduction: "_Reduction" = "none",
    *,
    out_of_bounds: "_OutOfBoundsScatter" = "error",
    negative_indices: "_NegativeIndices" = "from_end",
    include_self: bool = True,
    acc_dtype: "_AccDtype" = "data",
    alpha: Any = None,
    casting: "_Casting" = "equiv",
    shuffle_method: str = "auto",
) -> "dask.array.Array":
    """Return a copy of `data` with `updates` written along `axis`, as ONNX ScatterElements-18 and `np.put_along_axis`.

    `updates` have the shape of `indices`; a scalar is broadcast. The result has the chunks of `data`. Updates of one
    element apply in row-major order of `indices`, also for floats. If the axis is in one chunk, nothing is shuffled.
    Parameters are as in `strew.scatter_elements`, and `shuffle_method`; errors are as in `gather`.

    Examples
    --------
    >>> import dask.array as da, strew.dask
    >>> strew.dask.scatter_elements(da.zeros(5, chunks=2), [4, 0, 4], [1.0, 2.0, 3.0], reduction="add").compute()
    array([2., 0., 0., 0., 4.])
    """
    how: dict[str, Any] = {"out_of_bounds": out_of_bounds, "negative_indices": negative_indices, "include_self": include_self}
    how |= {"acc_dtype": acc_dtype, "alpha": alpha, "casting": casting}
    return _operators.scatter_elements(data, indices, updates, axis, reduction, shuffle_method, how)


@_refusing_others
def scatter_nd(
    data: Any,
    indices: Any,
    updates: Any,
    reduction: "_Reduction" = "none",
    *,
    out_of_bounds: "_OutOfBoundsScatter" = "error",
    negative_indices: "_NegativeIndices" = "from_end",
    include_self: bool = True,
    acc_dtype: "_AccDtype" = "data",
    alpha: Any = None,
    casting: "_Casting" = "equiv",
    shuffle_method: str = "auto",
) -> "dask.array.Array":
    """Return a copy of `data` with slices of `updates` written at index tuples, as ONNX ScatterND-18.

    `updates` have the shape indices.shape[:-1] + data.shape[indices.shape[-1]:]; a scalar is broadcast. The result has
    the chunks of `data`. Updates of one slice apply in row-major order of `indices`, also for floats. Parameters are
    those of `strew.scatter_nd` and `shuffle_method`; errors are those of `gather`.

    Examples
    --------
    >>> import dask.array as da, numpy as np, strew.dask
    >>> bins = da.zeros(4, chunks=2, dtype=np.float32)
    >>> strew.dask.scatter_nd(bins, [[3], [0], [3]], 1.0, reduction="add").compute()
    array([1., 0., 0., 2.], dtype=float32)
    """
    how: dict[str, Any] = {"out_of_bounds": out_of_bounds, "negative_indices": negative_indices, "include_self": include_self}
    how |= {"acc_dtype": acc_dtype, "alpha": alpha, "casting": casting}
    return _operators.scatter_nd(data, indices, updates, reduction, shuffle_method, how)


@_refusing_others
def tensor_scatter(
    past_cache: Any,
    update: Any,
    write_indices: Any = None,
    axis: int = -2,
    mode: "_Mode" = "linear",
    *,
    casting: "_Casting" = "equiv",
) -> "dask.array.Array":
    """Return a copy of `past_cache` with `update` written from each batch's write index, as ONNX TensorScatter-24.

    Each chunk of the cache needs only `update`, whole along the axis, so nothing is shuffled. Parameters and errors are
    those of `strew.tensor_scatter`.

    Examples
    --------
    >>> import dask.array as da, strew.dask
    >>> strew.dask.tensor_scatter(da.zeros((2, 4, 1), chunks=2), da.ones((2, 2, 1)), [1, 2], axis=1)[..., 0].compute()
    array([[0., 1., 1., 0.],
           [0., 0., 1., 1.]])
    """
    return _operators.tensor_scatter(past_cache, update, write_indices, axis, mode, casting)

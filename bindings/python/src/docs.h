// Docstrings of the operators, in NumPy's layout, each after the line that `inspect.signature` reads. Their
// examples are run by tests/python/test_docstrings.py.
#pragma once

namespace strew::python {

inline constexpr char kGatherDoc[] =
    R"(gather($module, data, indices, axis=0, out=None, *, out_of_bounds='error', fill_value=None, negative_indices='from_end', stream=None, deferred=None)
--

Take rows of `data` along an axis (ONNX Gather-13).

Parameters
----------
data : array
    Of any element type of fixed size, or strings; any strides, rank 1 or more.
indices : array of integers
    Of any shape and integer type; negative values count from the end.
axis : int, default 0
    Negative values count from the last axis.
out : array, optional
    Where to write; of the result's shape and type, in memory that is not that of `data` or `indices`.
out_of_bounds : {'error', 'clip', 'wrap', 'fill'}
    What an index outside the axis stands for: an `IndexError`; the first or the last position; the index modulo the
    length of the axis; `fill_value`.
fill_value : scalar, optional
    Of the type of `data`; 0 or the empty string if left out.
negative_indices : {'from_end', 'outside'}
    Whether negative indices count from the end or are out of bounds.
stream : int or stream, optional
    For arrays on a CUDA device: where the work goes; by default the current stream of the library of the first array.
deferred : strew.cuda.DeferredErrors, optional
    For arrays on a CUDA device: takes note of the call, which then does not wait for what the device says.

Returns
-------
array
    Of shape ``data.shape[:axis] + indices.shape + data.shape[axis + 1:]``, of the kind of `data`; `out` if given.

Raises
------
IndexError
    If an index is outside ``[-s, s - 1]``, where ``s = data.shape[axis]``, and no rule says what it stands for.
TypeError, ValueError
    If a type, or a shape or `axis`, is not legal. Nothing was written after any error.

Examples
--------
>>> import numpy as np, strew
>>> data = np.array([[1, 2], [3, 4], [5, 6]])
>>> strew.gather(data, [2, -3])
array([[5, 6],
       [1, 2]])
>>> strew.gather(data, [[1], [0]], axis=1).shape
(3, 2, 1)
>>> strew.gather(data, [0, 3], out_of_bounds="fill", fill_value=-1)
array([[ 1,  2],
       [-1, -1]])
)";

inline constexpr char kGatherElementsDoc[] =
    R"(gather_elements($module, data, indices, axis=0, out=None, *, out_of_bounds='error', fill_value=None, negative_indices='from_end', stream=None, deferred=None)
--

Take one element of `data` for each index, along an axis (ONNX GatherElements-13).

For rank 2 and axis 0: ``result[i, j] = data[indices[i, j], j]``. It is `numpy.take_along_axis` and `torch.gather`.

Parameters
----------
data : array
    Of rank 1 or more.
indices : array of integers
    Of the rank of `data`; off the axis no dimension may pass that of `data`. Negative values count from the end.
axis : int, default 0
out : array, optional
    Where to write; of the result's shape and type, in memory that is not that of `data` or `indices`.
out_of_bounds : {'error', 'clip', 'wrap', 'fill'}
    What an index outside the axis stands for: an `IndexError`; the first or the last position; the index modulo the
    length of the axis; `fill_value`.
fill_value : scalar, optional
    Of the type of `data`; 0 or the empty string if left out.
negative_indices : {'from_end', 'outside'}
    Whether negative indices count from the end or are out of bounds.
stream : int or stream, optional
    For arrays on a CUDA device: where the work goes; by default the current stream of the library of the first array.
deferred : strew.cuda.DeferredErrors, optional
    For arrays on a CUDA device: takes note of the call, which then does not wait for what the device says.

Returns
-------
array
    Of the shape of `indices`, of the kind of `data`; `out` if given.

Raises
------
IndexError
    If an index is outside ``[-s, s - 1]``, where ``s = data.shape[axis]``, and no rule says what it stands for.
TypeError, ValueError
    If a type, or a shape or `axis`, is not legal. Nothing was written after any error.

Examples
--------
>>> import numpy as np, strew
>>> data = np.array([[1, 2, 3], [4, 5, 6]])
>>> strew.gather_elements(data, [[0, 0], [2, 1]], axis=1)
array([[1, 1],
       [6, 5]])
>>> strew.gather_elements(data, [[-1, 9]], axis=1, out_of_bounds="clip", negative_indices="outside")
array([[1, 3]])
)";

inline constexpr char kGatherNDDoc[] =
    R"(gather_nd($module, data, indices, batch_dims=0, out=None, *, out_of_bounds='error', fill_value=None, negative_indices='from_end', stream=None, deferred=None)
--

Take one slice of `data` for each index tuple (ONNX GatherND-13).

Parameters
----------
data : array
    Of rank 1 or more.
indices : array of integers
    Its last axis runs over the components of a tuple, which address the axes of `data` after the batch axes.
batch_dims : int, default 0
    How many leading axes `data` and `indices` have in common.
out : array, optional
    Where to write; of the result's shape and type, in memory that is not that of `data` or `indices`.
out_of_bounds : {'error', 'clip', 'wrap', 'fill'}
    What an index outside the axis stands for: an `IndexError`; the first or the last position; the index modulo the
    length of the axis; `fill_value`.
fill_value : scalar, optional
    Of the type of `data`; 0 or the empty string if left out.
negative_indices : {'from_end', 'outside'}
    Whether negative indices count from the end or are out of bounds.
stream : int or stream, optional
    For arrays on a CUDA device: where the work goes; by default the current stream of the library of the first array.
deferred : strew.cuda.DeferredErrors, optional
    For arrays on a CUDA device: takes note of the call, which then does not wait for what the device says.

Returns
-------
array
    Of shape ``indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:]``, of the kind of `data`; `out` if
    given.

Raises
------
IndexError
    If a component is outside ``[-s, s - 1]``, where ``s`` is the dimension it addresses, and no rule says what it
    stands for.
TypeError, ValueError
    If a type, or a shape or `batch_dims`, is not legal. Nothing was written after any error.

Examples
--------
>>> import numpy as np, strew
>>> data = np.array([[1, 2], [3, 4]])
>>> strew.gather_nd(data, [[0, 0], [1, 1]])
array([1, 4])
>>> strew.gather_nd(data, [[1], [0]], batch_dims=1)
array([2, 3])
>>> strew.gather_nd(data, [[0, 3], [2, 0]], out_of_bounds="wrap")
array([2, 1])
)";

inline constexpr char kScatterElementsDoc[] =
    R"(scatter_elements($module, data, indices, updates, axis=0, reduction='none', out=None, *, out_of_bounds='error', negative_indices='from_end', promote=False, include_self=True, accumulate='data', alpha=None, stream=None, deferred=None)
--

Write or add one update for each index, along an axis (ONNX ScatterElements-18).

For rank 2 and axis 0: ``result[indices[i, j], j] = f(result[indices[i, j], j], updates[i, j])``, starting from a copy of
`data`, in row-major order of `indices`: of equal indices the last wins, or all are added up in order. The result has
the same bits for any number of threads. With reduction "none" it is `numpy.put_along_axis` and `torch.scatter`.

Parameters
----------
data : array
    Of rank 1 or more.
indices : array of integers
    Of the rank of `data`; off the axis no dimension may pass that of `data`. Negative values count from the end.
updates : array or scalar
    Of the shape of `indices` and the type of `data`. Sequences and scalars take that type.
axis : int, default 0
reduction : {'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'}
    Of numbers; 'div' of floats and complex numbers, 'and', 'or', 'xor' of integers and bool, 'add' of strings too.
    'mean' is the sum, then one division by the number of terms. ONNX has those up to 'min'.
out : array, optional
    Where to write; of the shape and type of `data`. ``out=data`` works in place; else it must be in memory that is not
    that of an operand.
out_of_bounds : {'error', 'clip', 'wrap', 'drop'}
    What an index outside the axis stands for: an `IndexError`; the first or the last position; the index modulo the
    length of the axis; nothing, so that its update is left out.
negative_indices : {'from_end', 'outside'}
    Whether negative indices count from the end or are out of bounds.
promote : bool, default False
    Whether updates of another type are cast to that of `data`, where NumPy's casting ``'same_kind'`` allows it.
include_self : bool, default True
    Whether the value in `data` takes part in a reduction. An element that no update reaches keeps it.
accumulate : {'data', 'float32'}
    The type of a reduction's steps: that of `data`, or float32 with one rounding at the end, for floats of 8 and 16
    bits.
alpha : scalar, optional
    By what updates of a reduction are multiplied first, each product rounded.
stream : int or stream, optional
    For arrays on a CUDA device: where the work goes; by default the current stream of the library of the first array.
deferred : strew.cuda.DeferredErrors, optional
    For arrays on a CUDA device: takes note of the call, which then does not wait for what the device says.

Returns
-------
array
    Of the shape and kind of `data`; `out` if given.

Raises
------
IndexError
    If an index is outside ``[-s, s - 1]``, where ``s = data.shape[axis]``, and no rule says what it stands for.
TypeError, ValueError
    If a type, or a shape, `axis` or `reduction`, is not legal. Nothing was written after any error.

Examples
--------
>>> import numpy as np, strew
>>> strew.scatter_elements(np.zeros(4), [1, 3, 1], [1.0, 2.0, 3.0], reduction="add")
array([0., 4., 0., 2.])
>>> strew.scatter_elements(np.arange(4), [0, 0], [7, 8])
array([8, 1, 2, 3])
>>> strew.scatter_elements(np.zeros(2), [1], np.array([7]), promote=True)
array([0., 7.])
>>> strew.scatter_elements(np.full(3, 9.0), [1, 1], [1.0, 4.0], reduction="mean", include_self=False)
array([9. , 2.5, 9. ])
>>> strew.scatter_elements(np.arange(4), [0, -1], 9, out_of_bounds="drop", negative_indices="outside")
array([9, 1, 2, 3])
)";

inline constexpr char kScatterNDDoc[] =
    R"(scatter_nd($module, data, indices, updates, reduction='none', out=None, *, out_of_bounds='error', negative_indices='from_end', promote=False, include_self=True, accumulate='data', alpha=None, stream=None, deferred=None)
--

Write or add one slice for each index tuple (ONNX ScatterND-18).

``result[tuple(indices[p])] = f(result[tuple(indices[p])], updates[p])`` for each position ``p`` in row-major order,
starting from a copy of `data`: of equal tuples the last wins, or all are added up in order. The result has the same
bits for any number of threads.

Parameters
----------
data : array
    Of rank 1 or more.
indices : array of integers
    Its last axis runs over the components of a tuple, which address the leading axes of `data`.
updates : array or scalar
    Of shape ``indices.shape[:-1] + data.shape[indices.shape[-1]:]`` and the type of `data`. Sequences and scalars take
    that type.
reduction : {'none', 'add', 'mul', 'max', 'min', 'sub', 'div', 'and', 'or', 'xor', 'mean'}
    Of numbers; 'div' of floats and complex numbers, 'and', 'or', 'xor' of integers and bool, 'add' of strings too.
    'mean' is the sum, then one division by the number of terms. ONNX has those up to 'min'.
out : array, optional
    Where to write; of the shape and type of `data`. ``out=data`` works in place; else it must be in memory that is not
    that of an operand.
out_of_bounds : {'error', 'clip', 'wrap', 'drop'}
    What an index outside the axis stands for: an `IndexError`; the first or the last position; the index modulo the
    length of the axis; nothing, so that its update is left out.
negative_indices : {'from_end', 'outside'}
    Whether negative indices count from the end or are out of bounds.
promote : bool, default False
    Whether updates of another type are cast to that of `data`, where NumPy's casting ``'same_kind'`` allows it.
include_self : bool, default True
    Whether the value in `data` takes part in a reduction. An element that no update reaches keeps it.
accumulate : {'data', 'float32'}
    The type of a reduction's steps: that of `data`, or float32 with one rounding at the end, for floats of 8 and 16
    bits.
alpha : scalar, optional
    By what updates of a reduction are multiplied first, each product rounded.
stream : int or stream, optional
    For arrays on a CUDA device: where the work goes; by default the current stream of the library of the first array.
deferred : strew.cuda.DeferredErrors, optional
    For arrays on a CUDA device: takes note of the call, which then does not wait for what the device says.

Returns
-------
array
    Of the shape and kind of `data`; `out` if given.

Raises
------
IndexError
    If a component is outside ``[-s, s - 1]``, where ``s`` is the dimension it addresses, and no rule says what it
    stands for.
TypeError, ValueError
    If a type, or a shape or `reduction`, is not legal. Nothing was written after any error.

Examples
--------
>>> import numpy as np, strew
>>> strew.scatter_nd(np.zeros((3, 2)), [[2], [0], [2]], [[1, 1], [2, 2], [3, 3]], reduction="add")
array([[2., 2.],
       [0., 0.],
       [4., 4.]])
>>> strew.scatter_nd(np.zeros(3), [[0], [3]], [5.0, 6.0], out_of_bounds="drop")
array([5., 0., 0.])
>>> days = np.array(["2024-02-28", "2024-03-01"], dtype="M8[D]")
>>> strew.scatter_nd(days, [[1]], ["2024-02-29"])
array(['2024-02-28', '2024-02-29'], dtype='datetime64[D]')
>>> cache = np.zeros(4, dtype=np.float32)
>>> strew.scatter_nd(cache, [[1]], [5], out=cache) is cache
True
)";

inline constexpr char kTensorScatterDoc[] =
    R"(tensor_scatter($module, past_cache, update, write_indices=None, axis=-2, mode='linear', out=None, *, promote=False, stream=None, deferred=None)
--

Write an update into a cache at a position for each batch entry (ONNX TensorScatter-24).

Parameters
----------
past_cache : array
    Of rank 2 or more; the first axis is the batch.
update : array
    Of the type and rank of `past_cache`, equal to it in every dimension but that of `axis`, where it may be shorter.
write_indices : array of integers, optional
    Of shape ``[batch]``: where along `axis` each update begins. All 0 if left out.
axis : int, default -2
    Not the batch axis.
mode : {'linear', 'circular'}
    Whether an update that passes the end is an error or goes on at position 0.
out : array, optional
    Where to write; of the shape and type of `past_cache`. ``out=past_cache`` works in place.
promote : bool, default False
    Whether updates of another type are cast to that of `past_cache`, where NumPy's casting ``'same_kind'`` allows it.
stream : int or stream, optional
    For arrays on a CUDA device: where the work goes; by default the current stream of the library of the first array.
deferred : strew.cuda.DeferredErrors, optional
    For arrays on a CUDA device: takes note of the call, which then does not wait for what the device says.

Returns
-------
array
    Of the shape and kind of `past_cache`; `out` if given.

Raises
------
IndexError
    If an update does not fit at its position.
TypeError, ValueError
    If a type, or a shape, `axis` or `mode`, is not legal. Nothing was written after any error.

Examples
--------
>>> import numpy as np, strew
>>> cache = np.zeros((1, 3, 2))
>>> strew.tensor_scatter(cache, np.ones((1, 1, 2)), [1])
array([[[0., 0.],
        [1., 1.],
        [0., 0.]]])
)";

}  // namespace strew::python

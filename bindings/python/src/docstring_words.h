// Text of docstrings that is not in the table of operators.
#pragma once

#include <string_view>

#include "strew/call.h"

namespace strew::python {

struct Prose {
  OpKind op;
  std::string_view summary;  // before the name of the ONNX operator
  std::string_view more;     // paragraphs
  std::string_view result;   // "Of shape ..."
  std::string_view bad_index;
  std::string_view example;
};

inline constexpr std::string_view kOutsideAxis =
    "If an index is outside ``[-s, s - 1]``, where ``s = data.shape[axis]``, and `out_of_bounds` is 'error'.";
inline constexpr std::string_view kOutsideDimension =
    "If a component is outside ``[-s, s - 1]``, where ``s`` is the dimension that it addresses, and "
    "`out_of_bounds` is 'error'.";

// An operator without an entry uses the text of the operator table.
inline constexpr Prose kProse[] = {
    {OpKind::kGather, "Take rows of `data` along an axis", "",
     "Of shape ``data.shape[:axis] + indices.shape + data.shape[axis + 1:]``, of the kind of `data`", kOutsideAxis,
     R"(>>> data = np.array([[1, 2], [3, 4], [5, 6]])
>>> strew.gather(data, [2, -3])
array([[5, 6],
       [1, 2]])
>>> strew.gather(data, [[1], [0]], axis=1).shape
(3, 2, 1)
>>> strew.gather(data, [0, 3], out_of_bounds="fill", fill_value=-1)
array([[ 1,  2],
       [-1, -1]])
)"},
    {OpKind::kGatherElements, "Take one element of `data` for each index, along an axis",
     "For rank 2 and axis 0: ``result[i, j] = data[indices[i, j], j]``. The same as `numpy.take_along_axis` and "
     "`torch.gather`.",
     "Of the shape of `indices`, of the kind of `data`", kOutsideAxis,
     R"(>>> data = np.array([[1, 2, 3], [4, 5, 6]])
>>> strew.gather_elements(data, [[0, 0], [2, 1]], axis=1)
array([[1, 1],
       [6, 5]])
>>> strew.gather_elements(data, [[-1, 9]], axis=1, out_of_bounds="clip", negative_indices="out_of_bounds")
array([[1, 3]])
)"},
    {OpKind::kGatherND, "Take one slice of `data` for each index tuple", "",
     "Of shape ``indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:]``, of the kind of `data`",
     kOutsideDimension,
     R"(>>> data = np.array([[1, 2], [3, 4]])
>>> strew.gather_nd(data, [[0, 0], [1, 1]])
array([1, 4])
>>> strew.gather_nd(data, [[1], [0]], batch_dims=1)
array([2, 3])
>>> strew.gather_nd(data, [[0, 3], [2, 0]], out_of_bounds="wrap")
array([2, 1])
)"},
    {OpKind::kScatterElements, "Write or add one update for each index, along an axis",
     "For rank 2 and axis 0: ``result[indices[i, j], j] = f(result[indices[i, j], j], updates[i, j])`` with the "
     "reduction ``f``, starting from a copy of `data`, in row-major order of `indices`. The result has the same "
     "bits for any number of threads. With reduction \"none\" the last of equal indices wins, as in "
     "`numpy.put_along_axis`.",
     "Of the shape and kind of `data`", kOutsideAxis,
     R"(>>> strew.scatter_elements(np.zeros(4), [1, 3, 1], [1.0, 2.0, 3.0], reduction="add")
array([0., 4., 0., 2.])
>>> strew.scatter_elements(np.arange(4), [0, 0], [7, 8])
array([8, 1, 2, 3])
>>> strew.scatter_elements(np.zeros(2), [1], np.array([7]), casting="same_kind")
array([0., 7.])
>>> strew.scatter_elements(np.full(3, 9.0), [1, 1], [1.0, 4.0], reduction="mean", include_self=False)
array([9. , 2.5, 9. ])
>>> strew.scatter_elements(np.arange(4), [0, -1], 9, out_of_bounds="drop", negative_indices="out_of_bounds")
array([9, 1, 2, 3])
)"},
    {OpKind::kScatterND, "Write or add one slice for each index tuple",
     "``result[tuple(indices[p])] = f(result[tuple(indices[p])], updates[p])`` with the reduction ``f``, for each "
     "position ``p`` in row-major order, starting from a copy of `data`. The result has the same bits for any "
     "number of threads. With reduction \"none\" the last of equal tuples wins.",
     "Of the shape and kind of `data`", kOutsideDimension,
     R"(>>> strew.scatter_nd(np.zeros((3, 2)), [[2], [0], [2]], [[1, 1], [2, 2], [3, 3]], reduction="add")
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
)"},
    {OpKind::kTensorScatter, "Write an update into each batch entry of a cache, from a given position on", "",
     "Of the shape and kind of `past_cache`", "If an update does not fit at its position.",
     R"(>>> cache = np.zeros((1, 3, 2))
>>> strew.tensor_scatter(cache, np.ones((1, 1, 2)), [1])
array([[[0., 0.],
        [1., 1.],
        [0., 0.]]])
)"},
};

constexpr unsigned bit(OpKind op) { return 1u << static_cast<unsigned>(op); }
inline constexpr unsigned kGathers = bit(OpKind::kScatterElements) - 1;  // all operators before it
inline constexpr unsigned kByElements = bit(OpKind::kGatherElements) | bit(OpKind::kScatterElements);
inline constexpr unsigned kByTuples = bit(OpKind::kGatherND) | bit(OpKind::kScatterND);
inline constexpr unsigned kCache = bit(OpKind::kTensorScatter);
inline constexpr unsigned kAll = ~0u;

// Text that follows the operator table's description of a parameter; the first entry that matches counts.
struct Further {
  std::string_view parameter;
  unsigned operators;
  std::string_view words;
};

inline constexpr Further kFurther[] = {
    {"data", bit(OpKind::kGather),
     ". Of rank 1 or more, with any strides, and of any element type of fixed size, or strings."},
    {"data", kAll, ". Of rank 1 or more."},
    {"past_cache", kAll, ". Of rank 2 or more."},
    {"indices", bit(OpKind::kGather), ". Of any shape and integer type; negative values count from the end."},
    {"indices", kByElements,
     ". Of the rank of `data`; only the length along `axis` may exceed that of `data`. Negative values count from "
     "the end."},
    {"indices", bit(OpKind::kGatherND),
     ". The last axis runs over the components of a tuple, which address the axes of `data` after the batch "
     "axes."},
    {"indices", kByTuples,
     ". The last axis runs over the components of a tuple, which address the leading axes of `data`."},
    {"updates", kByElements,
     ". Of the shape of `indices` and the type of `data`. Sequences and scalars are converted to that type."},
    {"updates", kByTuples,
     ". Of shape ``indices.shape[:-1] + data.shape[indices.shape[-1]:]`` and the type of `data`. Sequences and "
     "scalars are converted to that type."},
    {"update", kAll,
     ". Of the type, rank and dimensions of `past_cache`; only the length along `axis` may be smaller."},
    {"write_indices", kAll, ". Of shape ``[batch]``."},
    {"axis", kCache, ". It must not be the batch axis."},
    {"mode", kAll, " ('circular'). With 'linear', an update that passes the last position is an error."},
    {"out", kGathers,
     "The array to write, of the result's shape and type. Its memory must not overlap `data` or `indices`."},
    {"out", kCache,
     "The array to write, of the shape and type of `past_cache`. ``out=past_cache`` works in place."},
    {"out", kAll,
     "The array to write, of the shape and type of `data`. ``out=data`` works in place; any other array must not "
     "overlap an operand."},
    {"out_of_bounds", kGathers,
     ". 'error' raises an `IndexError`; 'clip' uses the first or the last position; 'wrap' uses the index modulo "
     "the length of the axis; 'fill' writes `fill_value`."},
    {"out_of_bounds", kAll,
     ". 'error' raises an `IndexError`; 'clip' uses the first or the last position; 'wrap' uses the index modulo "
     "the length of the axis; 'drop' leaves out the update."},
    {"fill_value", kAll, "; by default 0 or the empty string."},
    {"reduction", kAll,
     ". For numbers; 'div' for floats and complex numbers, 'and', 'or' and 'xor' for integers and bool, 'add' "
     "also for strings. 'mean' divides the sum once by the number of terms. ONNX defines only 'none', 'add', "
     "'mul', 'max' and 'min'."},
    {"include_self", kAll, ". An element that no update reaches keeps its value."},
    {"acc_dtype", kAll, ": that of `data` or, for floats of 8 and 16 bits, float32 with one rounding at the end."},
    {"alpha", kAll, "; each product is rounded."},
};

}  // namespace strew::python

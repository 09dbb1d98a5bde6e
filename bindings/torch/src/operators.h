// The torch operators that Strew runs: indexing, scatters, embeddings, and products of sparse matrices.
#pragma once

#include <ATen/core/List.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "strew/edges.h"
#include "strew/gather_scatter.h"
#include "tensors.h"
#include "thresholds.h"

namespace strew::aten {

// fold.cc: gathers rows along edges and reduces them in one pass, for sparse matrices and bags of embeddings.

/// Reduces rows of `data` into a new matrix with a row for each target. Sets `winners`, if given, to the edge that
/// produced each element.
Outcome fold(Tensor& result, const Tensor& data, const Edges& edges, const GatherScatterOperands& operands,
             Reduction reduction, Tensor* winners = nullptr);

Options options_for(std::int64_t elements);

/// True if an index in a contiguous tensor is negative. Strew would count it from the end, but torch rejects it.
bool has_negative(const Tensor& indices);

/// True if all elements of a contiguous tensor of floats are 1.
bool all_ones(const Tensor& values);
bool has_nan(const Tensor& values);
bool has_nan_or_infinity(const Tensor& values);

// gather, index_select, take, and advanced indexing: x[i], x[i, j] = v and x[mask].

using Indices = c10::List<std::optional<Tensor>>;

Outcome index(Output& output, const Tensor& self, const Indices& indices);
Outcome index_put(Output& in_place, const Tensor& self, const Indices& indices, const Tensor& values,
                  bool accumulate, bool unsafe);

Outcome gather_elements(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                        bool sparse_grad);
Outcome index_select(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index);
Outcome take(Output& output, const Tensor& self, const Tensor& index);

/// Broadcasts the indices of adjacent axes as in torch, and computes positions along the merged axis, such as
/// `i * extents[1] + j` for two axes. Negative indices count from the end. `positions` is contiguous. Returns
/// kIndexRange if an index is outside its axis.
Outcome merge_indices(const c10::SmallVector<Tensor, 4>& indices, at::IntArrayRef extents, Tensor& positions);

// index_add, index_copy, scatter and others: writes at indices along one axis.

/// Rules that differ between torch's kernels.
struct ScatterRules {
  Bounds bounds = {};
  bool only_long = false;  ///< int32 indices are an error
  bool from_end = false;   ///< negative indices count from the end; else they are an error
  bool include_self = true;
  bool wide = false;  ///< sums and products of float16 and bfloat16 are computed in float32
};

/// The written values: a tensor, or one repeated value, which is a tensor of rank 0 or a number.
struct Source {
  const Tensor* tensor = nullptr;
  const at::Scalar* number = nullptr;
  bool one_value = false;

  Source(const Tensor& all) : tensor(&all) {}
  Source(const at::Scalar& value) : number(&value), one_value(true) {}
  static Source one(const Tensor& value) {
    Source source(value);
    source.one_value = true;
    return source;
  }
};

/// Scatters one row of `source` along `dim` for each value of `index`, which has rank 1 or 0.
Outcome scatter_rows(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                     const Source& source, Reduction reduction, const ScatterRules& rules);

/// Scatters one element of `source` for each value of `index`; `source` may be larger than `index`.
Outcome scatter_elements(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                         const Source& source, Reduction reduction, const ScatterRules& rules);

/// Scatters one value for each index into the flattened `self`, in place, like torch's `put_`.
Outcome put_elements(Output& output, const Tensor& self, const Tensor& index, const Tensor& source,
                     bool accumulate);

// Bags of embeddings, and gradients of embedding tables.

/// The result, the bag of each index, the size of each bag, and the row that supplied each maximum.
using Bags = std::tuple<Tensor, Tensor, Tensor, Tensor>;

/// Reduces the rows of each bag. If `kInTraining`, the last three results are inputs of
/// `embedding_bag_dense_backward`.
template <bool kInTraining>
Outcome embedding_bag(Bags& bags, const Tensor& table, const Tensor& indices, const Tensor& offsets,
                      bool scale_by_frequency, std::int64_t mode, bool sparse,
                      const std::optional<Tensor>& weights, bool include_last_offset, std::int64_t padding);

Outcome embedding_dense_backward(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                                 std::int64_t padding, bool scale_by_frequency);

/// Computes the gradient for unweighted sums and means. `bag_of` maps each index to a row of `grad`.
Outcome embedding_bag_dense_backward(Output& output, const Tensor& grad, const Tensor& indices,
                                     const Tensor& bag_of, const Tensor& bag_sizes, const Tensor& largest,
                                     std::int64_t rows, bool scale_by_frequency, std::int64_t mode,
                                     const std::optional<Tensor>& weights, std::int64_t padding);

// Products of a sparse matrix (CSR or CSC) and a dense matrix.

Outcome sparse_mm(Output& output, const Tensor& matrix, const Tensor& dense);

/// Computes `beta * self + alpha * (matrix @ dense)`.
Outcome sparse_addmm(Output& output, const Tensor& self, const Tensor& matrix, const Tensor& dense,
                     const at::Scalar& beta, const at::Scalar& alpha);

/// The result and, for gradients of maxima and minima, the position of the matrix value that produced each
/// element.
using Reduced = std::tuple<Tensor, Tensor>;
Outcome sparse_mm_reduce(Reduced& reduced, const Tensor& matrix, const Tensor& dense, std::string_view reduce);

/// Computes the gradient of `dense`, for sums only.
Outcome sparse_mm_reduce_backward(Reduced& gradients, const Tensor& matrix, const Tensor& grad,
                                  const Tensor& dense, std::string_view reduce, const Tensor& winners,
                                  std::array<bool, 2> wanted);

}  // namespace strew::aten

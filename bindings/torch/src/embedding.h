// Reduces bags of embeddings, and computes gradients of embedding tables.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "tensors.h"

namespace strew::aten {

/// The result, the bag of each index, the size of each bag, and the largest row of each bag.
using Bags = std::tuple<Tensor, Tensor, Tensor, Tensor>;

/// Reduces the rows of each bag. The last three results are inputs of `embedding_bag_dense_backward`.
Outcome embedding_bag(Bags& bags, const Tensor& table, const Tensor& indices, const Tensor& offsets,
                      bool scale_by_frequency, std::int64_t mode, bool sparse,
                      const std::optional<Tensor>& weights, bool include_last_offset, std::int64_t padding);
Outcome embedding_bag_forward_only(Bags& bags, const Tensor& table, const Tensor& indices, const Tensor& offsets,
                                   bool scale_by_frequency, std::int64_t mode, bool sparse,
                                   const std::optional<Tensor>& weights, bool include_last_offset,
                                   std::int64_t padding);

Outcome embedding_dense_backward(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                                 std::int64_t padding, bool scale_by_frequency);

/// Computes the gradient for unweighted sums and means. `bag_of` maps each index to a row of `grad`.
Outcome embedding_bag_dense_backward(Output& output, const Tensor& grad, const Tensor& indices,
                                     const Tensor& bag_of, const Tensor& bag_sizes, const Tensor& largest,
                                     std::int64_t rows, bool scale_by_frequency, std::int64_t mode,
                                     const std::optional<Tensor>& weights, std::int64_t padding);

}  // namespace strew::aten

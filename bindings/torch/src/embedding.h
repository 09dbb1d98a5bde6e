// The gradient of an embedding's table.
#pragma once

#include <optional>

#include "tensors.h"

namespace strew::aten {

Outcome embedding_dense_backward(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                                 std::int64_t padding, bool scale_by_frequency);

/// Of sums without weights; `bag_of` says whose row of `grad` an index gets.
Outcome embedding_bag_dense_backward(Output& output, const Tensor& grad, const Tensor& indices,
                                     const Tensor& bag_of, const Tensor& bag_sizes, const Tensor& largest,
                                     std::int64_t rows, bool scale_by_frequency, std::int64_t mode,
                                     const std::optional<Tensor>& weights, std::int64_t padding);

}  // namespace strew::aten

// The gradient of an embedding's table.
#pragma once

#include "tensors.h"

namespace strew::aten {

Outcome embedding_dense_backward(Output& output, const Tensor& grad, const Tensor& indices, std::int64_t rows,
                                 std::int64_t padding, bool scale_by_frequency);

}  // namespace strew::aten

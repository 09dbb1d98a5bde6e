// gather, index_select and take: reads along the indices of one axis.
#pragma once

#include "tensors.h"

namespace strew::aten {

Outcome gather_elements(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                        bool sparse_grad);
Outcome index_select(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index);
Outcome take(Output& output, const Tensor& self, const Tensor& index);

}  // namespace strew::aten

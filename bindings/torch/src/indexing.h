// x[i], x[i, j] = v and x[mask]: advanced indexing.
#pragma once

#include <ATen/core/List.h>

#include "tensors.h"

namespace strew::aten {

using Indices = c10::List<std::optional<Tensor>>;

Outcome index(Output& output, const Tensor& self, const Indices& indices);
Outcome index_put(Output& in_place, const Tensor& self, const Indices& indices, const Tensor& values,
                  bool accumulate, bool unsafe);

}  // namespace strew::aten

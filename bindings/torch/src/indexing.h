// gather, index_select, take, and advanced indexing: x[i], x[i, j] = v and x[mask].
#pragma once

#include <ATen/core/List.h>
#include <c10/util/SmallVector.h>

#include "tensors.h"

namespace strew::aten {

using Indices = c10::List<std::optional<Tensor>>;

Outcome index(Output& output, const Tensor& self, const Indices& indices);
Outcome index_put(Output& in_place, const Tensor& self, const Indices& indices, const Tensor& values,
                  bool accumulate, bool unsafe);

Outcome gather_elements(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                        bool sparse_grad);
Outcome index_select(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index);
Outcome take(Output& output, const Tensor& self, const Tensor& index);

/// Computes `i * extents[1] + j` for indices i and j, broadcast as in torch; negative indices count from the end.
/// `positions` is contiguous. Returns kIndexRange if an index is outside its axis.
Outcome merge_indices(const c10::SmallVector<Tensor, 4>& indices, at::IntArrayRef extents, Tensor& positions);

}  // namespace strew::aten

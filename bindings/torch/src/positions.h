// Combines indices of several axes into positions of the joined axis.
#pragma once

#include <c10/util/SmallVector.h>

#include "tensors.h"

namespace strew::aten {

/// Computes `i * extents[1] + j` for indices i and j, broadcast as in torch; negative ones count from the end.
/// `positions` is contiguous. kIndexRange if an index is outside its axis.
Outcome merge_indices(const c10::SmallVector<Tensor, 4>& indices, at::IntArrayRef extents, Tensor& positions);

}  // namespace strew::aten

// Indices of several axes as positions in those axes put together.
#pragma once

#include <c10/util/SmallVector.h>

#include "tensors.h"

namespace strew::aten {

/// `i * extents[1] + j` for indices i and j, which are spread out to each other's shapes as torch does; negative
/// ones count from the end. `positions` becomes contiguous. kIndexRange where one is outside its axis.
Outcome merge_indices(const c10::SmallVector<Tensor, 4>& indices, at::IntArrayRef extents, Tensor& positions);

}  // namespace strew::aten

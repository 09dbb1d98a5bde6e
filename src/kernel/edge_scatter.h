// Fused gather-scatter over edges in the order in which they were given: each is folded into its target's row in
// memory. Without a sort, which takes longer than the messages of short rows.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

struct EdgeScatter {
  /// Without `start`, `source`, `edge`, `winners`, a mask, or an order of terms; narrow floats are rounded after
  /// each edge.
  EdgeFold fold;
  const std::int32_t* source = nullptr;  ///< of each edge; kEdgePadding more can be read
  const std::int32_t* target = nullptr;  ///< of each edge; below 0: it is left out; kEdgePadding more can be read
  std::int64_t count = 0;
  std::int64_t target_size = 0;
  bool all = false;                 ///< no edge is left out
  std::uint32_t* degree = nullptr;  ///< one a target, for the number of its edges: of means, else nullptr
  bool* reached = nullptr;  ///< one a target, whether it has edges: of extrema without a base, else nullptr
};

/// Folds the edges of `targets` and writes these rows, in all of which the edges of a target are in order.
using EdgeScatterKernel = void (*)(const EdgeScatter& call, Range targets);
EdgeScatterKernel edge_scatter_kernel(DType dtype) noexcept;

}  // namespace strew

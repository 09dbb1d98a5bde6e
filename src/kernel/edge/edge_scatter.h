// Fused gather-scatter over unsorted edges: each edge is folded into its target's row in memory. For short rows,
// sorting the edges would take longer.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

struct EdgeScatter {
  /// `start`, `source`, `edge`, `winners`, the mask and the order of terms are unset. float16 and bfloat16 are
  /// rounded after each edge.
  EdgeFold fold;
  const std::int32_t* source = nullptr;  ///< source row of each edge
  const std::int32_t* target = nullptr;  ///< target row of each edge; negative: the edge is skipped
  std::int64_t count = 0;
  std::int64_t target_size = 0;
  bool all = false;                 ///< no edge is skipped
  std::uint32_t* degree = nullptr;  ///< receives the number of edges of each target, for means; else nullptr
  bool* reached = nullptr;  ///< receives whether each target has edges, for extrema without a base; else nullptr
};

/// Folds the edges of `targets`, in the order of the list, into the rows of these targets.
using EdgeScatterKernel = void (*)(const EdgeScatter& call, Range targets);
EdgeScatterKernel edge_scatter_kernel(DType dtype) noexcept;

}  // namespace strew

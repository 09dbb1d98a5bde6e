// Fused gather-scatter over unsorted edges: each is folded into its target's row in memory. Sorting would take
// longer than the messages of short rows.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

struct EdgeScatter {
  /// `start`, `source`, `edge`, `winners`, the mask and the order of terms are unset; narrow floats are rounded
  /// after each edge.
  EdgeFold fold;
  const std::int32_t* source = nullptr;  ///< source row of each edge; readable for kEdgePadding more
  const std::int32_t* target =
      nullptr;  ///< target row of each edge; negative: skipped; readable for kEdgePadding more
  std::int64_t count = 0;
  std::int64_t target_size = 0;
  bool all = false;                 ///< no edge is skipped
  std::uint32_t* degree = nullptr;  ///< means: receives the number of edges of each target; else nullptr
  bool* reached = nullptr;  ///< extrema without a base: receives whether each target has edges; else nullptr
};

/// Folds the edges of `targets`, in their order, into these rows.
using EdgeScatterKernel = void (*)(const EdgeScatter& call, Range targets);
EdgeScatterKernel edge_scatter_kernel(DType dtype) noexcept;

}  // namespace strew

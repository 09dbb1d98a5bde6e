// PrefetchPlan: the memory that a walk over positions prefetches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/geometry/geometry.h"

namespace strew {

/// Computed once for a call.
struct PrefetchPlan {
  std::int64_t distance = 0;  ///< prefetch distance of data, in positions; 0: none
  std::int64_t bytes = 1;     ///< prefetched bytes of each position
  /// Alternative: elements of the part of data that index values choose from along the innermost axis. While one
  /// part is in use the next is prefetched whole. 0: not used.
  std::int64_t part = 0;
  /// Prefetch the index values of the next block, and, if tasks divide rows, the updates or output of the next
  /// rows.
  bool indices = false;
};

/// The steps of a walk between two rounds of prefetching, for data of `width` bytes an element at an address.
struct PrefetchSteps {
  PrefetchSteps(const PrefetchPlan& prefetch, const std::byte* data, std::int64_t width) noexcept;

  bool one_line;      ///< the prefetched bytes of a position lie on one cache line
  std::int64_t step;  ///< positions that a kernel processes between rounds
  std::int64_t most;  ///< maximum number of positions resolved at a time
  std::int64_t runs;  ///< maximum number of runs of the innermost axis resolved at a time
};

/// PrefetchPlan::part: prefetches the share of the next parts of data that was `walked` of the parts at `part`, of
/// which `run` positions were left.
void prefetch_next_parts(const Geometry& geometry, std::int64_t width, const std::byte* part,
                         std::int64_t part_bytes, std::int64_t run, std::int64_t walked) noexcept;

}  // namespace strew

// PrefetchPlan: the memory that a walk over positions prefetches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/geometry/geometry.h"

namespace strew {

/// Made once for a call.
struct PrefetchPlan {
  std::int64_t distance = 0;  ///< prefetch distance of data, in positions; 0: none
  std::int64_t bytes = 1;     ///< of each position
  /// Instead: elements of the part of data that index values choose from along the innermost axis. While one part
  /// is in use the next is prefetched whole. 0: not so.
  std::int64_t part = 0;
  /// The index values of the next block are prefetched, and the updates or the output of the next rows where tasks
  /// share rows.
  bool indices = false;
};

/// How far a walk goes between two rounds of prefetching, where data of `width` bytes an element begin at an
/// address.
struct PrefetchSteps {
  PrefetchSteps(const PrefetchPlan& prefetch, const std::byte* data, std::int64_t width) noexcept;

  bool one_line;      ///< what is prefetched of a position is on one cache line
  std::int64_t step;  ///< positions that a kernel takes between
  std::int64_t most;  ///< positions that are resolved at once
  std::int64_t runs;  ///< ... and runs of the innermost axis
};

/// PrefetchPlan::part: prefetches as much of the next parts of data as was `walked` over of those at `part`, of
/// which `run` positions were left.
void prefetch_next_parts(const Geometry& geometry, std::int64_t width, const std::byte* part,
                         std::int64_t part_bytes, std::int64_t run, std::int64_t walked) noexcept;

}  // namespace strew

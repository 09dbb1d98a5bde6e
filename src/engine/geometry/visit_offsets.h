// Visits the offsets of positions, without optimisation.
#pragma once

#include <cstdint>

#include "engine/geometry/geometry.h"
#include "index/resolve.h"

namespace strew {

/// Calls `visit(data_offset, position)` for positions in row-major order.
template <class Visit>
void visit_offsets(const Geometry& geometry, const IndexResolver& resolver, const Visit& visit) {
  if (geometry.empty()) return;
  const std::int64_t count = geometry.loop.count();
  LoopWalk<3> walk(geometry.loop, 0);
  for (std::int64_t position = 0; position < count; ++position, walk.advance(1)) {
    std::int64_t offset = 0;
    resolver.resolve(walk.offset()[kIndex], 0, 1, &offset);
    if (offset != kDroppedOffset) visit(offset + walk.offset()[kData], position);
  }
}

}  // namespace strew

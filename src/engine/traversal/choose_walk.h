// Chooses the tiles, prefetching and non-temporal stores of a walk over positions.
#pragma once

#include <cstdint>

#include "engine/geometry/choose_input.h"
#include "engine/traversal/prefetch_plan.h"

namespace strew {

/// Returns the number of coordinates of the innermost axis in a tile; 0: no tiling.
std::int64_t choose_tile(const Geometry& geometry) noexcept;

PrefetchPlan choose_prefetch(const ChooseInput& input, std::int64_t tile) noexcept;

/// True if the output of a gather whose tasks divide `axis` (or kAllPositions) bypasses the caches.
bool choose_streams(const ChooseInput& input, std::int64_t axis, std::int64_t tile) noexcept;

}  // namespace strew

// Choosing how a walk over positions goes: tiles, prefetching, non-temporal stores.
#pragma once

#include <cstdint>

#include "engine/geometry/choose_input.h"
#include "engine/traversal/prefetch_plan.h"

namespace strew {

/// Of the innermost axis so many coordinates are walked over before the next; 0: all.
std::int64_t choose_tile(const Geometry& geometry) noexcept;

PrefetchPlan choose_prefetch(const ChooseInput& input, std::int64_t tile) noexcept;

/// Whether the output of a gather whose tasks divide an axis (or kAllPositions) bypasses the caches.
bool choose_streams(const ChooseInput& input, std::int64_t axis, std::int64_t tile) noexcept;

}  // namespace strew

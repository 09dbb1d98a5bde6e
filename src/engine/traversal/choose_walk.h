// Choosing how positions are walked over: tile by tile, looking ahead, past the caches.
#pragma once

#include <cstdint>

#include "engine/geometry/choose_input.h"
#include "engine/traversal/lookahead.h"

namespace strew {

/// Of the innermost axis so many coordinates are walked over before the next; 0: all.
std::int64_t choose_tile(const Geometry& geometry) noexcept;

Lookahead choose_lookahead(const ChooseInput& input, std::int64_t tile) noexcept;

/// Whether the output of a gather whose tasks divide an axis (or kAllPositions) is written past the caches.
bool choose_streams(const ChooseInput& input, std::int64_t axis, std::int64_t tile) noexcept;

}  // namespace strew

// The offsets that the positions of a geometry can reach.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "engine/geometry/geometry.h"
#include "index/check.h"

namespace strew {

/// Number of positions, without those that a broadcast view of indices repeats.
std::int64_t index_values_read(const Geometry& geometry) noexcept;

/// False for strings and for elements that share bytes.
bool moves_bytes(const Geometry& geometry) noexcept;

/// Size of an element in memory; not for packed elements.
inline std::int64_t element_bytes(const Geometry& geometry) noexcept { return bit_width(geometry.dtype) / 8; }

/// The outermost loop axis of at least this extent along which data moves: different coordinates there never
/// collide in one destination. kAllPositions if there is none.
std::int64_t free_axis(const Geometry& geometry, std::int64_t extent_from) noexcept;

/// The lowest and highest data offset of any position; empty geometries have none.
Range reached_offsets(const Geometry& geometry, const IndexStatistics& facts) noexcept;

/// The largest `unit` such that all data offsets are multiples of 1 << unit, counted from the lowest.
int offset_unit(const Geometry& geometry) noexcept;

}  // namespace strew

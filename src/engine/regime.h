// What strategies ask of a call to know whether they keep its bits and pay.
#pragma once

#include "engine/choose.h"

namespace strew {

/// Positions of broadcast views can be more than memory has bytes; of so many the bytes can still be counted.
inline constexpr std::int64_t kMostInScratch = std::int64_t{1} << 48;

/// Positions, but for those that a broadcast view of indices repeats.
std::int64_t index_values_read(const Geometry& geometry) noexcept;

/// False for strings and for elements that share bytes.
bool moves_bytes(const Geometry& geometry) noexcept;

/// Of an element in memory; elements that share bytes have none.
inline std::int64_t element_bytes(const Geometry& geometry) noexcept { return bit_width(geometry.dtype) / 8; }

/// The outermost loop axis of at least this extent along which data moves: different coordinates there never meet
/// in one destination. Choice::kPositions where there is none.
std::int64_t free_axis(const Geometry& geometry, std::int64_t extent_from) noexcept;

/// The lowest and highest data offset that a position may have; empty geometries have none.
Range reached_offsets(const Geometry& geometry, const IndexFacts& facts) noexcept;

/// Whether index values jump, and over so many bytes at least from one place on the axes that they do not choose.
bool jumps_over(const ChooseInput& input, std::int64_t bytes) noexcept;

/// Why one task is faster than several; empty where it is not.
std::string_view why_not_share(const ChooseInput& input) noexcept;

/// Choice::tile.
std::int64_t choose_tile(const Geometry& geometry) noexcept;

Lookahead choose_lookahead(const ChooseInput& input, const Choice& choice) noexcept;

/// Whether the output of a gather is written past the caches.
bool streams(const ChooseInput& input, const Choice& choice) noexcept;

}  // namespace strew

// Lookahead: which memory a walk over positions asks for ahead of its use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/geometry/geometry.h"

namespace strew {

/// Made once for a call.
struct Lookahead {
  std::int64_t positions = 0;  ///< data are asked for so many positions ahead; 0: not at all
  std::int64_t bytes = 1;      ///< of each
  /// Instead: elements that index values choose from along the innermost axis, a part of data for each coordinate
  /// of the axis around it. While one part is in use the next is asked for as a whole. 0: not so.
  std::int64_t part = 0;
  /// The index values of the next block are asked for as well, and the updates or the output of the next rows
  /// where tasks have parts of rows.
  bool indices = false;
};

/// How far a walk goes between two looks ahead, where data of `width` bytes an element begin at an address.
struct LookaheadSteps {
  LookaheadSteps(const Lookahead& lookahead, const std::byte* data, std::int64_t width) noexcept;

  bool one_line;      ///< what is asked for of a position is on one cache line
  std::int64_t step;  ///< positions that a kernel takes between
  std::int64_t most;  ///< positions that are resolved at once
  std::int64_t runs;  ///< ... and runs of the innermost axis
};

/// Lookahead::part: asks for as much of the next parts of data as was `walked` over of those at `part`, of which
/// `run` positions were left.
void ask_for_next_parts(const Geometry& geometry, std::int64_t width, const std::byte* part,
                        std::int64_t part_bytes, std::int64_t run, std::int64_t walked) noexcept;

}  // namespace strew

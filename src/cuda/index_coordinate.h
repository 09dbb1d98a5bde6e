// Converts an index value to a coordinate on a device.
#pragma once

#include <cstdint>

#include "cuda/device.h"
#include "index/index_value.h"
#include "index/scan.h"

namespace strew::cuda {

/// Returns the coordinate of a value that the rules accept, or kDroppedOffset if they drop it.
template <class Index>
STREW_DEVICE std::int64_t coordinate_of(Index value, std::int64_t extent, const IndexRules& rules) {
  if (in_range(value, extent, rules.negative_indices)) return from_front(value, extent);
  if (rules.out_of_bounds == OutOfBounds::kClip) return clipped(value, extent);
  if (rules.out_of_bounds == OutOfBounds::kWrap) return wrapped(value, extent);
  return kDroppedOffset;
}

}  // namespace strew::cuda

// Leaving out of a list of offsets those that someone else takes care of.
#pragma once

#include <cstdint>

namespace strew {

/// Moves those of `count` pairs whose offset is in [begin, end) to the front, in order, and returns how many they
/// are. What lies after them has any value.
using CompactInRange = std::int64_t (*)(std::int64_t begin, std::int64_t end, std::int64_t* offset,
                                        std::int64_t* position, std::int64_t count);
CompactInRange compact_in_range() noexcept;

}  // namespace strew

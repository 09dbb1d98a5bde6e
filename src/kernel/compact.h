// Filters a list of offsets by a range.
#pragma once

#include <cstdint>

namespace strew {

/// Moves the pairs whose offset is in [begin, end) to the front, in order, and returns their number. The contents
/// after them are unspecified.
using CompactInRange = std::int64_t (*)(std::int64_t begin, std::int64_t end, std::int64_t* offset,
                                        std::int64_t* position, std::int64_t count);
CompactInRange compact_in_range() noexcept;

}  // namespace strew

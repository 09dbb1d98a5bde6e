// Offsets of index values that may be outside their axis, as the rules of a plan say.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "index/scan.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew {

/// The offset of a tuple that chooses nothing. What other axes add leaves it outside [kLowestOffset,
/// kHighestOffset), where all others lie.
inline constexpr std::int64_t kDroppedOffset = std::numeric_limits<std::int64_t>::min() / 2;
inline constexpr std::int64_t kLowestOffset = std::numeric_limits<std::int64_t>::min() / 4;
inline constexpr std::int64_t kHighestOffset = std::numeric_limits<std::int64_t>::max() / 2;

/// IndexComponent::from_end of an axis.
inline std::int64_t from_end(std::int64_t extent, NegativeIndices negative) noexcept {
  return negative == NegativeIndices::kFromEnd ? extent : 0;
}

/// As IndexLoops::resolve, for rules that say what a value outside its axis stands for: nothing is out of range.
/// kFill and kDrop give kDroppedOffset.
using ResolveByRules = bool (*)(const IndexValues& values, std::span<const IndexComponent> components,
                                std::int64_t* offsets);
ResolveByRules resolve_by_rules(DType dtype, OutOfBounds rule) noexcept;

}  // namespace strew

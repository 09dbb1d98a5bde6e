// Offsets of index values that may be outside their axis, by the rules of a plan.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "index/scan.h"
#include "strew/dtype.h"
#include "strew/export.h"
#include "strew/plan.h"

namespace strew {

/// Offset of a dropped tuple. Adding the offsets of any other axes keeps it outside [kLowestOffset,
/// kHighestOffset), the range of all valid offsets.
inline constexpr std::int64_t kDroppedOffset = std::numeric_limits<std::int64_t>::min() / 2;
inline constexpr std::int64_t kLowestOffset = std::numeric_limits<std::int64_t>::min() / 4;
inline constexpr std::int64_t kHighestOffset = std::numeric_limits<std::int64_t>::max() / 2;

/// As IndexLoops::resolve, but applies a rule to values outside their axis. kError selects IndexLoops::resolve
/// itself; kFill and kDrop write kDroppedOffset.
using ResolveByRules = bool (*)(const IndexValues& values, std::span<const IndexComponent> components,
                                std::int64_t* offsets);
STREW_API_BEGIN
ResolveByRules resolve_by_rules(DType dtype, OutOfBounds rule) noexcept;
STREW_API_END

}  // namespace strew

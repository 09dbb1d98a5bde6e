// Executes a schedule.
#pragma once

#include <cstdint>

#include "engine/schedule.h"

namespace strew {

enum class Outcome : std::uint8_t {
  kDone,
  kNotSmall,     ///< Path::kSmall: an index value is out of range, or memory ran out; nothing was written
  kNoMemory,     ///< no memory for a copy of rows; nothing was written
  kOutOfBounds,  ///< an index value was found out of range during execution; the output is unspecified
};

/// Throws std::bad_alloc; cannot fail otherwise.
Outcome execute(const Call& call, const Schedule& schedule);

}  // namespace strew

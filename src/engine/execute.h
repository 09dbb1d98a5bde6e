// Doing what a schedule says.
#pragma once

#include <cstdint>

#include "engine/schedule.h"

namespace strew {

enum class Outcome : std::uint8_t {
  kDone,
  kNotSmall,     ///< Path::kSmall: an index value is outside its axis, or there was no memory; nothing was written
  kNoMemory,     ///< for a copy of rows; nothing was written
  kOutOfBounds,  ///< an index value that was checked while it was used is bad: what was written counts for nothing
};

/// Nothing else can fail but memory.
Outcome execute(const Call& call, const Schedule& schedule);

}  // namespace strew

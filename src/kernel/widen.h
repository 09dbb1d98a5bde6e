// Converts narrow floats to float32 and back.
#pragma once

#include <cstdint>

#include "strew/dtype.h"

namespace strew {

/// Conversions of contiguous elements. Widening is exact. Narrowing rounds to nearest even; values that are too
/// large become infinite, or NaN if the type has no infinity. All NaNs become one.
struct Widening {
  void (*widen)(const void* from, float* to, std::int64_t count);
  void (*narrow)(const float* from, void* to, std::int64_t count);
};

/// Returns the conversions of float16, bfloat16 and the signed 8-bit floats; nullptr for any other type.
const Widening* widening(DType dtype) noexcept;

}  // namespace strew

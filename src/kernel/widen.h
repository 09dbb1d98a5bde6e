// Narrow floats as float32 and back.
#pragma once

#include <cstdint>

#include "strew/dtype.h"

namespace strew {

/// Conversions of elements that follow each other. Every value of the narrow types is a float. Back, a float is
/// rounded to nearest even: too large ones become infinite, or NaN where the type has no infinity. All NaNs become
/// one.
struct Widening {
  void (*widen)(const void* from, float* to, std::int64_t count);
  void (*narrow)(const float* from, void* to, std::int64_t count);
};

/// Those of float16, bfloat16 and the floats of 8 bits with a sign; nullptr for any other type.
const Widening* widening(DType dtype) noexcept;

}  // namespace strew

// Conversions between float and the 16-bit floating-point types, in integer arithmetic, the same on every machine.
#include "strew/half.h"

#include "core/half_math.h"

namespace strew {

float to_float(Float16 value) noexcept { return widen(value); }
float to_float(BFloat16 value) noexcept { return widen(value); }
Float16 to_float16(float value) noexcept { return {float16_from_float(value)}; }
BFloat16 to_bfloat16(float value) noexcept { return {bfloat16_from_float(value)}; }

}  // namespace strew

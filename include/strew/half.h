// The two 16-bit floating-point storage types, with conversions that round to nearest even.
#pragma once

#include <cstdint>

#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits.
struct Float16 {
  std::uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;  ///< the same bits (so NaN equals itself)
};

/// bfloat16: the upper half of an IEEE 754 binary32.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend bool operator==(BFloat16, BFloat16) = default;  ///< the same bits (so NaN equals itself)
};

/// Returns the exact value as float. NaNs become quiet.
float to_float(Float16 value) noexcept;
float to_float(BFloat16 value) noexcept;

/// Returns the nearest value, ties to even; infinity on overflow; 0x7E00 (float16) or 0x7FC0 (bfloat16) for a NaN.
Float16 to_float16(float value) noexcept;
BFloat16 to_bfloat16(float value) noexcept;

}  // namespace strew
STREW_API_END

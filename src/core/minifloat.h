// Values of the floating-point types of 8 and 4 bits (OCP and IEEE P3109 variants, as ONNX defines them).
#pragma once

#include <cstdint>

#include "strew/dtype.h"

namespace strew {

/// The value of these bits of one of the five float8 types or of float4_e2m1fn; NaN for any other type.
double minifloat_value(DType dtype, std::uint8_t bits) noexcept;

}  // namespace strew

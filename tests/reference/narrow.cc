#include "reference/narrow.h"

#include <cmath>
#include <limits>

#include "reference/exact_half.h"

namespace strew::reference {
namespace {

// A format of the "OCP 8-bit Floating Point Specification" or, without -0, of "8-bit Numerical Formats for Deep
// Neural Networks" (Noune and others, 2022).
struct Format8 {
  int fraction_bits;
  int bias;
  int last;       // the magnitude of the largest finite number
  int nan;        // the bits of the NaN that arithmetic returns
  bool infinity;  // whether infinity is the magnitude last + 1
  bool minus_zero;
};

const Format8* format8(DType dtype) {
  static constexpr Format8 kE4M3FN{3, 7, 0x7E, 0x7F, false, true};
  static constexpr Format8 kE4M3FNUZ{3, 8, 0x7F, 0x80, false, false};
  static constexpr Format8 kE5M2{2, 15, 0x7B, 0x7E, true, true};
  static constexpr Format8 kE5M2FNUZ{2, 16, 0x7F, 0x80, false, false};
  if (dtype == DType::kFloat8E4M3FN) return &kE4M3FN;
  if (dtype == DType::kFloat8E4M3FNUZ) return &kE4M3FNUZ;
  if (dtype == DType::kFloat8E5M2) return &kE5M2;
  return dtype == DType::kFloat8E5M2FNUZ ? &kE5M2FNUZ : nullptr;
}

double magnitude_value(const Format8& format, int magnitude) {
  return finite_magnitude(format.fraction_bits, format.bias, magnitude);
}

double decode8(const Format8& format, int bits) {
  const int magnitude = bits & 0x7F;
  const double sign = bits > 0x7F ? -1 : 1;
  if (bits == 0x80 && !format.minus_zero) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude <= format.last) return sign * magnitude_value(format, magnitude);
  if (format.infinity && magnitude == format.last + 1) return sign * std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

int encode8(const Format8& format, double value) {
  if (std::isnan(value)) return format.nan;
  const double size = std::fabs(value);
  int nearest = 0;
  for (int magnitude = 1; magnitude <= format.last + 1; ++magnitude) {
    const double middle = (magnitude_value(format, magnitude - 1) + magnitude_value(format, magnitude)) / 2;
    if (size > middle || (size == middle && magnitude % 2 == 0)) nearest = magnitude;
  }
  if (nearest > format.last && !format.infinity) return format.nan;
  if (nearest == 0 && !format.minus_zero) return 0;
  return nearest | (std::signbit(value) ? 0x80 : 0);
}

const HalfFormat& half_format(DType dtype) { return dtype == DType::kFloat16 ? kFloat16Format : kBFloat16Format; }

}  // namespace

bool is_narrow(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 || format8(dtype) != nullptr;
}

Element widened(DType dtype, const Element& element) {
  const Format8* format = format8(dtype);
  const double value = format != nullptr ? decode8(*format, element.bytes[0])
                                         : decode(half_format(dtype), value_of<std::uint16_t>(element));
  return element_of(static_cast<float>(value));
}

Element narrowed(DType dtype, const Element& wide) {
  const double value = value_of<float>(wide);
  if (const Format8* format = format8(dtype))
    return element_of(static_cast<unsigned char>(encode8(*format, value)));
  return element_of(encode(half_format(dtype), value));
}

}  // namespace strew::reference

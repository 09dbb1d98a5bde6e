// Elements of tensors as numbers and as text, for all 26 types.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "strew/dtype.h"
#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Returns the bits of element `i` of dense data in the low bits of an integer. For types of up to 64 bits.
std::uint64_t element_bits(DType dtype, const void* data, std::int64_t i) noexcept;

/// Element `i` as a number; integers beyond 2^53 are rounded. Not for complex types or strings.
double to_double(DType dtype, const void* data, std::int64_t i) noexcept;

/// As above, but also for complex types; real numbers have imaginary part 0.
std::complex<double> to_complex(DType dtype, const void* data, std::int64_t i) noexcept;

/// Returns element `i` of dense data as text, independent of the locale: "-3", "0.1", "true", "1-2j".
/// Floating-point numbers have the fewest digits that round-trip, but at most `max_digits`. Strings are in double
/// quotes, cut after 1000 bytes, with every byte outside printable ASCII and UTF-8 escaped.
std::string element_text(DType dtype, const void* data, std::int64_t i, int max_digits = 17);

}  // namespace strew
STREW_API_END

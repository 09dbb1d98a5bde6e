// Elements of tensors as numbers, text and JSON, for all 26 types.
#pragma once

#include <complex>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "strew/dtype.h"

namespace strew::app {

/// What sort of value a type holds.
enum class ValueKind { kInteger, kBool, kReal, kComplex, kString };
ValueKind value_kind(DType dtype) noexcept;

/// The bits of element `i` of dense data, in the low end; for types of at most 64 bits, packed ones included.
std::uint64_t element_bits(DType dtype, const void* data, std::int64_t i) noexcept;

/// Element `i` as a number; integers beyond 2^53 are rounded. Not for complex types and strings.
double to_double(DType dtype, const void* data, std::int64_t i) noexcept;

/// The same for complex types too; a real number has no imaginary part.
std::complex<double> to_complex(DType dtype, const void* data, std::int64_t i) noexcept;

/// Element `i` as text: integers exactly, floating point with the fewest digits that give it back, "true",
/// "1-2j", strings in double quotes with every byte outside printable ASCII and UTF-8 escaped.
std::string element_text(DType dtype, const void* data, std::int64_t i);

/// Element `i` for JSON: a number, a boolean, a string, or [real, imaginary]; "nan", "inf" and "-inf" are strings.
nlohmann::ordered_json element_json(DType dtype, const void* data, std::int64_t i);

}  // namespace strew::app

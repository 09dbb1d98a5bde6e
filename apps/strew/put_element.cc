// Parses elements from text.
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "parse_element.h"
#include "strew/element.h"
#include "strew/half.h"

namespace strew::app {
namespace {

// Parses the number at the start of `text` and removes it.
std::optional<double> take_real(std::string_view& text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc()) return std::nullopt;
  text = digits.substr(static_cast<std::size_t>(end - digits.data()));
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  const auto value = take_real(text);
  return text.empty() ? value : std::nullopt;
}

// Parses "1", "2j" or "1-2j".
std::optional<std::complex<double>> parse_complex(std::string_view text) {
  const auto first = take_real(text);
  if (!first || text.empty()) return first;
  if (text == "j") return std::complex(0.0, *first);
  const auto second = text.front() == '+' || text.front() == '-' ? take_real(text) : std::nullopt;
  if (!second || text != "j") return std::nullopt;
  return std::complex(*first, *second);
}

// Returns the bits of an integer of this type.
std::optional<std::uint64_t> parse_integer(DType dtype, std::string_view text) {
  const int width = bit_width(dtype);
  const char* const end = text.data() + text.size();
  if (!dtype_name(dtype).starts_with("int")) {
    std::uint64_t value = 0;
    const auto [after, fault] = std::from_chars(text.data(), end, value);
    const bool fits = width == 64 || value >> width == 0;
    return fault == std::errc() && after == end && fits ? std::optional(value) : std::nullopt;
  }
  std::int64_t value = 0;
  const auto [after, fault] = std::from_chars(text.data(), end, value);
  const auto bits = static_cast<std::uint64_t>(value);
  const int unused = 64 - width;
  const bool fits = static_cast<std::int64_t>(bits << unused) >> unused == value;
  return fault == std::errc() && after == end && fits ? std::optional(bits) : std::nullopt;
}

// Finds the nearest value by trying all values of the type, which are few. Ties go to the even value.
std::optional<std::uint64_t> nearest_minifloat(DType dtype, double value) {
  std::optional<std::uint64_t> nearest;
  double least = HUGE_VAL;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << bit_width(dtype); ++bits) {
    const double candidate = to_double(dtype, &bits, 0);
    if (std::isnan(value) && std::isnan(candidate)) return bits;
    const double far = candidate == value ? 0 : std::abs(candidate - value);
    const bool same_sign = std::signbit(candidate) == std::signbit(value);
    if (far < least || (far == least && (far == 0 ? same_sign : bits % 2 == 0))) {
      least = far;
      nearest = bits;
    }
  }
  return nearest;
}

// Rounds to odd: sets the lowest bit if the float is inexact. Rounding the float to 16 bits then gives the same
// result as rounding `value` to 16 bits.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  const float below =
      std::abs(static_cast<double>(nearest)) > std::abs(value) ? std::nextafter(nearest, 0.0F) : nearest;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(below) | 1U);
}

std::optional<std::uint64_t> parse_bits(DType dtype, std::string_view text) {
  if (value_kind(dtype) == ValueKind::kInteger) return parse_integer(dtype, text);
  if (value_kind(dtype) == ValueKind::kBool) {
    if (text == "true" || text == "1") return 1;
    return text == "false" || text == "0" ? std::optional<std::uint64_t>(0) : std::nullopt;
  }
  const auto value = parse_real(text);
  if (!value) return std::nullopt;
  if (dtype == DType::kFloat64) return std::bit_cast<std::uint64_t>(*value);
  if (dtype == DType::kFloat32) return std::bit_cast<std::uint32_t>(static_cast<float>(*value));
  if (dtype == DType::kFloat16) return to_float16(round_to_odd(*value)).bits;
  if (dtype == DType::kBFloat16) return to_bfloat16(round_to_odd(*value)).bits;
  return nearest_minifloat(dtype, *value);
}

void put_bits(DType dtype, void* data, std::int64_t i, std::uint64_t bits) noexcept {
  const int width = bit_width(dtype);
  auto* const bytes = static_cast<std::uint8_t*>(data);
  if (width >= 8) {
    std::memcpy(bytes + i * (width / 8), &bits, static_cast<std::size_t>(width / 8));
  } else {
    bytes[i * width / 8] |= static_cast<std::uint8_t>((bits & ((1U << width) - 1)) << (i * width % 8));
  }
}

}  // namespace

bool put_element(DType dtype, void* data, std::int64_t i, const std::string& text) {
  if (dtype == DType::kString) {
    static_cast<std::string*>(data)[i] = text;
    return true;
  }
  if (value_kind(dtype) == ValueKind::kComplex) {
    const auto value = parse_complex(text);
    if (value && dtype == DType::kComplex64)
      static_cast<std::complex<float>*>(data)[i] = std::complex<float>(*value);
    if (value && dtype == DType::kComplex128) static_cast<std::complex<double>*>(data)[i] = *value;
    return value.has_value();
  }
  const auto bits = parse_bits(dtype, text);
  if (bits) put_bits(dtype, data, i, *bits);
  return bits.has_value();
}

}  // namespace strew::app

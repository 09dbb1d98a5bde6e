// Elements as numbers, text and JSON.
#include "values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "minifloat.h"
#include "strew/half.h"

namespace strew::app {
namespace {

constexpr std::size_t kShownBytes = 1000;  // of a string

// The value of a signed integer of `width` bits.
std::int64_t sign_extend(std::uint64_t bits, int width) noexcept {
  const int unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool is_signed(DType dtype) noexcept {
  switch (dtype) {
    case DType::kInt2:
    case DType::kInt4:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return true;
    default:
      return false;
  }
}

double real_from_bits(DType dtype, std::uint64_t bits) noexcept {
  switch (dtype) {
    case DType::kFloat64:
      return std::bit_cast<double>(bits);
    case DType::kFloat32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case DType::kFloat16:
      return static_cast<double>(to_float(Float16{static_cast<std::uint16_t>(bits)}));
    case DType::kBFloat16:
      return static_cast<double>(to_float(BFloat16{static_cast<std::uint16_t>(bits)}));
    default:
      return minifloat_value(dtype, static_cast<std::uint8_t>(bits));
  }
}

// The fewest digits for which `same` accepts the text.
template <class Same>
std::string shortest(double value, int most_digits, Same same) {
  for (int digits = 1; digits < most_digits; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (same(std::strtof(text.c_str(), nullptr))) return text;
  }
  return fmt::format("{:.{}g}", value, most_digits);
}

std::string real_text(DType dtype, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  switch (dtype) {
    case DType::kFloat16: {
      const Float16 bits = to_float16(static_cast<float>(value));
      return shortest(value, 5, [bits](float read) { return to_float16(read) == bits; });
    }
    case DType::kBFloat16: {
      const BFloat16 bits = to_bfloat16(static_cast<float>(value));
      return shortest(value, 4, [bits](float read) { return to_bfloat16(read) == bits; });
    }
    case DType::kFloat32:
    case DType::kComplex64:
      return fmt::format("{}", static_cast<float>(value));
    default:
      return fmt::format("{}", value);
  }
}

// The length of the printable UTF-8 character at the start of `text`, or 0 if there is none: not an overlong form,
// a surrogate or a control character, which would act on the terminal.
std::size_t utf8_length(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return 0;
    code = code << 6 | (next & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0xA0, 0x800, 0x10000};
  const bool legal = code >= kLeast[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return legal ? length : 0;
}

std::string string_text(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < std::min(text.size(), kShownBytes); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else if (const std::size_t length = utf8_length(text.substr(i)); length > 0) {
      out += text.substr(i, length);
      i += length - 1;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > kShownBytes ? fmt::format("\"\u2026 ({} bytes)", text.size()) : "\"");
}

nlohmann::ordered_json real_json(DType dtype, double value) {
  const std::string text = real_text(dtype, value);
  if (!std::isfinite(value)) return text;
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

ValueKind value_kind(DType dtype) noexcept {
  switch (dtype) {
    case DType::kBool:
      return ValueKind::kBool;
    case DType::kString:
      return ValueKind::kString;
    case DType::kComplex64:
    case DType::kComplex128:
      return ValueKind::kComplex;
    case DType::kUInt2:
    case DType::kUInt4:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
      return ValueKind::kInteger;
    default:
      return is_signed(dtype) ? ValueKind::kInteger : ValueKind::kReal;
  }
}

std::uint64_t element_bits(DType dtype, const void* data, std::int64_t i) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const int width = bit_width(dtype);
  if (width < 8) {
    const std::int64_t at = i * width;
    return (static_cast<unsigned>(bytes[at / 8]) >> (at % 8)) & ((1u << width) - 1u);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes + i * (width / 8), static_cast<std::size_t>(width / 8));
  return bits;
}

double to_double(DType dtype, const void* data, std::int64_t i) noexcept {
  const std::uint64_t bits = element_bits(dtype, data, i);
  if (value_kind(dtype) == ValueKind::kReal) return real_from_bits(dtype, bits);
  if (is_signed(dtype)) return static_cast<double>(sign_extend(bits, bit_width(dtype)));
  return static_cast<double>(bits);
}

std::complex<double> to_complex(DType dtype, const void* data, std::int64_t i) noexcept {
  if (dtype == DType::kComplex64) {
    return {to_double(DType::kFloat32, data, 2 * i), to_double(DType::kFloat32, data, 2 * i + 1)};
  }
  if (dtype == DType::kComplex128) {
    return {to_double(DType::kFloat64, data, 2 * i), to_double(DType::kFloat64, data, 2 * i + 1)};
  }
  return to_double(dtype, data, i);
}

std::string element_text(DType dtype, const void* data, std::int64_t i) {
  switch (value_kind(dtype)) {
    case ValueKind::kString:
      return string_text(static_cast<const std::string*>(data)[i]);
    case ValueKind::kBool:
      return element_bits(dtype, data, i) != 0 ? "true" : "false";
    case ValueKind::kReal:
      return real_text(dtype, to_double(dtype, data, i));
    case ValueKind::kInteger: {
      const std::uint64_t bits = element_bits(dtype, data, i);
      return is_signed(dtype) ? fmt::to_string(sign_extend(bits, bit_width(dtype))) : fmt::to_string(bits);
    }
    case ValueKind::kComplex: {
      const std::complex<double> value = to_complex(dtype, data, i);
      const std::string imaginary = real_text(dtype, value.imag());
      const char* plus = imaginary.starts_with('-') ? "" : "+";
      return fmt::format("{}{}{}j", real_text(dtype, value.real()), plus, imaginary);
    }
  }
  return "";
}

nlohmann::ordered_json element_json(DType dtype, const void* data, std::int64_t i) {
  switch (value_kind(dtype)) {
    case ValueKind::kString:
      return static_cast<const std::string*>(data)[i];
    case ValueKind::kBool:
      return element_bits(dtype, data, i) != 0;
    case ValueKind::kReal:
      return real_json(dtype, to_double(dtype, data, i));
    case ValueKind::kInteger: {
      const std::uint64_t bits = element_bits(dtype, data, i);
      if (is_signed(dtype)) return sign_extend(bits, bit_width(dtype));
      return bits;
    }
    case ValueKind::kComplex: {
      const std::complex<double> value = to_complex(dtype, data, i);
      return nlohmann::ordered_json::array({real_json(dtype, value.real()), real_json(dtype, value.imag())});
    }
  }
  return nullptr;
}

}  // namespace strew::app

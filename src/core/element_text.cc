// Elements as text. Writes numbers without std::to_chars, which some standard libraries lack for floats, and
// without snprintf's decimal point, which depends on the locale.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "core/size.h"
#include "core/utf8.h"
#include "strew/element.h"
#include "strew/half.h"

namespace strew {
namespace {

constexpr std::size_t kShownBytes = 1000;  // maximum number of bytes shown of a string

// The number 0.d1d2d3... times ten to the power of `exponent`.
struct Decimal {
  std::string digits;
  int exponent;
};

Decimal rounded(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  Decimal decimal{{}, 0};
  const char* at = text;
  for (; *at != 'e'; ++at) {
    if (*at >= '0' && *at <= '9') decimal.digits += *at;  // skips the locale's decimal point
  }
  decimal.exponent = std::atoi(at + 1) + 1;
  return decimal;
}

// Decimal digits of a floating-point type.
struct Precision {
  int safe;  // a decimal number of this many digits round-trips through a normal value
  int most;  // this many digits identify every value
  bool (*same)(double value, const char* text);  // true if `text` parses to `value`
};

Precision precision_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat16:
      return {3, 5, [](double value, const char* text) {
                return to_float16(std::strtof(text, nullptr)) == to_float16(static_cast<float>(value));
              }};
    case DType::kBFloat16:
      return {2, 4, [](double value, const char* text) {
                return to_bfloat16(std::strtof(text, nullptr)) == to_bfloat16(static_cast<float>(value));
              }};
    case DType::kFloat32:
    case DType::kComplex64:
      return {6, 9, [](double value, const char* text) {
                return std::strtof(text, nullptr) == static_cast<float>(value);
              }};
    default:
      return {15, 17, [](double value, const char* text) { return std::strtod(text, nullptr) == value; }};
  }
}

// Returns the fewest digits that parse to `value`, which must be positive. If these are more than `max_digits`,
// returns `value` rounded to `max_digits` digits.
Decimal shortest(DType dtype, double value, int max_digits) {
  const Precision precision = precision_of(dtype);
  const bool normal = value >= (precision.safe < 15 ? 1e-4 : 1e-300);
  const int most = std::min(precision.most, max_digits);
  for (int digits = std::min(normal ? precision.safe : 1, most);; ++digits) {
    Decimal decimal = rounded(value, digits);
    const std::string text = decimal.digits + 'e' + concat(decimal.exponent - digits);  // without a decimal point
    if (digits < most && !precision.same(value, text.c_str())) continue;
    decimal.digits.erase(std::max<std::size_t>(decimal.digits.find_last_not_of('0') + 1, 1));
    return decimal;
  }
}

std::string with_point(std::string_view digits, std::size_t at) {
  if (at == digits.size()) return std::string(digits);
  return concat(digits.substr(0, at), '.', digits.substr(at));
}

std::string real_text(DType dtype, double value, int max_digits) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  if (value == 0) return sign + '0';
  const auto [digits, exponent] = shortest(dtype, std::abs(value), max_digits);
  const int count = static_cast<int>(digits.size());
  if (exponent < -3 || exponent > 16) {
    const int power = exponent - 1;
    return sign + with_point(digits, 1) + (power < 0 ? "e-" : "e+") + (std::abs(power) < 10 ? "0" : "") +
           concat(std::abs(power));
  }
  if (exponent <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent), '0') + digits;
  if (exponent >= count) return sign + digits + std::string(static_cast<std::size_t>(exponent - count), '0');
  return sign + with_point(digits, static_cast<std::size_t>(exponent));
}

// Returns the length of the UTF-8 character at the start of `text`, or 0 if it is ASCII, invalid or a control
// character.
std::size_t printable_length(std::string_view text) {
  std::size_t length = 0;
  const auto code = next_utf8(text, length);
  return code && *code >= 0xA0 ? length : 0;
}

std::string string_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
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
    } else if (const std::size_t length = printable_length(text.substr(i)); length > 0) {
      out += text.substr(i, length);
      i += length - 1;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', kHex[byte / 16], kHex[byte % 16]};
    }
  }
  return out + (text.size() > kShownBytes ? concat("\"\u2026 (", text.size(), " bytes)") : "\"");
}

std::string integer_text(DType dtype, const void* data, std::int64_t i) {
  const std::uint64_t bits = element_bits(dtype, data, i);
  if (!dtype_info(dtype).is_signed) return concat(bits);
  return concat(sign_extend(bits, bit_width(dtype)));
}

}  // namespace

std::string element_text(DType dtype, const void* data, std::int64_t i, int max_digits) {
  switch (value_kind(dtype)) {
    case ValueKind::kString:
      return string_text(static_cast<const std::string*>(data)[i]);
    case ValueKind::kBool:
      return element_bits(dtype, data, i) != 0 ? "true" : "false";
    case ValueKind::kReal:
      return real_text(dtype, to_double(dtype, data, i), max_digits);
    case ValueKind::kInteger:
      return integer_text(dtype, data, i);
    case ValueKind::kComplex: {
      const std::complex<double> value = to_complex(dtype, data, i);
      const std::string imaginary = real_text(dtype, value.imag(), max_digits);
      return real_text(dtype, value.real(), max_digits) + (imaginary.starts_with('-') ? "" : "+") + imaginary +
             'j';
    }
  }
  return "";
}

}  // namespace strew

// Encodes and decodes UTF-8 according to RFC 3629.
#include "core/utf8.h"

namespace strew {
namespace {

bool is_code_point(std::uint32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

}  // namespace

bool append_utf8(std::string& to, std::uint32_t code_point) {
  if (!is_code_point(code_point)) return false;
  if (code_point < 0x80) {
    to += static_cast<char>(code_point);
    return true;
  }
  const int tail = code_point < 0x800 ? 1 : (code_point < 0x10000 ? 2 : 3);
  static constexpr std::uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  to += static_cast<char>(kLead[tail] | (code_point >> (6 * tail)));
  for (int left = tail - 1; left >= 0; --left) {
    to += static_cast<char>(0x80 | ((code_point >> (6 * left)) & 0x3F));
  }
  return true;
}

std::optional<std::uint32_t> next_utf8(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) {
    ++at;
    return lead;
  }
  const std::size_t tail = lead >= 0xF0 ? 3 : (lead >= 0xE0 ? 2 : 1);
  if (lead < 0xC0 || lead >= 0xF8 || text.size() - at <= tail) return std::nullopt;
  std::uint32_t value = lead & (0x3Fu >> tail);
  for (std::size_t i = 1; i <= tail; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return std::nullopt;
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  static constexpr std::uint32_t kLowest[] = {0, 0x80, 0x800, 0x10000};
  if (value < kLowest[tail] || !is_code_point(value)) return std::nullopt;
  at += tail + 1;
  return value;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (!next_utf8(text, at)) return false;
  }
  return true;
}

}  // namespace strew

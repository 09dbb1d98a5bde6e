// Validates numbers on the command line.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace strew::app {

/// Rejects numbers outside the range of the type, which CLI11 would otherwise clamp.
template <class Number = std::int64_t>
CLI::Validator whole_number() {
  const auto refusal = [](const std::string& text) {
    Number number = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), number);
    const bool whole = fault == std::errc() && end == text.data() + text.size();
    if (whole) return std::string();
    return fmt::format("{} is not a {}whole number of 64 bits", text,
                       std::is_signed_v<Number> ? "" : "nonnegative ");
  };
  return CLI::Validator(refusal, "");
}

/// Parses a number of bytes, or "64K", "512M", "2G", "1T", "1GiB" with units that are powers of 1024.
inline CLI::Validator byte_size() {
  const auto to_bytes = [](std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [after, fault] = std::from_chars(text.data(), end, number);
    std::string_view unit(after, static_cast<std::size_t>(end - after));
    if (unit.ends_with("iB")) unit.remove_suffix(2);
    const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(unit) + 1;  // npos + 1 is 0
    const bool has_unit = unit.size() <= 1 && (unit.empty() ? after == end : power > 0);
    const auto shift = static_cast<int>(10 * power);
    if (fault == std::errc() && number >= 0 && has_unit &&
        number <= std::numeric_limits<std::int64_t>::max() >> shift) {
      text = fmt::to_string(number << shift);
      return std::string();
    }
    return fmt::format("{} is not a size; write bytes, or K, M, G, T for powers of 1024, as in 512M", text);
  };
  return CLI::Validator(to_bytes, "");
}

}  // namespace strew::app

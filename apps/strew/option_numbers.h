// Validates numbers on the command line.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <type_traits>

namespace strew::app {

/// Rejects numbers that do not fit; CLI11 would clamp them.
template <class Number = std::int64_t>
CLI::Validator whole_number() {
  const auto refusal = [](const std::string& text) {
    Number number = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), number);
    const bool whole = fault == std::errc() && end == text.data() + text.size();
    if (whole) return std::string();
    return fmt::format("{} is not a whole number of 64 bits{}", text,
                       std::is_signed_v<Number> ? "" : ", 0 or more");
  };
  return CLI::Validator(refusal, "");
}

/// Parses bytes, or "64K", "512M", "2G", "1T", "1GiB": powers of 1024.
CLI::Validator byte_size();

}  // namespace strew::app

// Strict UTF-8: rejects overlong forms, surrogates and code points above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Appends a code point; returns false and appends nothing if it is invalid.
bool append_utf8(std::string& to, std::uint32_t code_point);

/// Returns the code point at `at` (inside the text) and advances `at`; nullopt if the bytes there are not UTF-8.
std::optional<std::uint32_t> next_utf8(std::string_view text, std::size_t& at);

bool is_utf8(std::string_view text);

}  // namespace strew
STREW_API_END

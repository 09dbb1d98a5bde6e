// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strew {

/// Appends a code point; false, and nothing appended, where it is none.
bool append_utf8(std::string& to, std::uint32_t code_point);

/// The code point at `at`, which is moved after it; nothing where the bytes are not UTF-8.
/// `at` must be inside the text.
std::optional<std::uint32_t> next_utf8(std::string_view text, std::size_t& at);

/// Whether all of the text is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace strew

// Measures the stack of a call.
#pragma once

#include <cstdint>
#include <functional>

namespace strew::support {

/// Bytes of stack that suffice for every call; docs/cpp.md promises this size.
inline constexpr std::int64_t kSmallStack = 48 << 10;

/// Returns the bytes of stack, including thread-local memory, that a thread needs to run `body`.
std::int64_t stack_of(const std::function<void()>& body);

/// Returns false if a sanitizer or a build without optimization makes all frames larger.
bool stacks_are_small() noexcept;

}  // namespace strew::support

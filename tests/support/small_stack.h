// How much of its stack a call needs.
#pragma once

#include <cstdint>
#include <functional>

namespace strew::support {

/// What docs/cpp.md promises: every call is done on a thread with a stack of so many bytes.
inline constexpr std::int64_t kSmallStack = 48 << 10;

/// The bytes of stack that a thread takes which does nothing but `body`, its thread-local memory among them.
std::int64_t stack_of(const std::function<void()>& body);

/// False where a sanitizer or a build without optimization makes all frames larger.
bool stacks_are_small() noexcept;

}  // namespace strew::support

// Counting what a program has in memory at most. Its source replaces malloc, so link it into a test of its own.
#pragma once

#include <cstdint>

namespace strew::support {

/// False where something else, a sanitizer, has replaced malloc already.
bool memory_is_counted() noexcept;

/// What is in use now.
std::int64_t bytes_in_use() noexcept;

/// The most bytes that were in use at once since `start_counting`, beyond those in use then.
void start_counting() noexcept;
std::int64_t most_bytes() noexcept;

}  // namespace strew::support

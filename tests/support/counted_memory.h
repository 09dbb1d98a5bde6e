// Counts the memory of a program. The source replaces malloc, so link it only into tests that count memory.
#pragma once

#include <cstdint>

namespace strew::support {

/// False if a sanitizer has replaced malloc already.
bool memory_is_counted() noexcept;

std::int64_t bytes_in_use() noexcept;

/// Starts to count for `most_bytes`: the peak of bytes in use since then, without the bytes in use at the start.
void start_counting() noexcept;
std::int64_t most_bytes() noexcept;

}  // namespace strew::support

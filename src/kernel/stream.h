// Non-temporal stores for outputs larger than the caches, so that no cache line is read only to be overwritten.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// Copies bytes between ranges that do not overlap. Writes whole cache lines of `target` with non-temporal stores,
/// which other threads see after `stream_fence`.
using StreamCopy = void (*)(std::byte* target, const std::byte* source, std::int64_t bytes);
StreamCopy stream_copy() noexcept;
void stream_fence() noexcept;

}  // namespace strew

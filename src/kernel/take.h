// Taking single elements while the next ones are asked for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// Copies the elements of a table at `offset[i]`, for i in [0, count), to `to`, one after the other, and asks for
/// those at `next[i]`, for i in [0, next_count); next_count <= count.
using Take = void (*)(std::byte* to, const std::byte* table, const std::int64_t* offset, std::int64_t count,
                      const std::int64_t* next, std::int64_t next_count);

/// For elements of 1, 2, 4, 8 or 16 bytes.
Take take(std::int64_t width) noexcept;

}  // namespace strew

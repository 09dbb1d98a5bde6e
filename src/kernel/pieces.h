// Copies of pieces that lie a fixed distance apart: a few columns of a matrix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// Copies `count` pieces of `bytes` bytes each, one every `to_stride` and `from_stride` bytes, between places that
/// do not overlap. Pieces are asked for ahead of their use.
void copy_pieces(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                 std::int64_t bytes, std::int64_t count) noexcept;

/// The same past the caches; `to`, `to_stride` and `bytes` are whole lines. Other threads see them after
/// `stream_fence`.
using StreamPieces = void (*)(std::byte* to, std::int64_t to_stride, const std::byte* from,
                              std::int64_t from_stride, std::int64_t bytes, std::int64_t count);
StreamPieces stream_pieces() noexcept;

}  // namespace strew

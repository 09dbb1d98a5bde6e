// Copies a tensor with any strides into another of the same shape, tile by tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/loop_nest.h"
#include "strew/view.h"

namespace strew {
/// An axis of a tile: extent, and strides of target and source in elements.
struct TileAxis {
  std::int64_t extent;
  std::int64_t to;
  std::int64_t from;
};

/// Copies element (i, j) for all i of `outer` and j of `inner`, at any alignment. `to` and `from` do not overlap.
using CopyTile = void (*)(std::byte* to, const std::byte* from, const TileAxis& outer, const TileAxis& inner);

/// Returns the function that copies tiles of elements of `width` bytes: 1, 2, 4, 8 or 16.
CopyTile copy_tile(std::int64_t width) noexcept;

/// A copy in `part_count()` parts, which may be copied in any order and by several threads.
class StridedCopy {
 public:
  /// Both views must have been checked and have the same type and shape; they must not overlap.
  StridedCopy(const TensorView& source, void* target, const TensorView& target_view);

  /// Number of parts: tiles, or bytes if both tensors are dense (1 for strings).
  std::int64_t part_count() const noexcept { return parts_; }
  /// Total size in bytes, from which callers decide whether to use threads.
  std::int64_t size_bytes() const noexcept { return bytes_; }
  void run(std::int64_t begin, std::int64_t end) const;

 private:
  void divide(const TensorView& source, const TensorView& target_view);
  void run_bytes(std::int64_t begin, std::int64_t end) const;
  void run_strings() const;

  const std::byte* source_;
  std::byte* target_;
  DType dtype_;
  std::int64_t width_;  // element size; 1 for packed types, which are copied as bytes
  std::int64_t count_;
  std::int64_t parts_ = 0;
  std::int64_t bytes_ = 0;
  bool dense_ = false;       // both tensors are dense
  std::byte padding_{0};     // unused bits of the last byte of a packed tensor
  LoopNest<2> loop_;         // axes that no tile spans, with strides of target and source in elements
  TileAxis inner_{1, 1, 1};  // axis along which the target is written
  TileAxis outer_{1, 1, 1};
  std::int64_t inner_step_ = 1;  // extents of a tile along `inner_` and `outer_`
  std::int64_t outer_step_ = 1;
};

}  // namespace strew

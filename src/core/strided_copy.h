// Copying a tensor of any strides into another of the same shape.
#pragma once

#include <cstdint>

#include "core/loop_nest.h"
#include "core/strided_tile.h"
#include "strew/view.h"

namespace strew {

/// A copy cut into `part_count()` parts, which may be copied in any order and by several threads; parts of packed
/// types are whole bytes.
class StridedCopy {
 public:
  /// Both views must have been checked and have the same type and shape; they must not overlap.
  StridedCopy(const TensorView& source, void* target, const TensorView& target_view);

  /// Parts into which the copy can be cut: tiles, or bytes where both sides are dense (1 for strings).
  std::int64_t part_count() const noexcept { return parts_; }
  /// Bytes in all, for deciding whether threads pay.
  std::int64_t size_bytes() const noexcept { return bytes_; }
  /// Copies parts [begin, end).
  void run(std::int64_t begin, std::int64_t end) const;

 private:
  void divide(const TensorView& source, const TensorView& target_view);
  void run_bytes(std::int64_t begin, std::int64_t end) const;
  void run_strings() const;

  const std::byte* source_;
  std::byte* target_;
  DType dtype_;
  std::int64_t width_;  // bytes of an element; 1 for packed types, which count as bytes
  std::int64_t count_;  // of elements
  std::int64_t parts_ = 0;
  std::int64_t bytes_ = 0;
  bool dense_ = false;       // both sides
  std::byte padding_{0};     // the bits of the last byte of a packed tensor that belong to no element
  LoopNest<2> loop_;         // around the tiles: offsets of target and source in elements
  TileAxis inner_{1, 1, 1};  // along which the target is written
  TileAxis outer_{1, 1, 1};
  std::int64_t inner_step_ = 1;  // extents of a tile
  std::int64_t outer_step_ = 1;
};

}  // namespace strew

// Copying a tensor of any strides into another of the same shape.
#pragma once

#include <cstdint>

#include "core/loop_nest.h"
#include "strew/view.h"

namespace strew {

/// A copy cut into `count()` rows that are contiguous on both sides. Rows may be copied in any order and by
/// several threads; rows of packed types are whole.
class StridedCopy {
 public:
  /// Both views must have been checked and have the same type and shape; they must not overlap.
  StridedCopy(const TensorView& source, void* target, const TensorView& target_view);

  /// Parts into which the copy can be cut: rows, or bytes where there is only one row (1 for strings).
  std::int64_t part_count() const noexcept { return parts_; }
  /// Bytes in all, for deciding whether threads pay.
  std::int64_t size_bytes() const noexcept { return bytes_; }
  /// Copies parts [begin, end).
  void run(std::int64_t begin, std::int64_t end) const;

 private:
  LoopNest<2> rows_;  // offsets of target and source in elements
  const std::byte* source_;
  std::byte* target_;
  DType dtype_;
  std::int64_t width_;    // bytes of an element; 1 for packed types, which count as bytes
  std::int64_t row_ = 1;  // elements of a row
  std::int64_t parts_ = 0;
  std::int64_t bytes_ = 0;
  std::byte padding_{0};  // the bits of the last byte of a packed tensor that belong to no element
};

}  // namespace strew

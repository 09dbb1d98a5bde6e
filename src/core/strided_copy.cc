// Strided copies, row by row.
#include "core/strided_copy.h"

#include <cstring>
#include <string>

#include "core/size.h"
#include "core/view_check.h"

namespace strew {

StridedCopy::StridedCopy(const TensorView& source, void* target, const TensorView& target_view)
    : source_(static_cast<const std::byte*>(source.data())),
      target_(static_cast<std::byte*>(target)),
      dtype_(source.dtype()),
      width_(is_packed(dtype_) ? 1 : bit_width(dtype_) / 8) {
  const std::int64_t count = element_count(source.shape());
  bytes_ = strew::size_bytes(dtype_, count);
  if (count == 0) return;
  if (dtype_ != DType::kString && source.dense() && target_view.dense()) row_ = count;
  if (is_packed(dtype_)) {  // dense on both sides
    row_ = bytes_;
    const auto used = static_cast<unsigned>(count % (8 / bit_width(dtype_)) * bit_width(dtype_));
    if (used != 0) padding_ = static_cast<std::byte>(0xFFu << used);
  } else if (row_ != count) {
    const Shape from = strides_of(source);
    const Shape to = strides_of(target_view);
    for (std::int64_t axis = 0; axis < source.rank(); ++axis) {
      rows_.push(source.shape()[axis], {to[axis], from[axis]});
    }
    if (rows_.rank > 0) {
      const std::size_t inner = rows_.at(rows_.rank - 1);
      if (rows_.stride[inner][0] == 1 && rows_.stride[inner][1] == 1) {
        row_ = rows_.extent[inner];
        --rows_.rank;
      }
    }
  }
  const bool one_row = rows_.rank == 0 && dtype_ != DType::kString;
  parts_ = one_row ? row_ : rows_.count();
}

void StridedCopy::run(std::int64_t begin, std::int64_t end) const {
  if (begin >= end) return;
  if (dtype_ == DType::kString) {
    auto* to = reinterpret_cast<std::string*>(target_);
    const auto* from = reinterpret_cast<const std::string*>(source_);
    LoopWalk<2> walk(rows_, begin);
    for (std::int64_t part = begin; part < end; ++part, walk.advance(1)) {
      std::copy_n(from + walk.offset()[1], row_, to + walk.offset()[0]);
    }
    return;
  }
  if (rows_.rank == 0) {  // parts are elements of the only row
    const std::byte last = target_[end * width_ - 1];
    std::memcpy(target_ + begin * width_, source_ + begin * width_,
                static_cast<std::size_t>((end - begin) * width_));
    if (padding_ != std::byte{0} && end == parts_) {
      std::byte& mixed = target_[end - 1];
      mixed = (last & padding_) | (mixed & ~padding_);
    }
    return;
  }
  const auto row_bytes = static_cast<std::size_t>(row_ * width_);
  LoopWalk<2> walk(rows_, begin);
  for (std::int64_t part = begin; part < end; ++part, walk.advance(1)) {
    std::memcpy(target_ + walk.offset()[0] * width_, source_ + walk.offset()[1] * width_, row_bytes);
  }
}

}  // namespace strew

// Views of operands, whose memory the caller owns.
#pragma once

#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>

#include "strew/dtype.h"
#include "strew/export.h"
#include "strew/shape.h"

STREW_API_BEGIN
namespace strew {

namespace detail {
/// Contiguous ranges whose elements outlive the range object.
template <class Range>
concept DenseAndLasting = std::ranges::borrowed_range<Range> && std::ranges::contiguous_range<Range>;
template <class Range>
concept DenseLastingWritable =
    DenseAndLasting<Range> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;
}  // namespace detail

/// A read-only view of a tensor in memory that the view does not own: address, type, shape, strides.
///
/// Strides are in elements; negative ones and 0 (a broadcast view) are allowed. Addresses need no alignment,
/// but strings must be aligned `std::string` objects. Packed types (2 and 4 bits) must be dense.
class TensorView {
 public:
  /// A dense row-major tensor at `data`, which must hold `element_count(shape)` elements.
  TensorView(const void* data, DType dtype, Shape shape) : data_(data), dtype_(dtype), shape_(std::move(shape)) {}

  /// A tensor whose element [i, j, ...] is at `data + i * strides[0] + j * strides[1] + ...` elements.
  TensorView(const void* data, DType dtype, Shape shape, Shape strides)
      : data_(data), dtype_(dtype), shape_(std::move(shape)), strides_(std::move(strides)), dense_(false) {}

  /// A dense tensor over a vector, array or span. Operators check its length. The elements must outlive the view.
  template <detail::DenseAndLasting Range>
  TensorView(Range&& values, Shape shape)
      : data_(std::ranges::data(values)),
        dtype_(dtype_of<std::ranges::range_value_t<Range>>),
        shape_(std::move(shape)),
        span_size_(static_cast<std::int64_t>(std::ranges::size(values))) {}
  template <std::ranges::range Range>
  requires(!detail::DenseAndLasting<Range>) TensorView(Range&& values, Shape shape)
  = delete;  // the view would outlive a temporary; std::list and vector<bool> are not dense

  const void* data() const noexcept { return data_; }
  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  std::int64_t rank() const noexcept { return shape_.rank(); }
  /// True if constructed without strides.
  bool dense() const noexcept { return dense_; }
  /// The strides; unspecified if `dense()`.
  const Shape& strides() const noexcept { return strides_; }
  /// The length of the range that the view was constructed from; -1 if there was none.
  std::int64_t span_size() const noexcept { return span_size_; }

 private:
  const void* data_;
  DType dtype_;
  Shape shape_;
  Shape strides_;
  std::int64_t span_size_ = -1;
  bool dense_ = true;
};

/// A writable TensorView.
class MutableTensorView : public TensorView {
 public:
  MutableTensorView(void* data, DType dtype, Shape shape)
      : TensorView(data, dtype, std::move(shape)), mutable_data_(data) {}
  MutableTensorView(void* data, DType dtype, Shape shape, Shape strides)
      : TensorView(data, dtype, std::move(shape), std::move(strides)), mutable_data_(data) {}
  template <detail::DenseLastingWritable Range>
  MutableTensorView(Range&& values, Shape shape)
      : TensorView(values, std::move(shape)), mutable_data_(std::ranges::data(values)) {}
  template <std::ranges::range Range>
  requires(!detail::DenseLastingWritable<Range>) MutableTensorView(Range&& values, Shape shape)
  = delete;  // as for TensorView, and elements must not be const

  void* data() const noexcept { return mutable_data_; }

 private:
  void* mutable_data_;
};

}  // namespace strew
STREW_API_END

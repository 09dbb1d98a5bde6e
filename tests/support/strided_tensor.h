// StridedTensor: a tensor inside a larger buffer whose other bytes are checked for writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "strew/tensor.h"
#include "strew/view.h"
#include "support/random.h"

namespace strew::support {

/// The position of a tensor's elements in its buffer.
struct Layout {
  bool dense = true;           ///< a view without strides
  Shape strides;               ///< strides of a view that is not dense
  std::int64_t first = 0;      ///< offset of the element at coordinate 0 from the start of the buffer, in elements
  std::int64_t elements = 0;   ///< length of the buffer without guards, in elements
  std::int64_t odd_bytes = 0;  ///< bytes by which the buffer's start is misaligned; 0 for strings
};

Layout dense_layout(const Shape& shape);
/// Returns permuted axes with gaps, negative strides and, with `repeats`, strides of 0. Packed types are dense.
Layout random_layout(Random& random, DType dtype, const Shape& shape, bool repeats);

/// Returns a layout in which all elements share one address. The type must not be packed.
Layout single_value_layout(Random& random, DType dtype, const Shape& shape);

/// A buffer with guards on both sides and in all gaps. Copies are deep.
class StridedTensor {
 public:
  /// Fills the whole buffer, including gaps, with a canary value.
  StridedTensor(DType dtype, Shape shape, Layout layout);
  /// As above, then writes the elements of `values`, in row-major order.
  StridedTensor(const TensorView& values, Layout layout);

  TensorView view() const;
  MutableTensorView mutable_view();

  /// True if both buffers are equal byte for byte: elements, gaps and guards. The two must have been made with the
  /// same layout. The unused bits in the last byte of a packed tensor do not count.
  bool same_buffer(const StridedTensor& other) const;

 private:
  void* address();

  DType dtype_;
  Shape shape_;
  Layout layout_;
  std::vector<std::byte> bytes_;
  std::vector<std::string> strings_;
};

}  // namespace strew::support

#include "support/strided_tensor.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reference/element.h"

namespace strew::support {
namespace {

constexpr std::int64_t kGuardElements = 5;
constexpr std::byte kCanary{0xA5};

std::int64_t bytes_for(DType dtype, std::int64_t elements) { return (elements * bit_width(dtype) + 7) / 8; }

// Guards of packed types are whole bytes, so that the tensor starts in a byte of its own.
std::int64_t guard_bytes(DType dtype) { return std::max<std::int64_t>(bytes_for(dtype, kGuardElements), 16); }

}  // namespace

Layout dense_layout(const Shape& shape) {
  Layout layout;
  layout.elements = element_count(shape);
  return layout;
}

Layout random_layout(Random& random, DType dtype, const Shape& shape, bool repeats) {
  Layout layout = dense_layout(shape);
  if (dtype != DType::kString) layout.odd_bytes = random.one_in(3) ? random.below(16) : 0;
  if (is_packed(dtype)) return layout;
  layout.dense = false;
  layout.strides = shape;
  std::vector<std::int64_t> order(static_cast<std::size_t>(shape.rank()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (random.one_in(2)) {
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
  }
  std::int64_t reach = 1;  // elements spanned by the axes so far
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const std::int64_t extent = std::max<std::int64_t>(shape[*axis], 1);
    if (repeats && random.one_in(3)) {
      layout.strides[*axis] = 0;
      continue;
    }
    const std::int64_t stride = reach + (random.one_in(3) ? random.between(1, 3) : 0);
    reach = stride * (extent - 1) + reach;
    const bool backwards = random.one_in(4);
    layout.strides[*axis] = backwards ? -stride : stride;
    if (backwards) layout.first += stride * (extent - 1);
  }
  layout.elements = reach;
  return layout;
}

Layout single_value_layout(Random& random, DType dtype, const Shape& shape) {
  Layout layout;
  if (dtype != DType::kString) layout.odd_bytes = random.one_in(3) ? random.below(16) : 0;
  layout.dense = false;
  layout.strides = shape;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) layout.strides[axis] = 0;
  layout.elements = 1;
  return layout;
}

StridedTensor::StridedTensor(DType dtype, Shape shape, Layout layout)
    : dtype_(dtype), shape_(std::move(shape)), layout_(std::move(layout)) {
  if (dtype_ == DType::kString) {
    strings_.assign(static_cast<std::size_t>(layout_.elements + 2 * kGuardElements), "canary");
  } else {
    const std::int64_t bytes = bytes_for(dtype_, layout_.elements) + 2 * guard_bytes(dtype_) + layout_.odd_bytes;
    bytes_.assign(static_cast<std::size_t>(bytes), kCanary);
  }
}

StridedTensor::StridedTensor(const TensorView& values, Layout layout)
    : StridedTensor(values.dtype(), values.shape(), std::move(layout)) {
  const MutableTensorView to = mutable_view();
  reference::for_each_coordinate(shape_,
                                 [&](const Shape& at) { reference::write(to, at, reference::read(values, at)); });
}

void* StridedTensor::address() {
  if (dtype_ == DType::kString) return strings_.data() + kGuardElements + layout_.first;
  return bytes_.data() + guard_bytes(dtype_) + layout_.odd_bytes + bytes_for(dtype_, layout_.first);
}

MutableTensorView StridedTensor::mutable_view() {
  return layout_.dense ? MutableTensorView(address(), dtype_, shape_)
                       : MutableTensorView(address(), dtype_, shape_, layout_.strides);
}

TensorView StridedTensor::view() const { return const_cast<StridedTensor*>(this)->mutable_view(); }

bool StridedTensor::same_buffer(const StridedTensor& other) const {
  if (strings_ != other.strings_ || bytes_.size() != other.bytes_.size()) return false;
  const std::int64_t unused_bits = bytes_for(dtype_, layout_.elements) * 8 - layout_.elements * bit_width(dtype_);
  if (!is_packed(dtype_) || unused_bits == 0) return bytes_ == other.bytes_;
  const auto last =
      static_cast<std::size_t>(guard_bytes(dtype_) + layout_.odd_bytes + bytes_for(dtype_, layout_.elements) - 1);
  std::vector<std::byte> mine = bytes_;
  const std::byte used{static_cast<unsigned char>(0xFF >> unused_bits)};
  mine[last] = (mine[last] & used) | (other.bytes_[last] & ~used);
  return mine == other.bytes_;
}

}  // namespace strew::support

// Fills memory from a few lines in L1.
#include "engine/traversal/pattern.h"

#include <algorithm>
#include <cstring>

#include "core/view_check.h"
#include "kernel/stream.h"

namespace strew {

Pattern::Pattern(const void* element, DType dtype) noexcept {
  const int bits = bit_width(dtype);
  auto width = static_cast<std::size_t>(std::max(bits / 8, 1));
  std::memcpy(bytes_.data(), element, width);
  if (bits < 8) {
    const unsigned first = std::to_integer<unsigned>(bytes_.front()) & ((1u << bits) - 1u);
    unsigned all = 0;
    for (int shift = 0; shift < 8; shift += bits) all |= first << shift;
    bytes_.front() = static_cast<std::byte>(all);
  }
  for (; width < bytes_.size(); width *= 2) std::memcpy(bytes_.data() + width, bytes_.data(), width);
}

void Pattern::write(std::byte* to, std::int64_t bytes, bool non_temporal) const noexcept {
  for (std::int64_t at = 0; at < bytes; at += kBytes) {
    const std::int64_t length = std::min(kBytes, bytes - at);
    if (non_temporal) {
      stream_copy()(to + at, bytes_.data(), length);
    } else {
      std::memcpy(to + at, bytes_.data(), static_cast<std::size_t>(length));
    }
  }
  if (non_temporal) stream_fence();
}

TakenData::TakenData(const TensorView& data)
    : data_(static_cast<const std::byte*>(data.data())), width_(bit_width(data.dtype()) / 8) {
  if (is_single_value(data)) value_ = std::make_unique<Pattern>(data.data(), data.dtype());
}

void TakenData::take(Range elements, std::byte* to) const noexcept {
  const std::int64_t bytes = (elements.end - elements.begin) * width_;
  if (value_ != nullptr) return value_->write(to, bytes, false);
  std::memcpy(to, data_ + elements.begin * width_, static_cast<std::size_t>(bytes));
}

}  // namespace strew

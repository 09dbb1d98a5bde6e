// Prepares a few rows of updates at a time, so that the prepared rows stay in L1.
#include "engine/reduce/prepare.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace strew {

Prepare::Prepare(DType dtype, DType folded, std::int64_t row, const std::optional<TensorView>& alpha)
    : row_(row),
      width_(bit_width(dtype) / 8),
      most_(static_cast<std::int64_t>(kBytes) * 8 / bit_width(folded)),
      widening_(dtype == folded ? nullptr : widening(dtype)),
      move_(copy_kernel(dtype)) {
  if (!alpha) return;
  auto repeated = std::make_unique<Elements>();
  make(repeated->data(), static_cast<const std::byte*>(alpha->data()), nullptr, 1, 1);
  for (auto filled_bytes = static_cast<std::size_t>(bit_width(folded) / 8); filled_bytes < kBytes;
       filled_bytes *= 2) {
    std::memcpy(repeated->data() + filled_bytes, repeated->data(), filled_bytes);
  }
  alpha_ = std::move(repeated);
  scale_ = combine_kernel(folded, Reduction::kMul);
}

void Prepare::pass(Kernel kernel, void* target, const void* source, const std::int64_t* target_offset,
                   const std::int64_t* source_offset, std::int64_t count) const {
  if (widening_ == nullptr && scale_ == nullptr) {
    return kernel(target, source, target_offset, source_offset, count, row_);
  }
  const auto* from = static_cast<const std::byte*>(source);
  Elements elements;
  const std::int64_t rows = most_ / row_;
  for (std::int64_t i = 0; i < count && rows > 0; i += rows) {
    const std::int64_t n = std::min(rows, count - i);
    if (source_offset != nullptr) {
      make(elements.data(), from, source_offset + i, n, row_);
    } else {
      make(elements.data(), from + i * row_ * width_, nullptr, n, row_);
    }
    kernel(target, elements.data(), target_offset + i, nullptr, n, row_);
  }
  if (rows > 0) return;
  for (std::int64_t i = 0; i < count; ++i) {  // rows longer than `elements`, part by part
    const std::int64_t begin = source_offset != nullptr ? source_offset[i] : i * row_;
    for (std::int64_t done = 0; done < row_; done += most_) {
      const std::int64_t length = std::min(most_, row_ - done);
      const std::int64_t destination = target_offset[i] + done;
      make(elements.data(), from + (begin + done) * width_, nullptr, 1, length);
      kernel(target, elements.data(), &destination, nullptr, 1, length);
    }
  }
}

void Prepare::make(std::byte* to, const std::byte* source, const std::int64_t* offset, std::int64_t count,
                   std::int64_t row) const {
  if (widening_ == nullptr) {
    move_(to, source, nullptr, offset, count, row);
  } else if (offset == nullptr) {
    widening_->widen(source, reinterpret_cast<float*>(to), count * row);
  } else {
    std::array<std::byte, kBytes / 2> together;  // elements of at most 2 bytes, widened to 4
    move_(together.data(), source, nullptr, offset, count, row);
    widening_->widen(together.data(), reinterpret_cast<float*>(to), count * row);
  }
  if (scale_ == nullptr) return;
  constexpr std::int64_t kBegin = 0;
  scale_(to, alpha_->data(), &kBegin, &kBegin, 1, count * row);
}

}  // namespace strew

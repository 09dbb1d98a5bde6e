// WideAccumulation: folds narrow floats as float32, apart from the output, and rounds once.
#pragma once

#include "engine/reduce/row_counts.h"
#include "kernel/mean.h"
#include "kernel/widen.h"

namespace strew {

/// `folded` is memory of floats for rows of narrow elements that start at `output`.
class WideAccumulation {
 public:
  WideAccumulation(const Plan& plan, const Geometry& geometry) noexcept
      : widening_(widening(plan.dtype())), width_(bit_width(plan.dtype()) / 8), row_(geometry.row) {}

  /// Widens the rows that receive their first updates.
  void begin(const std::byte* output, std::byte* folded, const RowUpdates& updates, const SomeRows& first) const {
    for (std::int64_t i = 0; i < first.count; ++i) {
      const std::int64_t at = updates.target_offset[first.number[static_cast<std::size_t>(i)]];
      widening_->widen(output + at * width_, reinterpret_cast<float*>(folded + at * kWide), row_);
    }
  }

  /// Rounds rows that have updates.
  template <class Count>
  void end(const Sums& rows, const Count* counts, std::byte* output) const {
    const auto* folded = static_cast<const std::byte*>(rows.elements);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (counts[i] == 0) continue;
      const auto* row = reinterpret_cast<const float*>(folded + i * rows.step * kWide);
      widening_->narrow(row, output + i * rows.step * width_, row_);
    }
  }

 private:
  static constexpr std::int64_t kWide = sizeof(float);
  const Widening* widening_;
  std::int64_t width_;  // element size of the output
  std::int64_t row_;
};

}  // namespace strew

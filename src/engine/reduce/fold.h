// Fold: the parts of a reduction besides combining. It divides by the number of terms, starts from the first
// update of a row, or folds in a wider type; each of the three is a struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/parallel.h"
#include "engine/geometry/geometry.h"
#include "engine/reduce/prepare.h"
#include "engine/reduce/row_counts.h"
#include "index/resolve.h"
#include "kernel/kernel.h"
#include "kernel/mean.h"
#include "strew/executor.h"
#include "strew/plan.h"

namespace strew {

/// Folds narrow floats as float32, apart from the output, and rounds once. `folded` is memory of floats for rows
/// of narrow elements that start at `output`.
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

/// A reduction that starts from the first update of each row instead of data.
class WithoutSelf {
 public:
  WithoutSelf(const Plan& plan, const Geometry& geometry) noexcept
      : row_(geometry.row), assign_(copy_kernel(folded_type(plan))) {}

  /// Moves the first update of each row, and folds the others with `fold`.
  void apply(const Prepare& prepare, Kernel fold, void* target, const RowUpdates& updates, const SomeRows& first,
             const SomeRows& later) const;

 private:
  std::int64_t row_;
  Kernel assign_;
};

/// Replaces the kernel of a reduction that needs_fold. It counts by rows of the geometry, which coincide in the
/// output or are disjoint; tasks must not divide them.
class Fold {
 public:
  /// `output` will hold data before updates are applied. Throws std::bad_alloc.
  Fold(const Plan& plan, const Geometry& geometry, const FoldLayout& layout,
       const std::optional<TensorView>& alpha, void* output);

  /// A Kernel for rows of the geometry; `target` is an address in the output. Threads may apply updates of
  /// different rows of the output at once.
  void apply(void* target, const void* source, const std::int64_t* target_offset,
             const std::int64_t* source_offset, std::int64_t count) const;

  /// Ends all rows that have updates.
  void finish(const Geometry& geometry, const IndexResolver& resolver, Executor& executor) const;

 private:
  // Applies at most SomeRows::kBlock updates of counted rows; `origin` is the offset of `destination` from the
  // lowest.
  void apply_block(std::byte* destination, std::int64_t origin, const RowUpdates& updates) const;
  // Ends those of some units that have updates.
  void end_rows(Range units) const;
  // The address at which the element at `destination`, `offset` from the lowest, is folded.
  std::byte* folded_at(std::int64_t offset, std::byte* destination) const noexcept {
    return layout_.separate_element_bytes > 0 ? separate_.data() + offset * layout_.separate_element_bytes
                                              : destination;
  }

  FoldLayout layout_;
  std::int64_t row_;
  std::byte* output_;
  std::int64_t width_;  // element size of the output
  Prepare prepare_;
  Kernel fold_;
  const Divide* mean_ = nullptr;  // of a mean
  bool include_self_;
  std::optional<WithoutSelf> without_self_;
  std::optional<WideAccumulation> wide_;
  RowCounts counts_;
  PartlyUsed separate_;  // starts at the lowest offset
};

}  // namespace strew

// Fold: a reduction with steps besides combining. It can multiply updates by alpha, combine in a wider type, start
// from the first update of a row instead of data, and divide by the number of terms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/parallel.h"
#include "core/scratch.h"
#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "kernel/kernel.h"
#include "kernel/mean.h"
#include "strew/dtype.h"
#include "strew/executor.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// How a Fold counts updates, and the sizes of its memory. The geometry must not be empty.
struct FoldLayout {
  /// The record of a row: none, whether it has updates (1 byte), or the number of its updates (4 or 8 bytes).
  enum class Counts : std::uint8_t { kNone, kAny, kFew, kMany };

  FoldLayout(const Plan& plan, const Geometry& geometry) noexcept;

  std::int64_t bytes() const noexcept { return count_bytes() + separate_bytes(); }
  std::int64_t count_bytes() const noexcept;
  std::int64_t separate_bytes() const noexcept { return separate_element_bytes * reach_elements; }

  std::int64_t lowest = 0;  ///< lowest offset of a row of the output
  int unit = 0;             ///< all offsets are multiples of 1 << unit, counted from the lowest
  std::int64_t units = 0;
  std::int64_t reach_elements = 0;  ///< elements from the lowest row to the end of the highest row
  Counts counts = Counts::kNone;
  bool widens = false;
  std::int64_t separate_element_bytes = 0;  ///< size of an accumulator outside the output; 0: none
  bool sparse = false;                      ///< most rows have no updates
};

/// The type in which updates are combined, and the reduction that combines them (kAdd for a mean).
DType folded_type(const Plan& plan) noexcept;
Reduction folded_reduction(const Plan& plan) noexcept;

/// Memory that may stay partly unused. If `sparse`, it comes from malloc, so that unused pages cost nothing.
class PartlyUsed {
 public:
  /// Throws std::bad_alloc.
  PartlyUsed(std::int64_t bytes, bool sparse, bool zero);
  std::byte* data() const noexcept { return sparse_ != nullptr ? sparse_.get() : dense_.data(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  Scratch dense_;
  std::unique_ptr<std::byte, Free> sparse_;
};

/// Updates and their rows of the output, in the form of a Kernel's arguments. `source_offset` may be nullptr.
struct RowUpdates {
  const std::byte* source;
  const std::int64_t* target_offset;
  const std::int64_t* source_offset;
  std::int64_t count;
};

/// The numbers of at most kBlock updates of a RowUpdates.
struct SomeRows {
  static constexpr std::int64_t kBlock = 128;
  std::array<std::uint16_t, static_cast<std::size_t>(kBlock)> number;
  std::int64_t count = 0;
};

class RowCounts {
 public:
  explicit RowCounts(const FoldLayout& layout)
      : kind_(layout.counts), unit_(layout.unit), memory_(layout.count_bytes(), layout.sparse, true) {}

  /// Calls `visit` with a typed pointer to the counts; does not call it for kNone.
  template <class Visit>
  void visit(const Visit& visit) const {
    switch (kind_) {
      case FoldLayout::Counts::kNone:
        return;
      case FoldLayout::Counts::kAny:
        return visit(of<std::uint8_t>());
      case FoldLayout::Counts::kFew:
        return visit(of<std::uint32_t>());
      case FoldLayout::Counts::kMany:
        return visit(of<std::uint64_t>());
    }
  }

  /// Counts updates. The row of update i starts `origin + target_offset[i]` elements after FoldLayout::lowest.
  void count(const std::int64_t* target_offset, std::int64_t count, std::int64_t origin) const;

  /// Counts updates as `count` does, and separates the first update of each row from later ones.
  void tell_apart(const std::int64_t* target_offset, std::int64_t count, std::int64_t origin, SomeRows& first,
                  SomeRows& later) const;

 private:
  template <class Count>
  Count* of() const noexcept {
    return reinterpret_cast<Count*>(memory_.data());
  }

  FoldLayout::Counts kind_;
  int unit_;
  PartlyUsed memory_;
};

/// Widens updates to float32, multiplies them by alpha, or does both, for a few rows at a time in L1.
class Prepare {
 public:
  /// `folded`: see folded_type. Can throw std::bad_alloc if alpha is set.
  Prepare(DType dtype, DType folded, std::int64_t row, const std::optional<TensorView>& alpha);

  /// Prepares `count` rows and calls a kernel of the folded type for them. Source offsets are in elements of the
  /// type of updates, and may be nullptr, as for a Kernel.
  void pass(Kernel kernel, void* target, const void* source, const std::int64_t* target_offset,
            const std::int64_t* source_offset, std::int64_t count) const;

 private:
  static constexpr std::size_t kBytes = 2048;  // size of the buffer of prepared elements
  struct alignas(64) Elements : std::array<std::byte, kBytes> {};

  void make(std::byte* to, const std::byte* source, const std::int64_t* offset, std::int64_t count,
            std::int64_t row) const;

  std::int64_t row_;
  std::int64_t width_;  // element size of updates
  std::int64_t most_;   // maximum number of elements prepared at a time
  const Widening* widening_;
  Kernel move_;                            // copies elements of the type of updates
  Kernel scale_ = nullptr;                 // multiplies in the folded type
  std::unique_ptr<const Elements> alpha_;  // alpha, repeated
};

/// Widens rows of narrow floats to float32 accumulators outside the output, and rounds each result once. `folded`:
/// the accumulators of the rows at `output`.
class WideAccumulation {
 public:
  WideAccumulation(const Plan& plan, const Geometry& geometry) noexcept
      : widening_(widening(plan.dtype())), width_(bit_width(plan.dtype()) / 8), row_(geometry.row) {}

  /// Widens the rows that receive their first update.
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

  /// Copies the first update of each row, and combines later ones with `fold`.
  void apply(const Prepare& prepare, Kernel fold, void* target, const RowUpdates& updates, const SomeRows& first,
             const SomeRows& later) const;

 private:
  std::int64_t row_;
  Kernel assign_;
};

/// Called in place of a kernel if needs_fold() is true. Counts the updates of each row of the output. Two rows
/// must be identical or disjoint, and tasks must not divide a row.
class Fold {
 public:
  /// `output` must hold the elements of data before the first update is applied. Throws std::bad_alloc.
  Fold(const Plan& plan, const Geometry& geometry, const FoldLayout& layout,
       const std::optional<TensorView>& alpha, void* output);

  /// Combines rows as a Kernel does; `target` is an address in the output. Threads may apply updates to different
  /// rows of the output at the same time.
  void apply(void* target, const void* source, const std::int64_t* target_offset,
             const std::int64_t* source_offset, std::int64_t count) const;

  /// Divides or rounds all rows that have updates.
  void finish(const Geometry& geometry, const IndexResolver& resolver, Executor& executor) const;

 private:
  // Applies at most SomeRows::kBlock updates. `origin`: elements from FoldLayout::lowest to `destination`.
  void apply_block(std::byte* destination, std::int64_t origin, const RowUpdates& updates) const;
  // Divides or rounds the rows of `units` that have updates.
  void end_rows(Range units) const;
  // The address of the accumulator of the element at `destination`, `offset` elements after FoldLayout::lowest.
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
  const Divide* mean_ = nullptr;  // set for a mean
  bool include_self_;
  std::optional<WithoutSelf> without_self_;
  std::optional<WideAccumulation> wide_;
  RowCounts counts_;
  PartlyUsed separate_;  // accumulators outside the output, from the lowest offset on
};

}  // namespace strew

// What a reduction does besides letting updates meet what is there: it folds in a wider type, begins with the
// first update of a row, or divides by the number of terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/parallel.h"
#include "core/scratch.h"
#include "engine/geometry.h"
#include "engine/prepare.h"
#include "kernel/mean.h"
#include "strew/executor.h"
#include "strew/plan.h"

namespace strew {

/// How a Fold counts, and what it works in. Neither positions nor data may be empty.
struct FoldLayout {
  /// What is known of a row of the output: whether an update reached it, or how many.
  enum class Counts : std::uint8_t { kNone, kAny, kFew, kMany };

  FoldLayout(const Plan& plan, const Geometry& geometry) noexcept;

  std::int64_t bytes() const noexcept { return count_bytes() + apart_bytes(); }
  std::int64_t count_bytes() const noexcept;
  std::int64_t apart_bytes() const noexcept { return apart_width * reach; }

  std::int64_t lowest = 0;  ///< offset of a row of the output
  int unit = 0;             ///< all offsets are multiples of 1 << unit, counted from the lowest
  std::int64_t units = 0;
  std::int64_t reach = 0;  ///< elements from the lowest to the end of the highest row
  Counts counts = Counts::kNone;
  bool widens = false;
  bool sums = false;             ///< updates are the terms of means as they are, element by element
  std::int64_t apart_width = 0;  ///< bytes of an element that is folded apart from the output; 0: in it
  bool sparse = false;           ///< most rows will not be reached
};

/// Memory of which parts may stay unused. Where it is sparse they cost nothing.
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

/// Takes the place of the kernel of such a reduction. It counts by rows of the geometry, which are the same in the
/// output or disjoint; tasks must not divide them.
class Fold {
 public:
  static bool needed(const Plan& plan) noexcept;

  /// `output` is where data will be before updates are applied. Throws std::bad_alloc.
  Fold(const Plan& plan, const Geometry& geometry, const FoldLayout& layout,
       const std::optional<TensorView>& alpha, void* output);

  /// As a Kernel for rows of the geometry; `target` is an address in the output. Threads may apply updates of
  /// different rows of the output at once.
  void apply(void* target, const void* source, const std::int64_t* target_offset,
             const std::int64_t* source_offset, std::int64_t count) const;

  /// Ends all rows that were reached.
  void finish(const Geometry& geometry, const IndexResolver& resolver, Executor& executor) const;

 private:
  // Calls `visit` with the counts, as numbers of their type.
  template <class Visit>
  void with_counts(const Visit& visit) const;
  // Of some units, those that were reached.
  void end_rows(Range units) const;
  // Where the element at `offset` from the lowest, which is at `place`, is folded.
  std::byte* folded_at(std::int64_t offset, std::byte* place) const noexcept {
    return layout_.apart_width > 0 ? apart_.data() + offset * layout_.apart_width : place;
  }

  FoldLayout layout_;
  std::int64_t row_;
  bool include_self_;
  std::byte* output_;
  std::int64_t width_;         // bytes of an element of the output
  std::int64_t folded_width_;  // ... of what is folded
  const Widening* widening_;
  Prepare prepare_;
  Kernel fold_;
  Kernel assign_;
  CountedSum counted_sum_;  // nullptr: rows are counted before they are folded
  BeginningKernel begin_;   // ... or told apart
  const Divide* divide_;    // nullptr: by nothing
  PartlyUsed counts_;
  PartlyUsed apart_;  // from the lowest offset on
};

}  // namespace strew

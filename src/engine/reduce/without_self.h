// WithoutSelf: a reduction that starts from the first update of each row instead of data.
#pragma once

#include "engine/reduce/prepare.h"
#include "engine/reduce/row_counts.h"
#include "kernel/kernel.h"

namespace strew {

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

}  // namespace strew

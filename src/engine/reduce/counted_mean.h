// CountedMean: counts updates, and divides the sums of rows at the end.
#pragma once

#include <cstdint>

#include "engine/reduce/row_counts.h"
#include "kernel/mean.h"

namespace strew {

class CountedMean {
 public:
  CountedMean(const Plan& plan, const FoldLayout& layout) noexcept;

  /// The kernel for single numbers that counts while it sums; nullptr if rows are counted first.
  CountedSum sum() const noexcept { return sum_; }

  /// Initialises sums that are kept apart from the output.
  void begin(std::byte* sums, std::int64_t count) const noexcept;

  /// Divides the sums of rows, and moves sums kept apart from the output to `output`.
  template <class Count>
  void end(const Sums& sums, const Count* counts, std::byte* output) const;

 private:
  DType dtype_;
  bool include_self_;
  bool apart_;  // single numbers are summed apart from the output
  CountedSum sum_;
  const Divide* divide_;
};

}  // namespace strew

// CountedMean: updates are counted, and the sums of rows are divided in the end.
#pragma once

#include <cstdint>

#include "engine/reduce/row_counts.h"
#include "kernel/mean.h"

namespace strew {

class CountedMean {
 public:
  CountedMean(const Plan& plan, const FoldLayout& layout) noexcept;

  /// The kernel for single numbers that counts while it sums; nullptr where rows are counted before.
  CountedSum sum() const noexcept { return sum_; }

  /// Writes what sums apart from the output begin with.
  void begin(std::byte* sums, std::int64_t count) const noexcept;

  /// Divides the sums of rows, which lie in the output or apart from it; those apart are then moved to `output`.
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

// CheckedIndices: constant index values, checked once for many runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/shape.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

/// Indices whose values are in range, or accepted by the rules of the plan, with facts about them. A run that gets
/// it as `Promises::checked_indices` skips the check if it applies, and ignores it otherwise.
///
/// The values must not change while it is in use. If they do, results are wrong, but no access is outside the
/// operands.
class CheckedIndices {
 public:
  /// True for the same view of indices, the same rules, and data of the same extents along the axes addressed.
  /// False for TensorScatter, whose few indices are always checked.
  bool applies_to(const Plan& plan, const TensorView& indices) const;

  /// Bounds of the positions on the first indexed axis; 0 and -1 if there are none.
  std::int64_t lowest() const noexcept { return lowest_; }
  std::int64_t highest() const noexcept { return highest_; }
  /// True if each row along the last axis is constant and rows can move as one.
  bool constant_rows() const noexcept { return constant_rows_; }
  /// True if some value is outside its axis.
  bool any_out_of_bounds() const noexcept { return any_out_of_bounds_; }
  /// For many index values of a scatter: ascending numbers of tuples (of rows if rows are constant). The values on
  /// the first indexed axis before each are all below, or all above, the values from it on, so threads may divide
  /// the tuples there.
  std::span<const std::int64_t> split_points() const noexcept { return split_points_; }

 private:
  friend Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices, const Options& options);
  CheckedIndices(const Plan& plan, const TensorView& indices);

  TensorView indices_;
  Shape extents_;  // extents of the addressed axes
  bool tuples_;
  bool rows_;  // whether constant rows were looked for
  IndexRules rules_;
  std::int64_t lowest_ = 0;
  std::int64_t highest_ = -1;
  bool constant_rows_ = false;
  bool any_out_of_bounds_ = false;
  std::vector<std::int64_t> split_points_;
};

/// Checks indices for a plan as `run` does. Returns kIndexOutOfRange for the first bad position in row-major
/// order.
[[nodiscard]] Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices,
                                                   const Options& options = {});

}  // namespace strew
STREW_API_END

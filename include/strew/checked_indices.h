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

/// Indices that a plan accepts, with statistics of their values. A run that receives this object as
/// `Promises::checked_indices` skips its check of the indices if the object applies, and otherwise ignores it.
///
/// The values must not change while the object is in use. If they change, results are wrong, but no access is
/// outside the operands.
class CheckedIndices {
 public:
  /// True for the same view of indices, the same rules, and data with the same extents along the indexed axes.
  /// False for TensorScatter, whose few indices are always checked.
  bool applies_to(const Plan& plan, const TensorView& indices) const;

  /// Bounds of the positions on the first indexed axis; 0 and -1 if there are none.
  std::int64_t lowest() const noexcept { return lowest_; }
  std::int64_t highest() const noexcept { return highest_; }
  /// True if the values along the last axis of indices are equal in each row and the row can move as one.
  bool constant_rows() const noexcept { return constant_rows_; }
  /// True if some value is outside its axis.
  bool any_out_of_bounds() const noexcept { return any_out_of_bounds_; }
  /// Ascending numbers of tuples (of rows if rows are constant) at which threads may divide a scatter with many
  /// index values: on the first indexed axis, the values before a split point are all below, or all above, the
  /// values from it on.
  std::span<const std::int64_t> split_points() const noexcept { return split_points_; }

 private:
  friend Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices, const Options& options);
  CheckedIndices(const Plan& plan, const TensorView& indices);

  TensorView indices_;
  Shape extents_;  // extents of the addressed axes
  bool tuples_;
  bool rows_;  // whether the check tested for constant rows
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

// CheckedIndices: index values that stay as they are, checked once for many runs.
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

/// Indices whose values are in range, or stand for something by the rules of the plan, and what was seen of them.
/// Give it to a run as `Promises::checked_indices`: where it applies, the run does not check them again; anywhere
/// else it is as if it were not there.
///
/// The values must not change as long as it is used. If they do, results are wrong, but no access is outside the
/// operands.
class CheckedIndices {
 public:
  /// True for the same view of indices, the same rules, and data of the same extents along the axes addressed.
  /// False for every TensorScatter, whose few indices are always checked.
  bool applies_to(const Plan& plan, const TensorView& indices) const;

  /// No position on the first indexed axis is below or above these; 0 and -1 if there is none.
  std::int64_t lowest() const noexcept { return lowest_; }
  std::int64_t highest() const noexcept { return highest_; }
  /// Whether all values along the last axis are equal, where rows could then move as one.
  bool constant_rows() const noexcept { return constant_rows_; }
  /// Whether some value is outside its axis.
  bool any_out_of_bounds() const noexcept { return any_out_of_bounds_; }
  /// Of many index values of a scatter: positions of tuples, ascending. The values on the first indexed axis
  /// before each are all below, or all above, those from it on, so threads may share the tuples between them. They
  /// count rows where these are constant.
  std::span<const std::int64_t> split_points() const noexcept { return split_points_; }

 private:
  friend Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices, const Options& options);
  CheckedIndices(const Plan& plan, const TensorView& indices);

  TensorView indices_;
  Shape extents_;  // of the addressed axes
  bool tuples_;
  bool rows_;  // constant rows were looked for
  IndexRules rules_;
  std::int64_t lowest_ = 0;
  std::int64_t highest_ = -1;
  bool constant_rows_ = false;
  bool any_out_of_bounds_ = false;
  std::vector<std::int64_t> split_points_;
};

/// Checks indices for a plan as `run` does. kIndexOutOfRange names the first bad position in row-major order.
[[nodiscard]] Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices,
                                                   const Options& options = {});

}  // namespace strew
STREW_API_END

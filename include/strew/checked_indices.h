// CheckedIndices: constant index values, checked once for many runs. Also converts index values to positions.
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

/// Indices that a plan accepts, with statistics about their values. A run that receives this object as
/// `Promises::checked_indices` skips its check of the indices if `applies_to` returns true. Otherwise, the run
/// ignores the object.
///
/// The values must not change while the object is in use. A change leads to wrong results, but not to invalid
/// accesses.
class CheckedIndices {
 public:
  /// True if the view of indices, the index rules, and the extents of data along the indexed axes are the same as
  /// in the check. False for TensorScatter, whose few indices are always checked.
  bool applies_to(const Plan& plan, const TensorView& indices) const;

  /// Bounds of the positions on the first indexed axis; 0 and -1 if there are none.
  std::int64_t lowest() const noexcept { return lowest_; }
  std::int64_t highest() const noexcept { return highest_; }
  /// True if each row of indices (along the last axis) repeats one value and selects elements that can move
  /// together.
  bool constant_rows() const noexcept { return constant_rows_; }
  /// True if a value is outside its axis.
  bool any_out_of_bounds() const noexcept { return any_out_of_bounds_; }
  /// Ascending numbers of the tuples (of the rows, if rows are constant) before which a scatter may be split among
  /// threads. On the first indexed axis, the values before a split point are either all below or all above the
  /// values after it.
  std::span<const std::int64_t> split_points() const noexcept { return split_points_; }

 private:
  friend Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices, const Options& options);
  CheckedIndices(const Plan& plan, const TensorView& indices);

  TensorView indices_;
  Shape extents_;  // extents of the indexed axes
  bool tuples_;
  bool rows_;  // whether the check tested for constant rows
  IndexRules rules_;
  std::int64_t lowest_ = 0;
  std::int64_t highest_ = -1;
  bool constant_rows_ = false;
  bool any_out_of_bounds_ = false;
  std::vector<std::int64_t> split_points_;
};

/// Checks indices as `run` does. The error kIndexOutOfRange names the first bad position in row-major order.
[[nodiscard]] Result<CheckedIndices> check_indices(const Plan& plan, const TensorView& indices,
                                                   const Options& options = {});

/// Converts each value of dense indices to its position on an axis of length `extent`, counted from the front.
/// Returns false if a value is out of range.
bool resolve_indices(const TensorView& indices, std::int64_t extent, std::int64_t* positions) noexcept;

}  // namespace strew
STREW_API_END

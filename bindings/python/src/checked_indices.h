// Index values that are checked once, for many calls.
#pragma once

#include <optional>

#include "operand.h"
#include "strew/checked_indices.h"
#include "strew/experimental/cuda.h"

namespace strew::python {

/// The result of strew.check_indices, which operators accept as indices.
struct CheckedIndices {
  Operand indices;  ///< as read by strew.check_indices
  std::optional<strew::CheckedIndices> in_memory;
  std::optional<cuda::CheckedIndices> on_device;  ///< exactly one of the two is set
  Shape axis_sizes;  ///< data's extents on the indexed axes; a call's data must have the same
};

/// The extents of data along the axes that a plan's index values choose a position on.
Shape indexed_axis_sizes(const Plan& plan);

/// Returns the object as checked indices, or nullptr if it is of another class. Raises TypeError for an instance
/// that `strew.check_indices` did not create.
const CheckedIndices* as_checked_indices(nb::handle object);

/// Raises TypeError for checked indices, or a sequence of them, passed as another argument.
void check_no_checked_indices(const char* op, const char* name, nb::handle object);

/// The class CheckedIndices, and the function that makes one of a call.
void add_checked_indices(nb::module_& module);

}  // namespace strew::python

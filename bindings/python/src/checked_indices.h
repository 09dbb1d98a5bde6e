// Index values that are checked once and used by many calls.
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
  Shape axis_sizes;  ///< data's extents on the indexed axes; a call with other extents checks again
};

/// Returns the extents of data along the axes that the plan's index values address.
Shape indexed_axis_sizes(const Plan& plan);

/// Returns the object as checked indices, or nullptr if it is of another class.
const CheckedIndices* as_checked_indices(nb::handle object);

/// Raises TypeError if an argument other than the indices is a CheckedIndices or a sequence of them.
void check_no_checked_indices(const char* op, const char* name, nb::handle object);

void add_checked_indices(nb::module_& module);

}  // namespace strew::python

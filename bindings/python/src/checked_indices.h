// Index values that are checked once, for many calls.
#pragma once

#include <optional>

#include "operand.h"
#include "strew/checked_indices.h"
#include "strew/experimental/cuda.h"

namespace strew::python {

/// What strew.check_indices makes, and operators take in the place of their indices.
struct CheckedIndices {
  Operand indices;  ///< as the call that checked them has read them
  std::optional<strew::CheckedIndices> in_memory;
  std::optional<cuda::CheckedIndices> on_device;  ///< one of the two is there
  Shape axis_sizes;  ///< of data, along the axes that they address: they apply where these are the same
};

/// The extents of data along the axes that a plan's index values choose a position on.
Shape axis_sizes_of(const Plan& plan);

/// What an operator was given as its indices, or nullptr where these are none that were checked. TypeError for an
/// instance that `strew.check_indices` has not made.
const CheckedIndices* checked_indices_of(nb::handle object);

/// TypeError for what strew.check_indices made, where no indices are asked for, and for sequences of them.
void check_no_checked_indices(const char* op, const char* name, nb::handle object);

/// The class CheckedIndices, and the function that makes one of a call.
void add_checked_indices(nb::module_& module);

}  // namespace strew::python

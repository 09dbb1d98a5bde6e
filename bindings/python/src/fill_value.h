// The value that a gather writes for an index outside its axis.
#pragma once

#include <optional>

#include "operand.h"
#include "strew/run.h"

namespace strew::python {

/// A scalar as one element of `dtype` for a plan. Strings, which NumPy holds in another form, are shown as empty
/// ones, and elements on a device as zero: such plans are not run.
TensorView readable_element(const Operand& operand, DType dtype);

/// The parameter `fill_value` of a gather: zero or the empty string by default.
struct FillValue {
  /// Raises TypeError if data cannot hold this kind of value, OverflowError if an integer does not fit, ValueError
  /// if strings of fixed width are too short. `fills`: out_of_bounds is "fill".
  void read(const char* op, const Operand& data, bool fills);

  /// Returns the value as an element of this type, for a plan.
  std::optional<TensorView> seen_as(DType dtype) const;

  nb::handle given;                ///< the caller's object
  std::optional<Operand> operand;  ///< as an operand of the library, or nothing
  nb::object element;  ///< instead an ndarray of rank 0 of data's own dtype, which only NumPy can write
};

/// Writes `element` wherever an index of this gather is outside its axis. `output` is of elements, or, `as_bytes`,
/// has an axis more over their bytes.
void fill_elements(const Plan& plan, const TensorView& indices, nb::handle element,
                   const MutableTensorView& output, bool as_bytes, const Options& options);

}  // namespace strew::python

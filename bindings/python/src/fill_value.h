// The value that a gather writes for an index outside its axis.
#pragma once

#include <optional>

#include "operand.h"
#include "strew/run.h"

namespace strew::python {

/// Returns a scalar as one element of `dtype`, for a plan. A string appears as the empty string and an element on
/// a device as zero, since the library cannot read them: such plans are not run.
TensorView readable_element(const Operand& operand, DType dtype);

/// The parameter `fill_value` of a gather: zero or the empty string by default.
struct FillValue {
  /// Reads `given`. Raises TypeError if data cannot hold this kind of value, OverflowError if an integer is out of
  /// range, ValueError if data's fixed-width strings are too short. `fills`: out_of_bounds is "fill".
  void read(const char* op, const Operand& data, bool fills);

  /// Returns the value as an element of this type, for a plan.
  std::optional<TensorView> seen_as(DType dtype) const;

  nb::handle given;                ///< the caller's object
  std::optional<Operand> operand;  ///< the value as an operand; empty if the library writes its default
  nb::object element;              ///< the value as an ndarray, if only NumPy can write data's dtype
};

/// Writes `element` to each position of the output whose index is outside its axis. If `as_bytes`, the output has
/// a last axis over the bytes of an element.
void fill_elements(const Plan& plan, const TensorView& indices, nb::handle element,
                   const MutableTensorView& output, bool as_bytes, const Options& options);

}  // namespace strew::python

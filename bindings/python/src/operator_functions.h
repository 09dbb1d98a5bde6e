// The six operators as functions of the Python module.
#pragma once

#include <algorithm>

#include "arguments.h"
#include "numpy_api.h"
#include "strew/plan.h"

namespace strew::python {

/// Where a function has its parameters; `kMaxParameters` for those that it lacks.
struct ParameterPositions {
  constexpr explicit ParameterPositions(const Signature& signature)
      : indices(first_of(signature, "indices", "write_indices")),
        updates(first_of(signature, "updates", "update")),
        axis(signature.position_of("axis")),
        batch_dims(signature.position_of("batch_dims")),
        reduction(signature.position_of("reduction")),
        mode(signature.position_of("mode")),
        out(signature.position_of("out")),
        out_of_bounds(signature.position_of("out_of_bounds")),
        fill_value(signature.position_of("fill_value")),
        negative_indices(signature.position_of("negative_indices")),
        promote(signature.position_of("promote")),
        include_self(signature.position_of("include_self")),
        accumulate(signature.position_of("accumulate")),
        alpha(signature.position_of("alpha")),
        stream(signature.position_of("stream")),
        deferred(signature.position_of("deferred")) {}

  std::size_t indices, updates, axis, batch_dims, reduction, mode, out, out_of_bounds, fill_value,
      negative_indices, promote, include_self, accumulate, alpha, stream, deferred;

 private:
  static constexpr std::size_t first_of(const Signature& signature, std::string_view one, std::string_view other) {
    return std::min(signature.position_of(one), signature.position_of(other));
  }
};

/// An operator and the function that calls it; data are its first parameter.
struct OperatorFunction {
  constexpr OperatorFunction(OpKind kind, const Signature& how) : op(kind), signature(how), at(how) {}

  constexpr bool is_gather() const noexcept { return op < OpKind::kScatterElements; }
  const char* name(std::size_t position) const noexcept { return signature.names[position].data(); }

  OpKind op;
  Signature signature;
  ParameterPositions at;
};

/// The operator that a function of this module is; TypeError for any other object.
const OperatorFunction& operator_function_of(nb::handle function);

/// Adds gather, gather_elements, gather_nd, scatter_elements, scatter_nd and tensor_scatter.
void add_operators(nb::module_& module);

}  // namespace strew::python

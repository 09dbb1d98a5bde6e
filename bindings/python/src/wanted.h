// What is wanted of a call of an operator instead of its result.
#pragma once

#include <optional>

#include "numpy_api.h"
#include "strew/shape.h"

namespace strew::python {

struct CallExplanation;
struct CallPicture;
struct CheckedIndices;

/// At most one of them is there; none: the result is wanted.
struct Wanted {
  CallExplanation* explanation = nullptr;
  CallPicture* picture = nullptr;
  Shape* output_shape = nullptr;  ///< of a call that ends with its plan
  std::optional<CheckedIndices>* checked = nullptr;
};

/// What the calling thread wants of its next call.
Wanted& wanted() noexcept;

/// Calls one of the operators, which puts there what is wanted of it.
void call_for(Wanted what, nb::handle function, const nb::tuple& arguments, const nb::dict& attributes);

}  // namespace strew::python

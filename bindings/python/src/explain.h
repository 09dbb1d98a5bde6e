// Explanations of calls from Python, and the limit of their scratch memory.
#pragma once

#include <cstdint>

#include "numpy_api.h"
#include "strew/explain.h"

namespace strew::python {

/// What a call would do, and how it reads index values.
struct CallExplanation {
  Explanation explanation;
  IndexRules rules;
  nb::dict on_device;  ///< of a call on a device: all that is said of it
};

/// Calls one of the operators and returns, as a dict, what it would have done.
nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes);

/// Options::scratch_limit of all calls of the process.
std::int64_t scratch_limit() noexcept;
void set_scratch_limit(std::int64_t bytes) noexcept;

}  // namespace strew::python

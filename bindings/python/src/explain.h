// Explanations of calls from Python, and the limit of their scratch memory.
#pragma once

#include <cstdint>

#include "numpy_api.h"

namespace strew::python {

/// Returns a dict that describes how a call of an operator would run.
nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes);

/// Limits::scratch_bytes of all calls of the process.
std::int64_t scratch_limit() noexcept;
void set_scratch_limit(std::int64_t bytes) noexcept;

}  // namespace strew::python

// Memory of new arrays: large ones live in blocks that the library keeps for the next.
#pragma once

#include <cstdint>

#include "numpy_api.h"

namespace strew::python {

/// A new ndarray of this type and these dimensions; objects are null addresses in it, which NumPy allows in an
/// array that is being made. Takes the reference to `descr`.
nb::object new_ndarray(PyArray_Descr* descr, int rank, const std::int64_t* dims);

/// True if an array of this size lives in such a block.
bool is_large(std::int64_t bytes) noexcept;

}  // namespace strew::python

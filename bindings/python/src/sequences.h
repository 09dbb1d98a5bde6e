// What NumPy makes of sequences, in Strew's words.
#pragma once

#include "numpy_api.h"

namespace strew::python {

/// The first element found in a list or tuple, or in those within it, of which this is true; null where there is
/// none. A list of lists is opened once, so that one that holds itself comes to an end.
nb::object find_element(nb::handle sequence, bool (*is_wanted)(nb::handle));

/// np.asarray(object); where a sequence is ragged or too deep, or an `__array_interface__` is what is wrong, the
/// error says so.
nb::object as_described_ndarray(const char* op, const char* name, nb::handle object);

/// IndexError where an object array, which NumPy makes of integers that no type of its own holds, holds only
/// integers.
void check_index_objects(const char* op, const char* name, PyArrayObject* array);

/// TypeError for an array of floats or objects in which a value is missing: NaN, None or pandas' NA.
void check_no_missing(const char* op, const char* name, PyArrayObject* array);

/// Refuses a list or tuple that became `array` where NumPy made another type of what it holds: integers of 64 bits
/// with and without a sign become float64, and a bool among integers becomes one.
void check_index_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array);

/// TypeError for a list or tuple that became `array` where NumPy decodes bytes among str.
void check_string_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array);

}  // namespace strew::python

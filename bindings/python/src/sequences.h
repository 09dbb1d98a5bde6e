// Converts sequences by NumPy, with Strew's error messages.
#pragma once

#include "call.h"

namespace strew::python {

/// Returns the first wanted element of a list or tuple, or of one nested in it; null if there is none.
/// Visits each nested list once, so a list that contains itself terminates.
nb::object find_element(nb::handle sequence, bool (*is_wanted)(nb::handle));

/// Returns np.asarray(object). Errors name the cause, such as a ragged sequence or an invalid array interface.
nb::object as_described_ndarray(const char* op, const char* name, nb::handle object);

/// Raises IndexError if an object array holds only integers: NumPy makes such an array of integers beyond 64 bits.
void check_index_objects(const char* op, const char* name, PyArrayObject* array);

/// Returns whether the element is a missing value: NaN, None, or pandas' NA or NaT.
bool is_missing(nb::handle element);

/// Raises TypeError if an array of floats or objects has a missing value.
void check_no_missing(const char* op, const char* name, PyArrayObject* array);

/// Raises TypeError if NumPy changed the type of a list's or tuple's elements in `array`: mixed int64 and uint64
/// become float64, and a bool among integers becomes an integer.
void check_index_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array);

/// Raises TypeError if a list or tuple mixes str and bytes, which NumPy decoded in `array`.
void check_string_sequence(const char* op, const char* name, nb::handle sequence, PyArrayObject* array);

}  // namespace strew::python

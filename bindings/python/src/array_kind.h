// Classifies operands by the kind of Python object, and finds the modules of these kinds.
#pragma once

#include <string>
#include <string_view>

#include "numpy_api.h"
#include "strew/view.h"

namespace strew::python {

enum class ArrayKind : unsigned char {
  kNumPy,    ///< an ndarray; also what sequences and scalars become
  kTorch,    ///< a torch.Tensor
  kForeign,  ///< anything else with `__dlpack__`, as a JAX array, or with `__cuda_array_interface__`
};

/// Loads NumPy's C interface; called once, when the module is imported.
void import_numpy();

/// numpy.<name>, or an attribute of another module that is imported if need be.
nb::object attribute(const char* module, const char* name);

/// str(object).
std::string text_of(nb::handle object);

/// These characters as a str.
inline nb::str str_of(std::string_view words) { return nb::str(words.data(), words.size()); }

/// A shape as Python has it.
nb::tuple to_tuple(const Shape& shape);
/// The name of the object's type: "str", "ndarray".
std::string type_name_of(nb::handle object);
/// "None", "a str", "an int", "a numpy.ndarray".
std::string type_with_article(nb::handle object);
/// "data lies ", "indices lie ".
std::string with_verb(std::string_view operand, std::string_view verb);

/// Returns the kind of an object that is not an ndarray. Imports nothing: a tensor's module is loaded already.
ArrayKind classify_array(nb::handle object);

/// True for a torch.Tensor itself, of no class derived from it: its attributes run no code of a caller.
bool is_plain_tensor(nb::handle object);

/// True for an object that NumPy or another library takes for an array: it has a dtype, offers `__array__` or an
/// array interface, or lends its memory. Not for scalars, lists and tuples.
bool is_array_like(nb::handle object);

/// True for a Python or NumPy scalar: a number, a bool, a str or bytes.
bool is_scalar(nb::handle object);

/// np.asarray(object, dtype); any dtype if it is null.
nb::object as_ndarray(nb::handle object, nb::handle dtype = {});

}  // namespace strew::python

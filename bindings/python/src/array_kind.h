// Classifies Python objects as operands; converts names, texts and shapes between Python and C++.
#pragma once

#include <string>
#include <string_view>

#include "call.h"
#include "strew/view.h"

namespace strew::python {

enum class ArrayKind : unsigned char {
  kNumPy,    ///< an ndarray, or a sequence or scalar that becomes one
  kTorch,    ///< a torch.Tensor
  kForeign,  ///< any other object with `__dlpack__` (a JAX array) or `__cuda_array_interface__`
};

/// Loads NumPy's C interface; called once, when the module is imported.
void import_numpy();

/// Returns `module.name`; imports the module if necessary.
nb::object attribute(const char* module, const char* name);

/// Returns str(object) in UTF-8.
std::string text_of(nb::handle object);

inline nb::str str_of(std::string_view words) { return nb::str(words.data(), words.size()); }

nb::tuple to_tuple(const Shape& shape);
/// Returns the name of the object's type, such as "str" or "ndarray".
std::string type_name_of(nb::handle object);
/// Returns the type with an article: "a str", "an int", "a numpy.ndarray"; or "None".
std::string type_with_article(nb::handle object);
/// Returns the operand's name and the verb in singular or plural: "data lies ", "indices lie ".
std::string with_verb(std::string_view operand, std::string_view verb);

/// Returns the kind of an object that is not an ndarray. Imports no module: a tensor's module is loaded already.
ArrayKind classify_array(nb::handle object);

/// True if the type is torch.Tensor itself: attributes of a derived class may run a caller's code.
bool is_plain_tensor(nb::handle object);

/// True for an object that NumPy or another library reads as an array: it has a dtype, `__array__`, an array
/// interface or the buffer protocol. False for scalars, lists and tuples.
bool is_array_like(nb::handle object);

/// True for a Python or NumPy scalar: a number, a bool, a str or bytes.
bool is_scalar(nb::handle object);

/// Returns np.asarray(object, dtype); NumPy chooses the type if `dtype` is null.
nb::object as_ndarray(nb::handle object, nb::handle dtype = {});

}  // namespace strew::python

// The six operators as functions of the Python module, made from the table of operators.
#pragma once

#include <string>
#include <vector>

#include "arguments.h"
#include "numpy_api.h"
#include "strew/operators.h"

namespace strew::python {

/// A parameter of a function: an input of the operator, an attribute (without effect on the call if only Python
/// has it) or neither.
struct Parameter {
  std::string_view name;
  const InputInfo* input = nullptr;
  const AttributeInfo* attribute = nullptr;
  Choices words = {};  ///< of an attribute that is one
};

/// An operator and the function that calls it. Its inputs come first, then its attributes and `out`, then, by name
/// alone, what ONNX has no word for.
struct OperatorFunction {
  explicit OperatorFunction(const OperatorInfo& operator_info);

  bool is_gather() const noexcept { return op < OpKind::kScatterElements; }
  const char* name(std::size_t position) const noexcept { return signature.names[position].data(); }

  const OperatorInfo& info;
  OpKind op;
  std::vector<Parameter> parameters;
  Signature signature;
  // Positions of these parameters; `kMaxParameters` if the function lacks one.
  std::size_t indices, updates, out, fill_value, alpha, casting, reject_duplicates;
};

/// The operator that a function of this module is; TypeError for any other object.
const OperatorFunction& find_operator_function(nb::handle function);

/// Adds gather, gather_elements, gather_nd, scatter_elements, scatter_nd and tensor_scatter.
void add_operators(nb::module_& module);

/// The docstring of a function, in NumPy's layout, after the line that `inspect.signature` reads. Names, defaults,
/// choices and what they mean come from the table of operators. Examples are run by
/// tests/python/test_docstrings.py.
std::string docstring(const OperatorFunction& function);

}  // namespace strew::python

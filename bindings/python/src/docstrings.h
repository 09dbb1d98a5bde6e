// Docstrings of the operators, in NumPy's layout, after the line that `inspect.signature` reads.
#pragma once

#include <string>

namespace strew::python {

struct OperatorFunction;

/// Names, defaults, choices and what they mean come from the table of operators. Examples are run by
/// tests/python/test_docstrings.py.
std::string docstring(const OperatorFunction& function);

}  // namespace strew::python

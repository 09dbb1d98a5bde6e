// Makes the Python functions of the six operators from the operator table, and reads the arguments of calls. The
// functions are plain interpreter functions, not nanobind's: a call takes less time, `inspect.signature` and
// `pickle` support them, and a wrong argument gets Strew's own message.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "strew/operators.h"

namespace strew::python {

inline constexpr std::size_t kMaxParameters = 16;

/// Returns the interned str of this name: the same object as a literal in Python code.
PyObject* interned(std::string_view name);

/// A function's name and parameters. The first `required` parameters are mandatory; only the first `positional`
/// parameters may be passed by position.
struct Signature {
  const char* function;
  std::array<std::string_view, kMaxParameters> names{};  ///< each ends in a zero byte, as `function` does
  std::array<PyObject*, kMaxParameters> keywords{};      ///< `names`, interned
  std::size_t count = 0;
  std::size_t required = 0;
  std::size_t positional = 0;

  std::span<const std::string_view> parameters() const noexcept { return std::span(names).first(count); }
};

/// Raises ValueError for a word that is not in `words`; the message suggests the nearest one.
[[noreturn]] void refuse_word(std::string_view function, std::string_view parameter, std::string_view word,
                              std::span<const std::string_view> words);

/// The values that a str parameter accepts.
struct Choices {
  std::span<const std::string_view> all;
  std::span<const std::string_view> legal;  ///< the subset of `all` that error messages list
  std::vector<PyObject*> keywords;          ///< `all`, interned
};

/// The arguments of one call, in the order of the parameters.
class Arguments {
 public:
  /// Raises TypeError for too many arguments, unknown or repeated names, or required arguments that are missing or
  /// None.
  Arguments(const Signature& signature, PyObject* const* values, Py_ssize_t positional, PyObject* keywords);

  /// Null if the call omits the argument or the function has no such parameter.
  nb::handle operator[](std::size_t parameter) const noexcept { return values_[parameter]; }
  /// One past the last parameter that the call passes.
  std::size_t end() const noexcept { return end_; }
  /// Py_None if the call omits an optional argument.
  nb::handle or_none(std::size_t parameter) const noexcept {
    return values_[parameter].is_valid() ? values_[parameter] : nb::handle(Py_None);
  }
  // The next three functions convert an argument that the call passes. They raise TypeError for any other type.
  std::int64_t integer(std::size_t parameter) const;
  bool flag(std::size_t parameter) const;
  /// Returns the position of a str in words.all. Raises ValueError if the list does not have it.
  std::int64_t word(std::size_t parameter, const Choices& words) const;

 private:
  std::string_view text(std::size_t parameter) const;

  const Signature& signature_;
  std::size_t end_;
  std::array<nb::handle, kMaxParameters + 1> values_{};  // the last is null: a parameter that the function lacks
};

/// A parameter of a function: an input of the operator, an attribute, or neither (`out`).
struct Parameter {
  std::string_view name;
  const InputInfo* input = nullptr;
  const AttributeInfo* attribute = nullptr;
  Choices words = {};  ///< the values of an attribute that accepts only certain words
};

/// An operator and the function that calls it. The parameters are the inputs, then ONNX's attributes and `out`,
/// then the attributes that ONNX lacks, which are passed by name only.
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

/// The functions of the operators, in the order of `OpKind`.
std::span<const OperatorFunction> operator_functions();

/// Returns the operator of a function of this module. Raises TypeError for any other object.
const OperatorFunction& find_operator_function(nb::handle function);

void add_operators(nb::module_& module);

/// Returns the line that `inspect.signature` reads, then the docstring in NumPy's layout. Names, defaults and
/// choices come from the operator table. tests/python/test_docstrings.py runs the examples.
std::string docstring(const OperatorFunction& function);

nb::list describe_operators();

}  // namespace strew::python

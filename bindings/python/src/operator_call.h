// The Python functions of the six operators, made from the operator table. A call reads its arguments, makes a
// plan and runs it. The functions have CPython's type for C functions, not nanobind's: a call takes less time,
// `inspect.signature` and `pickle` support them, and an error about an argument has Strew's own message.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "operand.h"
#include "strew/checked_indices.h"
#include "strew/executor.h"
#include "strew/experimental/cuda.h"
#include "strew/explain.h"
#include "strew/operators.h"
#include "strew/plan.h"
#include "strew/run.h"

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
  // The next three functions convert an argument that the call passes, and raise TypeError if its type is wrong.
  std::int64_t integer(std::size_t parameter) const;
  bool flag(std::size_t parameter) const;
  /// Returns the position of a str in words.all. Raises ValueError if the list does not contain it.
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
  // Positions of parameters; `kMaxParameters` for a parameter that the function lacks.
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

/// The result of strew.check_indices, which operators accept as indices.
struct CheckedIndices {
  Operand indices;  ///< as read by strew.check_indices
  std::optional<strew::CheckedIndices> in_memory;
  std::optional<cuda::CheckedIndices> on_device;  ///< exactly one of the two is set
  Shape axis_sizes;  ///< data's extents on the indexed axes; a call with other extents checks again
};

/// Returns the extents of data along the axes that the plan's index values address.
Shape indexed_axis_sizes(const Plan& plan);

/// Returns the object as checked indices, or nullptr if it is of a different class.
const CheckedIndices* as_checked_indices(nb::handle object);

/// Raises TypeError for a CheckedIndices, or a sequence that holds one: neither can be read as an array.
void check_no_checked_indices(const char* op, const char* name, nb::handle object);

void add_checked_indices(nb::module_& module);

/// Returns a scalar as one element of `dtype`, for a plan. If the element is a string, returns the empty string
/// instead, since the library cannot read strings of Python and NumPy; such a plan is not run.
TensorView readable_element(const Operand& operand, DType dtype);

/// The parameter `fill_value` of a gather: zero or the empty string by default.
struct FillValue {
  /// Reads `given`. Raises TypeError if data cannot hold this kind of value, OverflowError if an integer is out of
  /// range, ValueError if data's fixed-width strings are too short. `fills`: out_of_bounds is "fill".
  void read(const char* op, const Operand& data, bool fills);

  /// Returns the value as an element of this type, for a plan.
  std::optional<TensorView> seen_as(DType dtype) const;

  nb::handle given;                ///< the caller's object
  std::optional<Operand> operand;  ///< the value as an operand; empty if the library writes its default
  nb::object element;              ///< the value as an ndarray, if only NumPy can write data's dtype
};

/// The operands of one call, and the arguments that are neither operands nor parameters of its plan.
struct CallOperands {
  const char* op() const noexcept { return function.signature.function; }
  const char* data_name() const noexcept { return function.name(0); }
  /// Data, indices and updates; null if the call omits one.
  std::array<NamedOperand, 3> named() const noexcept;
  bool on_device() const noexcept;

  const OperatorFunction& function;
  Operand data;
  std::optional<Operand> indices = std::nullopt;
  const CheckedIndices* checked = nullptr;  ///< set if the caller passed checked indices
  std::optional<Operand> updates = std::nullopt;
  std::optional<Operand> alpha = std::nullopt;
  FillValue fill;
  nb::handle out;  ///< None: allocate a new array
  bool rejects_duplicates;
};

/// Returns the arguments of a call `function(*arguments, **attributes)`, borrowing their objects.
Arguments bind_arguments(const OperatorFunction& function, const nb::tuple& arguments, const nb::dict& attributes);

/// Reads the parameters of a plan, without fill_value and alpha. Raises TypeError or ValueError if one is invalid.
CallParams read_params(const OperatorFunction& function, const Arguments& given);

/// Reads the other arguments. Raises TypeError or ValueError if one cannot be converted.
CallOperands read_operands(const OperatorFunction& function, const Arguments& arguments, const CallParams& params,
                           Role data_role = Role::kMoved);

/// Raises ValueError for the first operand that changed while another one was read. Call it after `out` is read.
Unchanged all_unchanged(const CallOperands& operands);

/// The type that a plan uses for an operand whose elements have a different type in memory, such as strings.
enum class SeenAs : bool {
  kElements,  ///< the operand's own type, for rules and messages
  kMemory,    ///< the type in memory, for moving the elements
};

/// Plans a call. The caller converts the fill value, since the library cannot read NumPy's strings.
Result<Plan> plan_with(const CallParams& params, const CallOperands& operands, SeenAs how,
                       const std::optional<TensorView>& fill_value);

/// Returns a plan, or raises the library's error, with advice if types differ or a mask is passed.
Result<Plan> legal_plan(const CallParams& params, const CallOperands& operands);

/// A plan's views and options for a run in CPU memory.
struct HostRun {
  /// Raises ValueError for a changed operand.
  HostRun(const CallParams& params, const CallOperands& operands, const Plan& legal, const Output& output);
  HostRun(const HostRun&) = delete;
  HostRun& operator=(const HostRun&) = delete;

  const Plan& plan() const noexcept { return moved ? *moved : legal; }

  const Plan& legal;          ///< for types and shapes as the caller sees them
  std::optional<Plan> moved;  ///< for the types and shapes in memory, if these differ
  Unchanged unchanged;
  Operands views;
  std::shared_ptr<Executor> executor;
  Options options;
  bool releases_lock = false;
};

/// Returns a plan for the elements in memory. If GatherElements or ScatterElements moves each element as a row of
/// bytes, repeats the indices in `views` along a new last axis over the bytes.
Plan plan_in_memory(const CallParams& params, const CallOperands& operands, const Plan& legal, Operands& views);

/// Raises the error of a run, if any. The message calls the output `out` if the caller passed `out`.
void check_done(Status status, nb::handle out);

/// Moves strings into a new object array, or concatenates them for a reduction. The caller holds the GIL.
void move_strings(const char* op, const HostRun& run, const Output& output);

/// Writes `element` to each position of the output whose index is outside its axis. If `as_bytes`, the output has
/// a last axis over the bytes of an element.
void fill_elements(const Plan& plan, const TensorView& indices, nb::handle element,
                   const MutableTensorView& output, bool as_bytes, const Options& options);

/// Calls an operator. Calls `check`, if any, after it has read the operands; `check` may raise.
nb::object call_operator(const OperatorFunction& function, const Arguments& arguments,
                         const std::function<void(const CallOperands&)>& check = nullptr);

/// Limits::scratch_bytes of all calls of the process.
std::int64_t scratch_limit() noexcept;
void set_scratch_limit(std::int64_t bytes) noexcept;

}  // namespace strew::python

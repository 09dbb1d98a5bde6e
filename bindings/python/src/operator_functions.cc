// Makes the operators' functions and their parameters.
#include "operator_functions.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "array_kind.h"
#include "call.h"
#include "operator_call.h"

namespace strew::python {
namespace {

bool has_reductions(const OperatorInfo& info) {
  return std::ranges::count(info.attributes, "reduction", &AttributeInfo::name) != 0;
}

bool has_updates(const OperatorInfo& info) {
  return input_of(info.op, strew::Role::kUpdates) < info.inputs.size();
}

// Attributes that only the Python functions have, in the form of the operator table.
constexpr std::array<std::string_view, 2> kCastings = {"equiv", "same_kind"};
const AttributeInfo kCasting{
    .name = "casting",
    .type = AttributeType::kString,
    .default_string = kCastings[0],
    .legal_strings = {kCastings.begin(), kCastings.end()},
    .doc =
        "which updates of another type are cast to the type of the data, as in NumPy: only those of another byte "
        "order, or also those of the same or a lesser kind",
    .words = kCastings};
const AttributeInfo kRejectDuplicates{
    .name = "reject_duplicates",
    .type = AttributeType::kBool,
    .doc = "whether two updates of one element are an error if there is no reduction"};

Parameter make_parameter(const AttributeInfo& attribute) {
  Parameter result{
      .name = attribute.name, .attribute = &attribute, .words = {attribute.words, attribute.legal_strings, {}}};
  for (const std::string_view word : attribute.words) result.words.keywords.push_back(interned(word));
  return result;
}

std::vector<Parameter> make_parameters(const OperatorInfo& info) {
  std::vector<Parameter> list;
  for (const InputInfo& input : info.inputs) list.push_back({.name = input.name, .input = &input});
  for (const AttributeInfo& one : info.attributes) list.push_back(make_parameter(one));
  list.push_back({"out"});
  for (const AttributeInfo& one : info.own) list.push_back(make_parameter(one));
  if (has_updates(info)) list.push_back(make_parameter(kCasting));
  if (has_reductions(info)) list.push_back(make_parameter(kRejectDuplicates));
  return list;
}

Signature make_signature(const OperatorInfo& info, const std::vector<Parameter>& parameters) {
  if (parameters.size() > kMaxParameters) throw std::logic_error("kMaxParameters is too small");
  Signature signature{info.name.data()};
  signature.count = parameters.size();
  std::ranges::transform(parameters, signature.names.begin(), &Parameter::name);
  std::ranges::transform(parameters, signature.keywords.begin(), interned, &Parameter::name);
  signature.required = static_cast<std::size_t>(std::ranges::count(info.inputs, false, &InputInfo::optional));
  signature.positional = info.inputs.size() + info.attributes.size() + 1;
  return signature;
}

PyObject* call(const OperatorFunction& function, PyObject* const* values, Py_ssize_t positional,
               PyObject* keywords) noexcept {
  return call_from_python([&] {
    const Arguments arguments(function.signature, values, positional, keywords);
    return run_call(CallRequest(function, arguments, Role::kMoved));
  });
}

// All functions; the interpreter's objects point into it.
struct Functions {
  std::vector<OperatorFunction> functions;
  std::vector<std::string> documentation;
  std::array<PyMethodDef, kOperatorCount + 1> methods{};
};
Functions& all();

template <std::size_t i>
PyObject* python_function(PyObject*, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) noexcept {
  return call(all().functions[i], values, positional, keywords);
}

template <std::size_t... i>
Functions make_functions(std::index_sequence<i...>) {
  using Plain = void (*)();
  const std::array<Plain, kOperatorCount> addresses{reinterpret_cast<Plain>(&python_function<i>)...};
  Functions result;
  for (const OperatorInfo& info : operators()) {
    result.functions.emplace_back(info);
    result.documentation.push_back(docstring(result.functions.back()));
  }
  for (std::size_t each = 0; each < kOperatorCount; ++each) {
    result.methods[each] = {result.functions[each].signature.function,
                            reinterpret_cast<PyCFunction>(addresses[each]), METH_FASTCALL | METH_KEYWORDS,
                            result.documentation[each].c_str()};
  }
  return result;
}

Functions& all() {
  static Functions& result = *new Functions(make_functions(std::make_index_sequence<kOperatorCount>()));
  return result;
}

}  // namespace

OperatorFunction::OperatorFunction(const OperatorInfo& operator_info)
    : info(operator_info),
      op(info.op),
      parameters(make_parameters(info)),
      signature(make_signature(info, parameters)) {
  const auto at = [&](std::string_view name) {
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    return found == parameters.end() ? kMaxParameters : static_cast<std::size_t>(found - parameters.begin());
  };
  indices = input_of(op, strew::Role::kIndices);
  updates = has_updates(info) ? input_of(op, strew::Role::kUpdates) : kMaxParameters;
  out = at("out");
  fill_value = at("fill_value");
  casting = at("casting");
  reject_duplicates = at("reject_duplicates");
  alpha = at("alpha");
}

const OperatorFunction& find_operator_function(nb::handle function) {
  if (PyCFunction_Check(function.ptr())) {
    const PyCFunction given = PyCFunction_GetFunction(function.ptr());
    for (std::size_t i = 0; i < kOperatorCount; ++i) {
      if (given == all().methods[i].ml_meth) return all().functions[i];
    }
  }
  raise(ErrorCode::kInvalidType, {},
        text_of(nb::repr(function)) + " is none of the operators; give a function such as strew.scatter_nd");
}

namespace {

// Returns the table of operators for Python code.
nb::list described() {
  constexpr std::array<const char*, 3> kRoles = {"data", "indices", "updates"};
  nb::list list;
  for (const OperatorInfo& info : operators()) {
    nb::dict inputs;
    for (const InputInfo& input : info.inputs) {
      inputs[str_of(input.name)] = kRoles[static_cast<std::size_t>(input.role)];
    }
    nb::dict choices;
    for (const Parameter& parameter : all().functions[static_cast<std::size_t>(info.op)].parameters) {
      nb::list words;
      for (const std::string_view word : parameter.words.legal) words.append(str_of(word));
      if (!parameter.words.legal.empty()) choices[str_of(parameter.name)] = words;
    }
    nb::dict entry;
    entry["name"] = str_of(info.name);
    entry["op_type"] = str_of(info.op_type);
    entry["since_version"] = info.since_version;
    entry["inputs"] = inputs;
    entry["choices"] = choices;
    list.append(entry);
  }
  return list;
}

}  // namespace

void add_operators(nb::module_& module) {
  module.def("_operators", &described);
  nb::list names;
  for (const OperatorInfo& info : operators()) names.append(str_of(info.name));
  module.attr("__all__") = names;
  if (PyModule_AddFunctions(module.ptr(), all().methods.data()) < 0) throw nb::python_error();
}

}  // namespace strew::python

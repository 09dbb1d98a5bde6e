#include <algorithm>
#include <array>
#include <stdexcept>

#include "call.h"
#include "operator_call.h"

namespace strew::python {
namespace {

[[noreturn]] void refuse(const Signature& signature, const std::string& text) {
  raise(ErrorCode::kInvalidType, {signature.function}, text);
}

[[noreturn]] void refuse(const Signature& signature, std::size_t parameter, const std::string& text,
                         ErrorCode code = ErrorCode::kInvalidType) {
  const std::string_view name = signature.names[parameter];
  raise(code, {signature.function, name}, std::string(name) + text);
}

std::string join_names(const Signature& signature, std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) names.append(i == 0 ? "" : ", ").append(signature.names[i]);
  return names;
}

std::size_t position_of(const Signature& signature, PyObject* keyword) {
  const std::span keywords(signature.keywords.begin(), signature.count);
  const auto known = std::ranges::find(keywords, keyword);
  if (known != keywords.end()) return static_cast<std::size_t>(known - keywords.begin());
  Py_ssize_t size = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(keyword, &size);
  if (characters == nullptr) {
    PyErr_Clear();
    refuse(signature,
           "the name of a parameter is not a str; the parameters are " + join_names(signature, signature.count));
  }
  const std::string_view name(characters, static_cast<std::size_t>(size));
  const auto names = signature.parameters();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  refuse(signature, "there is no parameter '" + text_of(keyword) + "'; the parameters are " +
                        join_names(signature, signature.count) + did_you_mean(name, names));
}

}  // namespace

PyObject* interned(std::string_view name) {
  PyObject* text = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
  if (text != nullptr) PyUnicode_InternInPlace(&text);
  if (text == nullptr) throw nb::python_error();
  return text;
}

Arguments::Arguments(const Signature& signature, PyObject* const* values, Py_ssize_t positional,
                     PyObject* keywords)
    : signature_(signature),
      end_(static_cast<std::size_t>(PyVectorcall_NARGS(static_cast<std::size_t>(positional)))) {
  const std::size_t given = end_;
  if (given > signature.positional) {
    const bool named_ones = signature.positional < signature.count;
    refuse(signature, std::to_string(given) + " arguments were given" + (named_ones ? " without a name" : "") +
                          "; at most " + std::to_string(signature.positional) +
                          " are allowed: " + join_names(signature, signature.positional));
  }
  std::copy_n(values, given, values_.begin());
  const Py_ssize_t named = keywords == nullptr ? 0 : NB_TUPLE_GET_SIZE(keywords);
  for (Py_ssize_t i = 0; i < named; ++i) {
    const std::size_t at = position_of(signature, NB_TUPLE_GET_ITEM(keywords, i));
    if (values_[at].is_valid()) refuse(signature, at, " was given twice");
    values_[at] = values[given + static_cast<std::size_t>(i)];
    end_ = std::max(end_, at + 1);
  }
  for (std::size_t i = 0; i < signature.required; ++i) {
    if (values_[i].is_valid() && !values_[i].is_none()) continue;
    const char* const what = values_[i].is_valid() ? "None; an array or a sequence is needed" : "missing";
    refuse(signature, i, std::string(" ").append(verb_of(signature.names[i], "is")).append(" ").append(what));
  }
}

std::int64_t Arguments::integer(std::size_t parameter) const {
  const nb::handle value = values_[parameter];
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) {
    const auto names = signature_.parameters();
    const bool reduces = PyUnicode_Check(value.ptr()) && std::ranges::find(names, "reduction") != names.end();
    refuse(signature_, parameter,
           " is " + type_with_article(value) + "; it must be an int" +
               (reduces ? "; did you mean reduction='" + text_of(value) + "'?" : ""));
  }
  const Py_ssize_t number = PyNumber_AsSsize_t(value.ptr(), PyExc_OverflowError);
  if (number != -1 || PyErr_Occurred() == nullptr) return number;
  if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw nb::python_error();
  PyErr_Clear();
  refuse(signature_, parameter, " " + text_of(value) + " is not a 64-bit int", ErrorCode::kInvalidArgument);
}

bool Arguments::flag(std::size_t parameter) const {
  const nb::handle value = values_[parameter];
  if (!PyBool_Check(value.ptr()) && !PyArray_IsScalar(value.ptr(), Bool)) {
    refuse(signature_, parameter, " is " + type_with_article(value) + "; it must be a bool");
  }
  return PyObject_IsTrue(value.ptr()) == 1;
}

std::string_view Arguments::text(std::size_t parameter) const {
  const nb::handle value = values_[parameter];
  if (!PyUnicode_Check(value.ptr())) {
    refuse(signature_, parameter, " is " + type_with_article(value) + "; it must be a str");
  }
  Py_ssize_t size = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (characters == nullptr) {
    PyErr_Clear();
    refuse(signature_, parameter, " holds a character that is not valid Unicode", ErrorCode::kInvalidArgument);
  }
  return {characters, static_cast<std::size_t>(size)};
}

std::int64_t Arguments::word(std::size_t parameter, const Choices& words) const {
  const auto known = std::ranges::find(words.keywords, values_[parameter].ptr());
  if (known != words.keywords.end()) return known - words.keywords.begin();
  const std::string_view name = text(parameter);
  const auto found = std::ranges::find(words.all, name);
  if (found == words.all.end()) refuse_word(signature_.function, signature_.names[parameter], name, words.legal);
  return found - words.all.begin();
}

void refuse_word(std::string_view function, std::string_view parameter, std::string_view word,
                 std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view one : words) list.append(list.empty() ? "'" : ", '").append(one).append("'");
  raise(ErrorCode::kInvalidArgument, {function, parameter, std::string(word)},
        std::string(parameter) + " '" + std::string(word) + "' is not one of " + list + did_you_mean(word, words));
}

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
        "which updates of a different type are cast to the type of the data, as in NumPy: with \"equiv\", "
        "only those with a different byte order; with \"same_kind\", also those of the same or a lesser kind",
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
  return call_from_python(
      [&] { return call_operator(function, Arguments(function.signature, values, positional, keywords)); });
}

// All functions. The interpreter's objects point into this struct.
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

std::span<const OperatorFunction> operator_functions() { return all().functions; }

const OperatorFunction& find_operator_function(nb::handle function) {
  if (PyCFunction_Check(function.ptr())) {
    const PyCFunction given = PyCFunction_GetFunction(function.ptr());
    for (std::size_t i = 0; i < kOperatorCount; ++i) {
      if (given == all().methods[i].ml_meth) return all().functions[i];
    }
  }
  raise(ErrorCode::kInvalidType, {},
        text_of(nb::repr(function)) + " is not one of the operators; pass a function such as strew.scatter_nd");
}

void add_operators(nb::module_& module) {
  module.def("_operators", &describe_operators);
  nb::list names;
  for (const OperatorInfo& info : operators()) names.append(str_of(info.name));
  module.attr("__all__") = names;
  if (PyModule_AddFunctions(module.ptr(), all().methods.data()) < 0) throw nb::python_error();
}

}  // namespace strew::python

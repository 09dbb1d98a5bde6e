// Builds docstrings from the table of operators and docstring_words.h.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "call.h"
#include "docstring_words.h"
#include "operator_call.h"

namespace strew::python {
namespace {

constexpr std::size_t kWidth = 116;

std::string_view further(OpKind op, std::string_view parameter) {
  for (const Further& each : kFurther) {
    if (each.parameter == parameter && (each.operators & bit(op)) != 0) return each.words;
  }
  return ".";
}

Prose prose_of(const OperatorInfo& info) {
  const auto found = std::ranges::find(kProse, info.op, &Prose::op);
  if (found != std::end(kProse)) return *found;
  const bool has_axis = std::ranges::count(info.attributes, "axis", &AttributeInfo::name) != 0;
  return {info.op, info.doc, "", "", has_axis ? kOutsideAxis : kOutsideDimension, ""};
}

std::string list_choices(const AttributeInfo& attribute) {
  std::string list;
  for (const std::string_view word : attribute.legal_strings) {
    list.append(list.empty() ? "{'" : ", '").append(word).append("'");
  }
  return list + "}";
}

std::string default_of(const Parameter& parameter) {
  if (parameter.attribute == nullptr) return "None";
  const AttributeInfo& attribute = *parameter.attribute;
  if (attribute.type == AttributeType::kInt) return std::to_string(attribute.default_int);
  if (attribute.type == AttributeType::kString) return "'" + std::string(attribute.default_string) + "'";
  if (attribute.type == AttributeType::kElement) return "None";
  return attribute.default_int != 0 ? "True" : "False";
}

std::string describe_type(const Parameter& parameter) {
  if (const InputInfo* const input = parameter.input) {
    const bool scalars = input->name == "updates";
    const std::string kind = input->is_index() ? "array of integers" : scalars ? "array or scalar" : "array";
    return kind + (input->optional ? ", optional" : "");
  }
  if (parameter.name == "out") return "array, optional";
  const AttributeType type = parameter.attribute->type;
  if (type == AttributeType::kElement) return "scalar, optional";
  if (type == AttributeType::kString) return list_choices(*parameter.attribute);
  return (type == AttributeType::kInt ? "int, default " : "bool, default ") + default_of(parameter);
}

// Appends the words in lines of at most `kWidth` characters.
void add_lines(std::string& text, std::string_view indent, std::string_view words) {
  std::size_t column = 0;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const bool fits = column != 0 && column + 1 + word.size() <= kWidth;
    if (column != 0) text += fits ? " " : "\n";
    if (!fits) text += indent;
    column = (fits ? column + 1 : indent.size()) + word.size();
    text += word;
  }
  text += "\n";
}

std::string describe_parameter(OpKind op, const Parameter& parameter) {
  std::string words(parameter.input != nullptr       ? parameter.input->doc
                    : parameter.attribute != nullptr ? parameter.attribute->doc
                                                     : std::string_view());
  words += further(op, parameter.name);
  words[0] = static_cast<char>(std::toupper(words[0]));
  return words;
}

std::string signature_line(const OperatorFunction& function) {
  std::string line = function.signature.function + std::string("($module");
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (i == function.signature.positional) line += ", *";
    line.append(", ").append(function.parameters[i].name);
    if (i >= function.signature.required) line.append("=").append(default_of(function.parameters[i]));
  }
  return line + ")\n--\n\n";
}

void add_section(std::string& text, std::string_view title) {
  text.append("\n").append(title).append("\n").append(title.size(), '-').append("\n");
}

// Returns "If a type, a shape or `axis` is not legal. ...". Relies on every operator having an attribute.
std::string illegal(const OperatorInfo& info) {
  std::string list = "If a type, a shape";
  for (const AttributeInfo& each : info.attributes) {
    list.append(&each == &info.attributes.back() ? " or `" : ", `").append(each.name).append("`");
  }
  return list + " is not legal. After any error, nothing has been written.";
}

}  // namespace

std::string docstring(const OperatorFunction& function) {
  constexpr std::string_view kIndent = "    ";
  const Prose words = prose_of(function.info);
  const std::string version = std::to_string(function.info.since_version);
  std::string text = signature_line(function);
  text.append(words.summary).append(" (ONNX ").append(function.info.op_type).append("-" + version + ").\n");
  if (!words.more.empty()) add_lines(text += "\n", "", words.more);
  add_section(text, "Parameters");
  for (const Parameter& parameter : function.parameters) {
    text.append(parameter.name).append(" : ").append(describe_type(parameter)).append("\n");
    add_lines(text, kIndent, describe_parameter(function.op, parameter));
  }
  add_section(text, "Returns");
  const std::string shape = "Of shape " + std::string(function.info.output_shape);
  add_lines(text += "array\n", kIndent,
            (words.result.empty() ? shape : std::string(words.result)) + "; `out` if given.");
  add_section(text, "Raises");
  add_lines(text += "IndexError\n", kIndent, words.bad_index);
  add_lines(text += "TypeError, ValueError\n", kIndent, illegal(function.info));
  add_section(text, "Examples");
  return text.append(">>> import numpy as np, strew\n").append(words.example);
}

nb::list describe_operators() {
  constexpr std::array<const char*, 3> kRoles = {"data", "indices", "updates"};
  nb::list list;
  for (const OperatorFunction& function : operator_functions()) {
    const OperatorInfo& info = function.info;
    nb::dict inputs;
    for (const InputInfo& input : info.inputs) {
      inputs[str_of(input.name)] = kRoles[static_cast<std::size_t>(input.role)];
    }
    nb::dict choices;
    for (const Parameter& parameter : function.parameters) {
      nb::list words;
      for (const std::string_view word : parameter.words.legal) words.append(str_of(word));
      if (!parameter.words.legal.empty()) choices[str_of(parameter.name)] = words;
    }
    nb::dict entry;
    entry["name"] = str_of(info.name);
    entry["op_type"] = str_of(info.op_type);
    entry["since_version"] = info.since_version;
    entry["output_shape"] = str_of(info.output_shape);
    entry["inputs"] = inputs;
    entry["choices"] = choices;
    list.append(entry);
  }
  return list;
}

}  // namespace strew::python

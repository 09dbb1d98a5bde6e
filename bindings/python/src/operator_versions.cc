// The table of operators and their versions for strew.operators, in the words of `strew ops`.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "array_kind.h"
#include "module_parts.h"
#include "operator_page.h"
#include "strew/operators.h"

namespace strew::python {
namespace {

nb::tuple tuple_of_names(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(str_of(text));
  return nb::tuple(list);
}

nb::tuple described(const AttributeInfo& attribute) {
  nb::object value = nb::none();
  const char* type = "element";
  nb::list words;
  switch (attribute.type) {
    case AttributeType::kInt:
      type = "int";
      value = nb::int_(attribute.default_int);
      break;
    case AttributeType::kBool:
      type = "bool";
      value = nb::bool_(attribute.default_int != 0);
      break;
    case AttributeType::kString:
      type = "string";
      value = str_of(attribute.default_string);
      for (const std::string_view word : attribute.legal_strings) words.append(str_of(word));
      break;
    case AttributeType::kElement:
      break;
  }
  return nb::make_tuple(str_of(attribute.name), type, value, nb::tuple(words), str_of(attribute.doc));
}

nb::tuple described(const std::vector<AttributeInfo>& attributes) {
  nb::list list;
  for (const AttributeInfo& attribute : attributes) list.append(described(attribute));
  return nb::tuple(list);
}

nb::dict described(const OperatorVersion& op, std::int64_t last_opset, const std::vector<std::string>& changes) {
  const OperatorInfo& info = operator_info(op.op);
  const nb::tuple types = tuple_of_names(app::type_names(op.types));
  const nb::tuple index_types = tuple_of_names(app::type_names(op.index_types));
  nb::list inputs;
  for (const InputInfo& input : op.inputs) {
    inputs.append(nb::make_tuple(str_of(input.name), input.is_index() ? index_types : types, input.optional,
                                 str_of(input.doc)));
  }
  nb::dict entry;
  entry["op_type"] = str_of(op.op_type);
  entry["since_version"] = op.since_version;
  entry["last_opset"] = last_opset;
  entry["deprecated"] = op.deprecated;
  entry["inputs"] = nb::tuple(inputs);
  entry["output"] = str_of(op.output);
  entry["output_shape"] = str_of(app::shape_rule(op.op));
  entry["types"] = types;
  entry["attributes"] = described(op.attributes);
  entry["changes"] = tuple_of_names(changes);
  entry["page"] = str_of(app::page_text(op));
  entry["function"] = str_of(info.name);
  entry["doc"] = str_of(info.doc);
  entry["parameters"] = described(info.attributes) + described(info.own);
  return entry;
}

nb::list operator_versions_described() {
  nb::list list;
  const auto all = operator_versions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_first = i == 0 || all[i - 1].op_type != all[i].op_type;
    const bool is_last = i + 1 == all.size() || all[i + 1].op_type != all[i].op_type;
    list.append(described(all[i], is_last ? kNewestOpset : all[i + 1].since_version - 1,
                          is_first ? std::vector<std::string>() : app::change_between(all[i - 1], all[i]).texts));
  }
  return list;
}

}  // namespace

void add_operator_versions(nb::module_& module) {
  module.def("_operator_versions", &operator_versions_described);
  module.attr("_newest_opset") = kNewestOpset;
}

}  // namespace strew::python

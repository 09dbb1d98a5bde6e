// Converts information about a model to Python objects.
#include <unordered_map>
#include <vector>

#include "call.h"
#include "model_tensors.h"

namespace strew::python {
namespace {

constexpr char kModule[] = "strew._model_info";

nb::object to_python(const Dim& dim) {
  if (dim.value) return nb::int_(*dim.value);
  if (dim.symbol.empty()) return nb::none();
  return text(dim.symbol);
}

template <class Values, class Convert>
nb::list to_list(const Values& values, const Convert& convert) {
  nb::list list;
  for (const auto& value : values) list.append(convert(value));
  return list;
}

nb::object to_python(const ValueInfo& value, bool optional = false) {
  nb::object dtype = nb::none();
  if (value.dtype) dtype = text(std::string(dtype_name(*value.dtype)));
  nb::object shape = nb::none();
  if (value.shape) shape = nb::tuple(to_list(*value.shape, [](const Dim& dim) { return to_python(dim); }));
  return attribute(kModule, "ValueInfo")(text(value.name), dtype, shape, optional);
}

nb::tuple to_python(const std::vector<std::string>& names) { return nb::tuple(to_list(names, text)); }

// Fills unknown parts of the inferred type and shape from the declaration.
void complete(ValueInfo& value, const ValueInfo& declared) {
  if (!value.dtype) value.dtype = declared.dtype;
  if (!value.shape) value.shape = declared.shape;
  if (!declared.shape || value.shape->size() != declared.shape->size()) return;
  for (std::size_t axis = 0; axis < declared.shape->size(); ++axis) {
    Dim& dim = (*value.shape)[axis];
    if (!dim.value && dim.symbol.empty()) dim = (*declared.shape)[axis];
  }
}

std::string signature(const std::vector<ValueInfo>& values) {
  std::string list;
  for (const ValueInfo& value : values) {
    list += (list.empty() ? "" : ", ") + one_line(value.name) + ": " + to_string(value);
  }
  return "(" + list + ")";
}

}  // namespace

nb::str text(const std::string& bytes) {
  return nb::borrow<nb::str>(steal_or_throw(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape")));
}

std::string encode_name(const nb::str& text) {
  const auto bytes =
      nb::borrow<nb::bytes>(steal_or_throw(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape")));
  return {bytes.c_str(), bytes.size()};
}

nb::list list_inputs(const Model& model) {
  return to_list(model.inputs(),
                 [&](const ValueInfo& input) { return to_python(input, model.has_default(input.name)); });
}

nb::list list_outputs(const Model& model) {
  return to_list(model.outputs(), [](const ValueInfo& output) { return to_python(output); });
}

nb::list list_nodes(const Model& model) {
  const nb::object type = attribute(kModule, "NodeInfo");
  return to_list(model.nodes(), [&](const NodeInfo& node) {
    return type(text(node.name), text(node.op_type), text(node.domain), node.since_version, to_python(node.inputs),
                to_python(node.outputs));
  });
}

nb::dict count_unchecked(const CheckReport& report) {
  nb::dict counts;
  for (const OtherOperator& other : report.unchecked) counts[text(other.op_type)] = other.count;
  return counts;
}

nb::tuple list_sparse(const CheckReport& report) { return to_python(report.sparse); }

nb::list list_violations(const CheckReport& report) {
  const nb::object type = attribute(kModule, "Violation");
  return to_list(report.violations, [&](const Violation& violation) {
    return type(text(violation.node), text(violation.error.message()));
  });
}

nb::dict list_values(const Model& model, const CheckReport& report) {
  std::vector<ValueInfo> values;
  std::unordered_map<std::string, std::size_t> at;
  const auto add = [&](const ValueInfo& value) {
    if (value.name.empty()) return;
    const auto [place, is_new] = at.emplace(value.name, values.size());
    if (is_new) {
      values.push_back(value);
    } else {
      complete(values[place->second], value);
    }
  };
  for (const ValueInfo& input : model.inputs()) add(input);
  for (const CheckReport::Node& node : report.nodes) {
    if (!node.info.graph.empty()) continue;  // a subgraph has its own value names
    for (const ValueInfo& input : node.inputs) add(input);
    for (const ValueInfo& output : node.outputs) add(output);
  }
  for (const ValueInfo& output : model.outputs()) add(output);
  nb::dict by_name;
  for (const ValueInfo& value : values) {
    by_name[text(value.name)] = to_python(value, model.has_default(value.name));
  }
  return by_name;
}

nb::str describe(const Model& model) {
  const std::size_t count = model.nodes().size();
  return text("strew.Model(opset " + std::to_string(model.opset()) + ", " + std::to_string(count) +
              (count == 1 ? " node: " : " nodes: ") + signature(model.inputs()) + " -> " +
              signature(model.outputs()) + ")");
}

}  // namespace strew::python

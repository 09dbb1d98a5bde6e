// Loads a node's operator, version and attributes, and the value of a Constant.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/model_proto.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

struct ConstantForm {
  std::string_view name;
  AttributeKind kind;
  std::int64_t first_opset;
};

constexpr std::array<ConstantForm, 8> kForms = {{{"value", AttributeKind::kTensor, 1},
                                                 {"sparse_value", AttributeKind::kSparseTensor, 11},
                                                 {"value_float", AttributeKind::kFloat, 12},
                                                 {"value_floats", AttributeKind::kFloats, 12},
                                                 {"value_int", AttributeKind::kInt, 12},
                                                 {"value_ints", AttributeKind::kInts, 12},
                                                 {"value_string", AttributeKind::kString, 12},
                                                 {"value_strings", AttributeKind::kStrings, 12}}};

template <class T>
Result<Tensor> make_vector(const std::vector<T>& values) {
  return Tensor::of(std::span<const T>(values), {static_cast<std::int64_t>(values.size())});
}

template <class T>
Result<Tensor> make_scalar(const T& value) {
  return Tensor::of(std::span<const T>(&value, 1), {});
}

Result<Tensor> take_tensor(Result<NamedTensor> decoded) {
  if (!decoded) return fail(std::move(decoded).error());
  return std::move(decoded->tensor);
}

Result<Tensor> read_value(const AttributeProto& attribute, AttributeKind kind, const TensorSource& source) {
  if (kind == AttributeKind::kTensor) return take_tensor(decode_tensor(attribute.t, source));
  if (kind == AttributeKind::kFloat) return make_scalar(attribute.f);
  if (kind == AttributeKind::kFloats) return make_vector(attribute.floats);
  if (kind == AttributeKind::kInt) return make_scalar(attribute.i);
  if (kind == AttributeKind::kInts) return make_vector(attribute.ints);
  if (kind == AttributeKind::kString) return make_scalar(attribute.s);
  return make_vector(attribute.strings);
}

// Returns the entry of kForms for an attribute. Adds an error and returns nullptr if the opset lacks it.
const ConstantForm* find_form(const AttributeProto& attribute, std::int64_t opset, std::vector<Error>& errors) {
  for (const ConstantForm& form : kForms) {
    if (form.name != attribute.name) continue;
    if (form.first_opset <= opset) return &form;
    add_error(errors, ErrorCode::kInvalidModel, "Unrecognized attribute: ", attribute.name, " for Constant-",
              plain_since_version("Constant", opset), "; ", attribute.name, " was added in opset ",
              form.first_opset);
    return nullptr;
  }
  add_error(errors, ErrorCode::kInvalidModel, "Unrecognized attribute: ", attribute.name, " for Constant-",
            plain_since_version("Constant", opset));
  return nullptr;
}

GraphNode::Kind classify_node(const NodeProto& node) {
  if (!is_known_operator(node.op_type, node.domain)) return GraphNode::Kind::kUnsupported;
  if (node.op_type == "Constant") return GraphNode::Kind::kConstant;
  return node.op_type == "Identity" ? GraphNode::Kind::kIdentity : GraphNode::Kind::kOperator;
}

// Adds an error if the operator looks misspelled. No other ONNX operator has a name similar to one of `names`.
void check_spelling(GraphNode& node) {
  std::vector<std::string_view> names = {"Constant", "Identity"};
  for (const OperatorVersion& version : operator_versions()) {
    if (names.back() != version.op_type) names.push_back(version.op_type);
  }
  const std::string& op_type = node.info.op_type;
  if (op_type.empty()) add_error(node.errors, ErrorCode::kInvalidModel, "it has no op_type");
  if (const std::string hint = did_you_mean(op_type, names); !hint.empty()) {
    add_error(node.errors, ErrorCode::kInvalidModel, '\'', op_type, "' is not an ONNX operator", hint);
  }
}

void load_operator(GraphNode& node, const NodeProto& proto, const Graph& graph, const LoadOptions& options) {
  const auto op = find_operator(proto.op_type, graph.opset);
  if (!op) {
    node.errors.push_back(op.error());
    return;
  }
  node.op = *op;
  node.info.since_version = node.op->since_version;
  if (node.op->deprecated && !options.allow_deprecated) {
    add_error(node.errors, ErrorCode::kInvalidModel, node.op->op_type, " has been deprecated since opset ",
              node.op->since_version, " (the model imports opset ", graph.opset,
              "); use ScatterElements, which computes the same result");
  }
  node.info.attributes = read_attributes(*node.op, proto.attributes, graph.ir_version, node.errors);
}

Status load_constant(GraphNode& node, const NodeProto& proto, const Graph& graph, const TensorSource& source) {
  if (!proto.inputs.empty()) {
    add_error(node.errors, ErrorCode::kInvalidModel, "it has ", counted(proto.inputs.size(), "input"),
              "; Constant takes none");
  }
  auto value = read_constant(proto, graph.opset, graph.ir_version, source, node.errors);
  if (!value) return fail(found_in(node_where(node.info), std::move(value).error()));
  node.constant = std::move(*value);
  node.is_sparse = !node.constant && node.errors.empty();
  return {};
}

void load_identity(GraphNode& node, const NodeProto& proto) {
  if (proto.inputs.size() != 1 || proto.inputs[0].empty()) {
    add_error(node.errors, ErrorCode::kInvalidModel, "it has ", counted(proto.inputs.size(), "input"),
              proto.inputs.size() == 1 ? " without a name" : "", "; Identity takes one");
  }
  for (const AttributeProto& attribute : proto.attributes) {
    add_error(node.errors, ErrorCode::kInvalidModel, "Unrecognized attribute: ", attribute.name, " for Identity-",
              node.info.since_version);
  }
}

}  // namespace

std::int64_t plain_since_version(std::string_view op_type, std::int64_t opset) noexcept {
  static constexpr std::array<std::int64_t, 10> kConstant = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25};
  static constexpr std::array<std::int64_t, 9> kIdentity = {1, 13, 14, 16, 19, 21, 23, 24, 25};
  const auto versions = op_type == "Constant" ? std::span<const std::int64_t>(kConstant) : std::span(kIdentity);
  std::int64_t found = 0;
  for (std::int64_t version : versions) {
    if (version <= opset) found = version;
  }
  return found;
}

std::int64_t plain_first_opset(DType dtype) noexcept { return dtype_info(dtype).first_opset; }

Result<std::optional<Tensor>> read_constant(const NodeProto& node, std::int64_t opset, std::int64_t ir_version,
                                            const TensorSource& source, std::vector<Error>& errors) {
  const auto reject = [&](std::string message) {
    errors.push_back({ErrorCode::kInvalidModel, std::move(message)});
    return std::nullopt;
  };
  if (node.attributes.size() != 1) {
    return reject(concat("it has ", node.attributes.size(), " attributes; a Constant must have one, its value"));
  }
  const AttributeProto& attribute = node.attributes.front();
  const ConstantForm* form = find_form(attribute, opset, errors);
  if (form == nullptr) return std::nullopt;
  const AttributeKind kind = attribute_kind(attribute, ir_version, errors);
  if (kind == AttributeKind::kUndefined) return std::nullopt;
  if (kind != form->kind) {
    return reject(concat("attribute ", attribute.name, " is ", attribute_kind_name(kind), "; it must be ",
                         attribute_kind_name(form->kind)));
  }
  if (kind == AttributeKind::kSparseTensor) return std::nullopt;
  STREW_ASSIGN(auto&& value, read_value(attribute, kind, source));
  return std::move(value);
}

std::string node_where(const NodeInfo& info) {
  const bool numbered = info.name.starts_with('#');
  const std::string version = info.since_version > 0 ? concat('-', info.since_version) : std::string();
  const bool shared = !info.address.empty() && info.address != info.name;
  return concat("node ", numbered ? "" : "'", info.name, numbered ? "" : "'", shared ? " at " : "",
                shared ? info.address : "", " (", info.op_type, version, ')');
}

Result<GraphNode> load_node(const NodeProto& proto, const Graph& graph, const TensorSource& source,
                            const LoadOptions& options) {
  GraphNode node;
  NodeProto without_parameters;
  if (graph.is_function) {  // attributes that refer to parameters get their values from calls
    const auto is_parameter = [](const AttributeProto& attribute) { return !attribute.ref_attr_name.empty(); };
    without_parameters = proto;
    node.has_parameters = std::erase_if(without_parameters.attributes, is_parameter) > 0;
  }
  const NodeProto& read = graph.is_function ? without_parameters : proto;
  node.kind = classify_node(read);
  node.info.name = read.name.empty() ? concat(graph.prefix, '#', graph.nodes.size()) : read.name;
  node.info.graph = graph.location;
  node.info.op_type = read.op_type;
  node.info.domain = read.domain;
  node.info.inputs = read.inputs;
  node.info.outputs = read.outputs;
  if (graph.opset == 0) return node;
  if (node.kind == GraphNode::Kind::kUnsupported) {
    if (is_default_domain(read.domain)) check_spelling(node);
    for (const AttributeProto& attribute : read.attributes) {
      const bool is_number = std::ranges::find(attribute.fields, AttributeKind::kInt) != attribute.fields.end();
      if (is_number || !attribute.ints.empty())
        node.numbers.emplace_back(attribute.name, is_number ? std::vector{attribute.i} : attribute.ints);
    }
    return node;
  }
  if (read.outputs.size() != 1 || read.outputs[0].empty()) {
    add_error(node.errors, ErrorCode::kInvalidModel, "it has ", counted(read.outputs.size(), "output"),
              read.outputs.size() == 1 ? " without a name" : "", "; the operator has one");
  }
  if (node.kind == GraphNode::Kind::kOperator) {
    load_operator(node, read, graph, options);
    return node;
  }
  node.info.since_version = plain_since_version(read.op_type, graph.opset);
  if (node.kind == GraphNode::Kind::kIdentity) {
    load_identity(node, read);
  } else if (!node.has_parameters) {
    STREW_TRY(load_constant(node, read, graph, source));
  }
  return node;
}

}  // namespace strew

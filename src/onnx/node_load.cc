// Loads a node's operator, version and attributes.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "onnx/graph.h"
#include "onnx/model_proto.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

GraphNode::Kind classify_node(const NodeProto& node) {
  if (!is_known_operator(node.op_type, node.domain)) return GraphNode::Kind::kUnsupported;
  if (node.op_type == "Constant") return GraphNode::Kind::kConstant;
  return node.op_type == "Identity" ? GraphNode::Kind::kIdentity : GraphNode::Kind::kOperator;
}

// Adds an error if the operator looks misspelled. No other ONNX operator has a name similar to one of the family.
void check_spelling(GraphNode& node) {
  std::vector<std::string_view> names = {"Constant", "Identity"};
  for (const OperatorVersion& version : operator_versions()) {
    if (names.back() != version.op_type) names.push_back(version.op_type);
  }
  const std::string& op_type = node.info.op_type;
  if (op_type.empty()) node.errors.push_back({ErrorCode::kInvalidModel, "it has no op_type"});
  if (const std::string hint = did_you_mean(op_type, names); !hint.empty()) {
    node.errors.push_back({ErrorCode::kInvalidModel, concat('\'', op_type, "' is not an ONNX operator", hint)});
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
    node.errors.push_back(
        {ErrorCode::kInvalidModel,
         concat(node.op->op_type, " has been deprecated since opset ", node.op->since_version,
                " (the model imports opset ", graph.opset, "); use ScatterElements, which computes the same")});
  }
  node.info.attributes = read_attributes(*node.op, proto.attributes, graph.ir_version, node.errors);
}

Status load_constant(GraphNode& node, const NodeProto& proto, const Graph& graph, const TensorSource& source) {
  if (!proto.inputs.empty()) {
    node.errors.push_back({ErrorCode::kInvalidModel,
                           concat("it has ", counted(proto.inputs.size(), "input"), "; Constant takes none")});
  }
  auto value = read_constant(proto, graph.opset, graph.ir_version, source, node.errors);
  if (!value) return fail(found_in(node_where(node.info), std::move(value).error()));
  node.constant = std::move(*value);
  node.is_sparse = !node.constant && node.errors.empty();
  return {};
}

void load_identity(GraphNode& node, const NodeProto& proto) {
  if (proto.inputs.size() != 1 || proto.inputs[0].empty()) {
    node.errors.push_back({ErrorCode::kInvalidModel,
                           concat("it has ", counted(proto.inputs.size(), "input"),
                                  proto.inputs.size() == 1 ? " without a name" : "", "; Identity takes one")});
  }
  for (const AttributeProto& attribute : proto.attributes) {
    node.errors.push_back({ErrorCode::kInvalidModel, concat("Unrecognized attribute: ", attribute.name,
                                                            " for Identity-", node.info.since_version)});
  }
}

}  // namespace

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
    node.errors.push_back({ErrorCode::kInvalidModel,
                           concat("it has ", counted(read.outputs.size(), "output"),
                                  read.outputs.size() == 1 ? " without a name" : "", "; the operator has one")});
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

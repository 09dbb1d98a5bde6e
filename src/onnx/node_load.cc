// Loading nodes: which operator, which version, which attributes.
#include "onnx/node_load.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "onnx/node_rules.h"
#include "onnx/plain_nodes.h"

namespace strew {
namespace {

GraphNode::Kind kind_of(const NodeProto& node) {
  if (!is_default_domain(node.domain)) return GraphNode::Kind::kUnsupported;
  if (node.op_type == "Constant") return GraphNode::Kind::kConstant;
  if (node.op_type == "Identity") return GraphNode::Kind::kIdentity;
  const bool known =
      std::ranges::find(operator_versions(), node.op_type, &OperatorVersion::op_type) != operator_versions().end();
  return known ? GraphNode::Kind::kOperator : GraphNode::Kind::kUnsupported;
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
        {ErrorCode::kInvalidModel, concat(node.op->op_type, " is deprecated since opset ", node.op->since_version,
                                          " (the model imports ", graph.opset, "); ScatterElements is the same")});
  }
  node.attributes = read_attributes(*node.op, proto.attributes, graph.ir_version, node.errors);
}

Status load_constant(GraphNode& node, const NodeProto& proto, const Graph& graph, const TensorSource& source) {
  if (!proto.inputs.empty()) {
    node.errors.push_back(
        {ErrorCode::kInvalidModel, concat("it has ", proto.inputs.size(), " inputs; it takes none")});
  }
  auto value = read_constant(proto, graph.opset, graph.ir_version, source, node.errors);
  if (!value) return fail(found_in(node_where(node.info), std::move(value).error()));
  node.constant = std::move(*value);
  return {};
}

void load_identity(GraphNode& node, const NodeProto& proto) {
  if (proto.inputs.size() != 1 || proto.inputs[0].empty()) {
    node.errors.push_back(
        {ErrorCode::kInvalidModel, concat("it has ", proto.inputs.size(), " inputs; it takes one")});
  }
  for (const AttributeProto& attribute : proto.attributes) {
    node.errors.push_back({ErrorCode::kInvalidModel, concat("Unrecognized attribute: ", attribute.name,
                                                            " for Identity-", node.info.since_version)});
  }
}

}  // namespace

bool is_default_domain(std::string_view domain) noexcept { return domain.empty() || domain == "ai.onnx"; }

std::string node_where(const NodeInfo& info) {
  const bool numbered = info.name.starts_with('#');
  const std::string version = info.since_version > 0 ? concat('-', info.since_version) : std::string();
  return concat("node ", numbered ? "" : "'", info.name, numbered ? "" : "'", " (", info.op_type, version, ')');
}

Result<GraphNode> load_node(const NodeProto& proto, const Graph& graph, const TensorSource& source,
                            const LoadOptions& options) {
  GraphNode node;
  node.kind = kind_of(proto);
  node.info.name = proto.name.empty() ? concat('#', graph.nodes.size()) : proto.name;
  node.info.op_type = proto.op_type;
  node.info.domain = proto.domain;
  node.info.inputs = proto.inputs;
  node.info.outputs = proto.outputs;
  if (node.kind == GraphNode::Kind::kUnsupported || graph.opset == 0) return node;
  if (proto.outputs.size() != 1 || proto.outputs[0].empty()) {
    node.errors.push_back({ErrorCode::kInvalidModel, concat("it has ", proto.outputs.size(), " outputs",
                                                            proto.outputs.size() == 1 ? " without a name" : "",
                                                            "; the operator gives one")});
  }
  if (node.kind == GraphNode::Kind::kOperator) {
    load_operator(node, proto, graph, options);
    return node;
  }
  node.info.since_version = plain_since_version(proto.op_type, graph.opset);
  if (node.kind == GraphNode::Kind::kIdentity) {
    load_identity(node, proto);
  } else {
    STREW_TRY(load_constant(node, proto, graph, source));
  }
  return node;
}

}  // namespace strew

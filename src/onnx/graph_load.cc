// From the structs of a ModelProto to a Graph: header, declared types, initializers.
#include <utility>

#include "core/error.h"
#include "onnx/dims.h"
#include "onnx/graph.h"
#include "onnx/node_load.h"

namespace strew {
namespace {

constexpr std::string_view kInnerValue = "inner value";

template <class... Parts>
void add_error(std::vector<Error>& errors, ErrorCode code, const Parts&... parts) {
  errors.push_back({code, concat(parts...)});
}

void check_ir_version(std::int64_t ir_version, std::vector<Error>& errors) {
  if (ir_version <= 0) {
    add_error(errors, ErrorCode::kInvalidModel, "ir_version is missing or not positive");
  } else if (ir_version > kNewestIrVersion) {
    add_error(errors, ErrorCode::kUnsupported, "ir_version ", ir_version, " is not known; the newest is ",
              kNewestIrVersion);
  }
}

// The opset of the default domain; 0 and an error where there is no legal one.
std::int64_t default_opset(const ModelProto& model, std::vector<Error>& errors) {
  if (model.ir_version < 3) {  // before, every model used the first opset
    if (model.opset_imports.empty()) return 1;
    add_error(errors, ErrorCode::kInvalidModel, "opset_import is there, but ir_version ", model.ir_version,
              " does not have it yet");
  }
  std::vector<std::int64_t> versions;
  for (const OpsetImport& entry : model.opset_imports) {
    if (is_default_domain(entry.domain)) versions.push_back(entry.version);
  }
  if (versions.empty()) {
    add_error(errors, ErrorCode::kInvalidModel, "opset_import has no entry for the default domain");
    return 0;
  }
  if (versions.size() > 1) {
    add_error(errors, ErrorCode::kInvalidModel, "opset_import has ", versions.size(),
              " entries for the default domain");
  }
  if (versions[0] < 1) {
    add_error(errors, ErrorCode::kInvalidModel, "opset ", versions[0], " is imported; the first is 1");
    return 0;
  }
  if (versions[0] > kNewestOpset) {
    add_error(errors, ErrorCode::kUnsupported, "opset ", versions[0], " is not known; the newest is ",
              kNewestOpset);
    return 0;
  }
  return versions[0];
}

std::optional<Dims> checked_dims(std::string_view what, const ValueInfoProto& proto, std::vector<Error>& errors) {
  if (!proto.shape) return std::nullopt;
  Dims dims = *proto.shape;
  for (Dim& dim : dims) {
    if (!dim.value || *dim.value >= 0) continue;
    add_error(errors, ErrorCode::kInvalidModel, what, " '", proto.name, "' is declared with shape ",
              to_string(*proto.shape), ": ", *dim.value, " is negative");
    dim = {};
  }
  return dims;
}

// A declared value; what its type is not stays unknown.
ValueInfo read_declared(std::string_view what, const ValueInfoProto& proto, std::vector<Error>& errors) {
  ValueInfo value;
  value.name = proto.name;
  if (proto.name.empty()) add_error(errors, ErrorCode::kInvalidModel, "an ", what, " has no name");
  switch (proto.type) {
    case ValueInfoProto::Type::kMissing:
      if (what != kInnerValue)
        add_error(errors, ErrorCode::kInvalidModel, what, " '", proto.name, "' has no type");
      return value;
    case ValueInfoProto::Type::kOther:
      add_error(errors, ErrorCode::kUnsupported, what, " '", proto.name, "' is not a dense tensor");
      return value;
    case ValueInfoProto::Type::kTensor:
      break;
  }
  value.dtype = dtype_from_onnx(proto.elem_type);
  if (!value.dtype) {
    add_error(errors, ErrorCode::kInvalidModel, what, " '", proto.name, "' has the unknown element type ",
              proto.elem_type);
  }
  value.shape = checked_dims(what, proto, errors);
  return value;
}

Status add_initializer(Graph& graph, Result<NamedTensor> decoded) {
  if (!decoded) return fail(std::move(decoded).error());
  const std::string& name = decoded->name;
  if (name.empty()) {
    add_error(graph.errors, ErrorCode::kInvalidModel, "initializer #", graph.initializers.size(), " has no name");
  } else if (!graph.initializer_at.emplace(name, graph.initializers.size()).second) {
    add_error(graph.errors, ErrorCode::kInvalidModel, "two initializers are named '", name, "'");
  }
  graph.initializers.push_back(std::move(*decoded));
  return {};
}

}  // namespace

const Tensor* Graph::initializer(const std::string& name) const noexcept {
  const auto found = initializer_at.find(name);
  return found == initializer_at.end() ? nullptr : &initializers[found->second].tensor;
}

Result<Graph> load_graph(const ModelProto& model, const TensorSource& source, const LoadOptions& options) {
  if (!model.graph) return fail(ErrorCode::kInvalidModel, "there is no graph: this is not an ONNX model");
  const GraphProto& proto = *model.graph;
  Graph graph;
  graph.ir_version = model.ir_version;
  check_ir_version(model.ir_version, graph.errors);
  graph.opset = default_opset(model, graph.errors);
  graph.imported_opset = graph.opset;
  for (const OpsetImport& entry : model.opset_imports) {
    if (graph.opset == 0 && is_default_domain(entry.domain)) graph.imported_opset = entry.version;
  }
  for (const auto& input : proto.inputs) graph.inputs.push_back(read_declared("input", input, graph.errors));
  for (const auto& output : proto.outputs) graph.outputs.push_back(read_declared("output", output, graph.errors));
  for (const auto& value : proto.value_infos) {
    graph.declared.push_back(read_declared(kInnerValue, value, graph.errors));
  }
  for (const auto& bytes : proto.initializers) STREW_TRY(add_initializer(graph, decode_tensor(bytes, source)));
  for (const auto& bytes : proto.sparse_initializers) {
    STREW_TRY(add_initializer(graph, decode_sparse_tensor(bytes, source)));
  }
  for (const NodeProto& node : proto.nodes) {
    auto loaded = load_node(node, graph, source, options);
    if (!loaded) return fail(std::move(loaded).error());
    graph.nodes.push_back(std::move(*loaded));
  }
  return graph;
}

}  // namespace strew

// Converts a ModelProto to a Graph: header, declared types, initializers.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "onnx/dims.h"
#include "onnx/graph.h"
#include "onnx/model_proto.h"

namespace strew {
namespace {

void check_ir_version(std::int64_t ir_version, std::vector<Error>& errors) {
  if (ir_version <= 0) {
    add_error(errors, ErrorCode::kInvalidModel, "ir_version is missing or not positive");
  } else if (ir_version > kNewestIrVersion) {
    add_error(errors, ErrorCode::kUnsupported, "ir_version ", ir_version, " is not known; the newest is ",
              kNewestIrVersion);
  }
}

bool has_others(const GraphProto& graph) {
  return std::ranges::any_of(graph.nodes,
                             [](const NodeProto& node) { return !is_known_operator(node.op_type, node.domain); });
}

// Returns the opset of the default domain. Adds an error and returns 0 if there is no legal one.
std::int64_t default_opset(std::int64_t ir_version, const std::vector<OpsetImport>& imports,
                           std::vector<Error>& errors) {
  if (ir_version < 3) {  // such models use the first opset
    if (imports.empty()) return 1;
    add_error(errors, ErrorCode::kInvalidModel, "opset_import is present, but ir_version ", ir_version,
              " does not have this field");
  }
  std::vector<std::int64_t> versions;
  for (const OpsetImport& entry : imports) {
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

// Kinds of values that a graph may declare.
enum class Declared : std::uint8_t {
  kDenseTensors,  ///< dense tensors of known type
  kAnything,      ///< all: operators that Strew does not run may use them
};

// Reads the declaration of a value. An unknown type or shape stays unset.
ValueInfo read_declared(std::string_view what, Declared kind, const ValueInfoProto& proto, Graph& graph) {
  ValueInfo value;
  value.name = proto.name;
  if (proto.name.empty()) add_error(graph.errors, ErrorCode::kInvalidModel, "an ", what, " has no name");
  if (proto.type == ValueInfoProto::Type::kMissing && kind == Declared::kDenseTensors)
    add_error(graph.errors, ErrorCode::kInvalidModel, what, " '", proto.name, "' has no type");
  if (proto.type == ValueInfoProto::Type::kOther) {
    if (kind == Declared::kDenseTensors)
      add_error(graph.errors, ErrorCode::kUnsupported, what, " '", proto.name, "' is not a dense tensor");
    graph.others.push_back(proto.name);
  }
  if (proto.type != ValueInfoProto::Type::kTensor) return value;
  value.dtype = dtype_from_onnx(proto.elem_type);
  if (!value.dtype && (kind == Declared::kDenseTensors || proto.elem_type != 0)) {
    add_error(graph.errors, ErrorCode::kInvalidModel, what, " '", proto.name, "' has the unknown element type ",
              proto.elem_type);
  }
  value.shape = checked_dims(what, proto, graph.errors);
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

// Loads the values and nodes of a graph whose opset is already set.
Status load_contents(Graph& graph, const GraphProto& proto, Declared declared, const TensorSource& source,
                     const LoadOptions& options) {
  for (const auto& input : proto.inputs) graph.inputs.push_back(read_declared("input", declared, input, graph));
  for (const auto& output : proto.outputs) {
    graph.outputs.push_back(read_declared("output", declared, output, graph));
  }
  for (const auto& value : proto.value_infos) {
    graph.declared.push_back(read_declared("inner value", Declared::kAnything, value, graph));
  }
  for (const auto& bytes : proto.initializers) STREW_TRY(add_initializer(graph, decode_tensor(bytes, source)));
  std::unordered_set<std::string> sparse;
  for (const ValueInfoProto& tensor : proto.sparse_initializers) {
    ValueInfo value = read_declared("initializer", declared, tensor, graph);
    if (graph.initializer(value.name) == nullptr && sparse.insert(value.name).second) {
      graph.sparse.push_back(std::move(value));
    } else {
      add_error(graph.errors, ErrorCode::kInvalidModel, "two initializers are named '", value.name, "'");
    }
  }
  for (const NodeProto& node : proto.nodes) {
    STREW_ASSIGN(auto&& loaded, load_node(node, graph, source, options));
    graph.nodes.push_back(std::move(loaded));
  }
  return {};
}

// Limit on the location text, which every node of an inner graph repeats.
constexpr std::size_t kMaxLocationBytes = 120;

// Sets the location, name prefix and versions of an inner graph.
void locate(InnerGraph& inner, const InnerGraphProto& proto, const LoadedModel& model, const ModelProto& whole,
            std::unordered_set<std::string>& prefixes) {
  Graph& graph = inner.graph;
  graph.ir_version = model.graph.ir_version;
  graph.is_function = proto.is_function;
  if (proto.is_function) {
    graph.location = concat("function ", one_line(proto.name, kMaxLocationBytes));
    graph.prefix = one_line(proto.name, kMaxLocationBytes);
    const auto is_default = [](const NodeProto& node) { return is_default_domain(node.domain); };
    if (std::ranges::any_of(proto.graph.nodes, is_default))  // else no import is required
      graph.opset = default_opset(whole.ir_version, proto.opset_imports, graph.errors);
  } else {
    const Graph& outer = proto.outer ? model.inner[*proto.outer].graph : model.graph;
    const NodeInfo& node = outer.nodes[proto.node].info;
    const std::string around = concat(outer.location, outer.location.empty() ? "" : ": ");
    graph.location = one_line(concat(around, proto.name, " of ", node_where(node)), kMaxLocationBytes);
    graph.prefix = one_line(concat(node.name, '.', proto.name), kMaxLocationBytes);
    if (prefixes.contains(graph.prefix))  // another node has the same name
      graph.prefix = one_line(concat(outer.prefix, '#', proto.node, '.', proto.name), kMaxLocationBytes);
    graph.opset = outer.opset;
  }
  prefixes.insert(graph.prefix);
  graph.imported_opset = graph.opset;
}

// Calls visit(node, position) for all nodes of all graphs. `position` is a unique text: "if.then_branch#3".
template <class Visit>
void visit_nodes(LoadedModel& model, const Visit& visit) {
  const auto visit_graph = [&](Graph& graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) visit(graph.nodes[i].info, concat(graph.prefix, '#', i));
  };
  visit_graph(model.graph);
  for (InnerGraph& inner : model.inner) visit_graph(inner.graph);
}

// Sets each node's address: its name if unique, otherwise its position.
void find_addresses(LoadedModel& model) {
  std::unordered_map<std::string, int> named;
  std::unordered_set<std::string> positions;
  visit_nodes(model, [&](const NodeInfo& node, std::string position) {
    ++named[node.name];
    positions.insert(std::move(position));
  });
  visit_nodes(model, [&](NodeInfo& node, std::string position) {
    const bool is_own = named[node.name] == 1 && (node.name == position || !positions.contains(node.name));
    node.address = is_own ? node.name : std::move(position);
  });
}

}  // namespace

const Tensor* Graph::initializer(const std::string& name) const noexcept {
  const auto found = initializer_at.find(name);
  return found == initializer_at.end() ? nullptr : &initializers[found->second].tensor;
}

Result<LoadedModel> load_graphs(const ModelProto& model, const TensorSource& source, const LoadOptions& options) {
  if (!model.graph) return fail(ErrorCode::kInvalidModel, "there is no graph: this is not an ONNX model");
  const GraphProto& proto = *model.graph;
  LoadedModel loaded;
  Graph& graph = loaded.graph;
  graph.ir_version = model.ir_version;
  check_ir_version(model.ir_version, graph.errors);
  graph.opset = default_opset(model.ir_version, model.opset_imports, graph.errors);
  graph.imported_opset = graph.opset;
  for (const OpsetImport& entry : model.opset_imports) {
    if (graph.opset == 0 && is_default_domain(entry.domain)) graph.imported_opset = entry.version;
  }
  const Declared declared = has_others(proto) ? Declared::kAnything : Declared::kDenseTensors;
  STREW_TRY(load_contents(graph, proto, declared, source, options));
  std::unordered_set<std::string> prefixes;
  for (const InnerGraphProto& inner_proto : model.inner) {
    InnerGraph inner{.graph = {}, .outer = inner_proto.outer};
    locate(inner, inner_proto, loaded, model, prefixes);
    Status done = load_contents(inner.graph, inner_proto.graph, Declared::kAnything, source, options);
    if (!done) return fail(found_in(inner.graph.location, std::move(done).error()));
    loaded.inner.push_back(std::move(inner));
  }
  find_addresses(loaded);
  return loaded;
}

}  // namespace strew

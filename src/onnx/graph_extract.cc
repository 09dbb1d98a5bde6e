// Extracts one node as a model of its own.
#include <algorithm>

#include "core/error.h"
#include "onnx/graph.h"

namespace strew {
namespace {

// A node, its graph, and the inferred types of its inputs and outputs.
struct Found {
  const GraphNode* node;
  const Graph* graph;
  std::optional<std::size_t> inner;  // position of the graph among the inner graphs
  const CheckReport::Node* known;
};

std::string quoted_name(std::string_view name) {
  return name.starts_with('#') ? std::string(name) : concat('\'', name, '\'');
}

class Extractor {
 public:
  Extractor(const std::shared_ptr<const LoadedModel>& model, const CheckReport& report)
      : model_(model), report_(report) {}

  Result<LoadedModel> extract(std::string_view name) {
    STREW_ASSIGN(const auto& found, find(name));
    const auto fail_node = [&](const auto&... text) {
      return fail(ErrorCode::kUnsupported, "node ", quoted_name(found.node->info.name), " is ", text...);
    };
    const GraphNode& node = *found.node;
    if (node.kind != GraphNode::Kind::kOperator)
      return fail_node(node.info.op_type, "; it must be a gather or scatter");
    if (node.has_parameters)
      return fail_node("in ", found.graph->location, "; each call of this function sets attributes of the node");
    if (node.op == nullptr) {  // unknown opset, or one without the operator
      if (!node.errors.empty()) return fail(found_in(node_where(node.info), node.errors.front()));
      return fail(ErrorCode::kInvalidModel, "node ", quoted_name(node.info.name), " is ", node.info.op_type,
                  " without a known version; the model check explains why");
    }
    return build_model(found);
  }

 private:
  // Finds a node by its name, or by its position in its graph ("#3").
  Result<Found> find(std::string_view name) const {
    std::vector<Found> named;
    std::vector<Found> placed;
    std::size_t at = 0;  // position in the report, which has nodes in the order of the loops below
    const auto look = [&](const Graph& graph, std::optional<std::size_t> inner) {
      for (std::size_t i = 0; i < graph.nodes.size(); ++i, ++at) {
        const Found here{&graph.nodes[i], &graph, inner, &report_.nodes[at]};
        if (graph.nodes[i].info.name == name) named.push_back(here);
        if (name.ends_with(concat('#', i)) && concat(graph.prefix, '#', i) == name) placed.push_back(here);
      }
    };
    look(model_->graph, std::nullopt);
    for (std::size_t i = 0; i < model_->inner.size(); ++i) look(model_->inner[i].graph, i);
    if (!placed.empty()) return placed.front();
    if (named.size() == 1) return named.front();
    if (named.size() > 1) return fail_twice(named);
    return fail_unknown(name);
  }

  static tl::unexpected<Error> fail_twice(const std::vector<Found>& named) {
    std::string names;
    for (const Found& one : named) {
      if (names.size() > 200) {
        names += ", ...";
        break;
      }
      names += concat(names.empty() ? "" : ", ", one.node->info.address);
    }
    return fail(ErrorCode::kInvalidArgument, named.size(), " nodes are named ",
                quoted_name(named.front().node->info.name), "; select one by its position: ", names);
  }

  tl::unexpected<Error> fail_unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    std::vector<std::string_view> addresses;
    for (const CheckReport::Node& node : report_.nodes) {
      if (!node.is_gather_or_scatter()) continue;
      names.push_back(node.info.name);
      addresses.push_back(node.info.address);
    }
    std::string first;
    for (std::size_t i = 0; i < names.size() && i < 5; ++i)
      first += concat(i == 0 ? "" : ", ", quoted_name(addresses[i]));
    const std::string hint = did_you_mean(name, names);
    return fail(ErrorCode::kInvalidArgument, "the model has no node '", name, "'; it has ", names.size(),
                names.size() == 1 ? " gather or scatter" : " gathers and scatters", first.empty() ? "" : ": ",
                first, names.size() > 5 ? ", ..." : "", hint);
  }

  // Returns the tensor of the value `name` if it is constant, or nullptr if it is known only during a run.
  const Tensor* constant(std::optional<std::size_t> inner, std::string name) const {
    for (;;) {
      const Graph& graph = inner ? model_->inner[*inner].graph : model_->graph;
      if (const Tensor* tensor = graph.initializer(name)) return tensor;
      const auto makes = [&](const GraphNode& node) { return std::ranges::count(node.info.outputs, name) > 0; };
      const auto maker = std::ranges::find_if(graph.nodes, makes);
      if (maker != graph.nodes.end()) {
        if (maker->kind == GraphNode::Kind::kConstant && maker->constant) return &*maker->constant;
        const bool renames = maker->kind == GraphNode::Kind::kIdentity && maker->info.inputs.size() == 1;
        if (!renames || maker->info.inputs[0] == name) return nullptr;
        name = maker->info.inputs[0];
        continue;
      }
      const bool is_input = std::ranges::find(graph.inputs, name, &ValueInfo::name) != graph.inputs.end();
      if (is_input || !inner || graph.is_function) return nullptr;
      inner = model_->inner[*inner].outer;
    }
  }

  // Returns a tensor that borrows the memory of `tensor` and keeps the model alive. Copies strings.
  Result<Tensor> share(const Tensor& tensor) const {
    if (tensor.dtype() == DType::kString) return Tensor::copy_of(tensor.view());
    return Tensor::borrow(model_, tensor.data(), tensor.dtype(), tensor.shape());
  }

  Result<LoadedModel> build_model(const Found& found) const {
    LoadedModel piece;
    Graph& graph = piece.graph;
    // From IR version 4 on, a caller may override the initializer of an input.
    graph.ir_version = std::max<std::int64_t>(model_->graph.ir_version, 4);
    graph.opset = found.graph->opset;
    graph.imported_opset = found.graph->imported_opset;
    const GraphNode& node = *found.node;
    for (const ValueInfo& input : found.known->inputs) {
      const bool is_new = std::ranges::find(graph.inputs, input.name, &ValueInfo::name) == graph.inputs.end();
      if (input.name.empty() || !is_new) continue;
      graph.inputs.push_back(input);
      const Tensor* const value = constant(found.inner, input.name);
      if (value == nullptr) continue;
      STREW_ASSIGN(auto&& tensor, share(*value));
      graph.initializer_at.emplace(input.name, graph.initializers.size());
      graph.initializers.push_back({input.name, std::move(tensor)});
    }
    for (const ValueInfo& output : found.known->outputs) graph.outputs.push_back(output);
    GraphNode& copy = graph.nodes.emplace_back();
    copy.info = node.info;
    copy.info.graph.clear();
    copy.kind = node.kind;
    copy.op = node.op;
    copy.errors = node.errors;
    return piece;
  }

  const std::shared_ptr<const LoadedModel>& model_;
  const CheckReport& report_;
};

}  // namespace

Result<LoadedModel> extract_node(const std::shared_ptr<const LoadedModel>& model, const CheckReport& report,
                                 std::string_view name) {
  return Extractor(model, report).extract(name);
}

}  // namespace strew

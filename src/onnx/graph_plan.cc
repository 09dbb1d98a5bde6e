// Makes a plan for every node of a graph, and checks the peak memory of the values.
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/size.h"
#include "onnx/graph.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

class GraphPlanner {
 public:
  GraphPlanner(const Graph& graph, const Views& given) : graph_(graph), given_(given) {}

  Result<std::vector<std::optional<Plan>>> plan() {
    std::vector<std::optional<Plan>> plans;
    plans.reserve(graph_.nodes.size());
    for (const GraphNode& node : graph_.nodes) {
      auto plan = plan_node(node);
      if (!plan) return fail(found_in(node_where(node.info), std::move(plan).error()));
      plans.push_back(std::move(*plan));
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const std::string& name = graph_.outputs[i].name;
      if (!graph_.moved_outputs[i]) STREW_TRY(hold(name, find_spec(name)));
    }
    return plans;
  }

 private:
  Result<std::optional<Plan>> plan_node(const GraphNode& node) {
    const std::string& output = node.info.outputs[0];
    std::optional<Plan> plan;
    if (node.kind == GraphNode::Kind::kConstant) {
      specs_.insert_or_assign(output, TensorSpec(*node.constant));
      return plan;
    }
    if (node.kind == GraphNode::Kind::kOperator) {
      STREW_ASSIGN(plan, plan_operator(node));
    }
    TensorSpec spec = plan ? plan->output() : find_spec(node.info.inputs[0]);
    if (!node.takes_input) STREW_TRY(hold(output, spec));
    specs_.insert_or_assign(output, std::move(spec));
    for (const std::string& name : node.spent) {
      if (!node.takes_input || name != node.info.inputs[0]) held_ -= compute_bytes(find_spec(name));
    }
    return plan;
  }

  Result<Plan> plan_operator(const GraphNode& node) const {
    std::vector<std::optional<TensorSpec>> specs;
    specs.reserve(node.info.inputs.size());
    for (const std::string& name : node.info.inputs) {
      specs.push_back(name.empty() ? std::nullopt : std::optional(find_spec(name)));
    }
    return plan_checked_node(*node.op, specs, node.info.attributes);
  }

  TensorSpec find_spec(const std::string& name) const {
    const auto found = specs_.find(name);
    return found != specs_.end() ? found->second : TensorSpec(given_.at(name));
  }

  static std::int64_t compute_bytes(const TensorSpec& spec) {
    return size_bytes(spec.dtype, element_count(spec.shape));
  }

  // Adds the memory of a tensor to held_. Fails if the sum exceeds memory plus swap.
  Status hold(std::string_view name, const TensorSpec& spec) {
    if (valid_element_count(spec.dtype, spec.shape) < 0) {
      return fail(checked_element_count("", concat("output '", name, "'"), spec.dtype, spec.shape).error());
    }
    const std::int64_t bytes = compute_bytes(spec);
    const std::int64_t most = most_bytes();
    if (bytes > most || held_ > most - bytes) {
      return fail(ErrorCode::kOutOfMemory, "output '", name, "', ", dtype_name(spec.dtype), ' ', spec.shape,
                  ", takes ", bytes, " bytes",
                  held_ > 0 ? concat(" in addition to ", held_, " in use") : std::string(),
                  "; memory and swap together have ", most, " bytes");
    }
    held_ += bytes;
    return {};
  }

  const Graph& graph_;
  const Views& given_;
  std::unordered_map<std::string_view, TensorSpec> specs_;  // specs of the nodes' outputs
  std::int64_t held_ = 0;                                   // bytes allocated for values still in use
};

}  // namespace

Result<std::vector<std::optional<Plan>>> plan_graph(const Graph& graph, const Views& given) {
  return GraphPlanner(graph, given).plan();
}

}  // namespace strew

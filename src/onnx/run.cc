// Runs nodes and graphs. For a node: checks it against the rules of its version, then runs its plan. For a graph
// that has passed its check: binds the caller's tensors to inputs, plans all nodes, runs them in order, and frees
// each tensor after its last use.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "onnx/dims.h"
#include "onnx/graph.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

Status check_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs) {
  std::vector<bool> present;
  std::vector<std::optional<DType>> types;
  for (const auto& input : inputs) {
    present.push_back(input.has_value());
    types.push_back(input ? std::optional(input->dtype) : std::nullopt);
  }
  std::vector<Error> errors;
  check_inputs(op, present, errors);
  check_types(op, types, errors);
  return errors.empty() ? Status() : Status(fail(std::move(errors.front())));
}

// Value of each symbolic dimension, and the name of the input that set it.
using Symbols = std::unordered_map<std::string, std::pair<std::int64_t, std::string>>;

Status check_input(const ValueInfo& declared, const TensorView& view, Symbols& symbols) {
  const std::string& name = declared.name;
  const ValueInfo given{name, view.dtype(), to_dims(view.shape())};
  if (contradiction(declared, given)) {
    const ErrorCode code =
        declared.dtype && *declared.dtype != view.dtype() ? ErrorCode::kInvalidType : ErrorCode::kInvalidArgument;
    return fail(code, "input '", name, "' is ", to_string(given), "; the model declares ", to_string(declared));
  }
  if (!declared.shape) return {};
  for (std::int64_t axis = 0; axis < view.rank(); ++axis) {
    const std::string& symbol = (*declared.shape)[static_cast<std::size_t>(axis)].symbol;
    if (symbol.empty()) continue;
    const auto& [value, source] = symbols.try_emplace(symbol, view.shape()[axis], name).first->second;
    if (value != view.shape()[axis]) {
      return fail(ErrorCode::kInvalidArgument, "input '", name, "' has shape ", view.shape(),
                  ", but the model declares ", to_string(*declared.shape), ": ", symbol, " is ", value,
                  " in input '", source, "'");
    }
  }
  return {};
}

Status add_given(const Graph& graph, const std::string& name, const TensorView& view, Views& views) {
  const auto found = std::ranges::find(graph.inputs, name, &ValueInfo::name);
  if (found == graph.inputs.end()) {
    std::string names;
    for (const ValueInfo& input : graph.inputs) {
      if (is_callers_input(graph, input)) names += concat(names.empty() ? "" : ", ", '\'', input.name, '\'');
    }
    return fail(ErrorCode::kInvalidArgument, "the model has no input '", name, "'; ",
                names.empty() ? std::string("it has no inputs") : concat("inputs of the model: ", names));
  }
  if (!is_callers_input(graph, *found)) {
    return fail(ErrorCode::kInvalidArgument, "input '", name, "' is fixed by an initializer (ir_version ",
                graph.ir_version, ")");
  }
  if (!views.emplace(name, view).second) {
    return fail(ErrorCode::kInvalidArgument, "input '", name, "' is given twice");
  }
  return {};
}

class GraphRunner {
 public:
  GraphRunner(const Graph& graph, Views views, const Options& options)
      : graph_(graph), options_(options), views_(std::move(views)) {}

  Result<std::vector<NamedTensor>> run(const std::vector<std::optional<Plan>>& plans) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      auto done = run_node(node, plans[i]);
      if (!done) return fail(found_in(node_where(node.info), std::move(done).error()));
      for (const std::string& name : node.spent) made_.erase(name);
    }
    std::vector<NamedTensor> outputs;
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const std::string& name = graph_.outputs[i].name;
      auto tensor = graph_.moved_outputs[i] ? std::move(made_.at(name)) : Tensor::copy_of(views_.at(name));
      if (!tensor) return fail(found_in(concat("output '", name, "'"), std::move(tensor).error()));
      outputs.push_back({name, std::move(*tensor)});
    }
    return outputs;
  }

 private:
  Status run_node(const GraphNode& node, const std::optional<Plan>& plan) {
    const std::string& output = node.info.outputs[0];
    if (node.kind == GraphNode::Kind::kConstant) {
      views_.emplace(output, node.constant->view());
      return {};
    }
    Tensor* const taken = node.takes_input ? &made_.at(node.info.inputs[0]) : nullptr;
    STREW_ASSIGN(auto&& result, plan ? run_operator(node, *plan, taken) : run_identity(node, taken));
    views_.insert_or_assign(output, result.view());
    made_.insert_or_assign(output, std::move(result));
    return {};
  }

  Result<Tensor> run_identity(const GraphNode& node, Tensor* taken) {
    if (taken != nullptr) return std::move(*taken);
    return Tensor::copy_of(views_.at(node.info.inputs[0]));
  }

  Result<Tensor> run_operator(const GraphNode& node, const Plan& plan, Tensor* taken) {
    std::vector<const TensorView*> inputs;
    for (const std::string& name : node.info.inputs) inputs.push_back(name.empty() ? nullptr : &views_.at(name));
    return run_planned_node(plan, inputs, options_, taken);
  }

  const Graph& graph_;
  const Options& options_;
  Views views_;                                   // all values; views of freed tensors dangle and are unused
  std::unordered_map<std::string, Tensor> made_;  // outputs of nodes, up to their last use
};

}  // namespace

Result<Plan> make_node_plan(const CallParams& params, const std::vector<std::optional<TensorSpec>>& inputs) {
  std::vector<const TensorSpec*> specs;
  specs.reserve(inputs.size());
  for (const auto& input : inputs) specs.push_back(input ? &*input : nullptr);
  return make_plan(params, specs);
}

Result<Plan> plan_checked_node(const OperatorVersion& op, const std::vector<std::optional<TensorSpec>>& inputs,
                               const NodeAttributes& attributes) {
  STREW_TRY(check_node(op, inputs));
  std::vector<Error> errors;
  const CallParams params = resolve_attributes(op, attributes, errors);
  if (!errors.empty()) return fail(std::move(errors.front()));
  return make_node_plan(params, inputs);
}

Result<Tensor> run_planned_node(const Plan& plan, std::span<const TensorView* const> inputs,
                                const Options& options, Tensor* in_place) {
  Result<Tensor> output = in_place != nullptr ? Result<Tensor>(std::move(*in_place))
                                              : Tensor::uninitialized(plan.dtype(), plan.output_shape());
  if (!output) return output;
  Options here = options;
  here.promises.output_is_new = in_place == nullptr;
  STREW_TRY(run(plan, operands_of(plan.op(), inputs), output->mutable_view(), here));
  return output;
}

Result<Tensor> run_node(const OperatorVersion& op, std::span<const TensorView* const> inputs,
                        const NodeAttributes& attributes, const Options& options) {
  const OperatorVersion* known = table_entry(op);
  if (known == nullptr)
    return fail(ErrorCode::kUnsupported, versioned_name(op), " is not a known operator version");
  return with_memory_for("the node", [&]() -> Result<Tensor> {
    const auto named = [&](Error error) { return fail(found_in(versioned_name(*known), std::move(error))); };
    std::vector<std::optional<TensorSpec>> specs;
    for (const TensorView* input : inputs) {
      specs.push_back(input == nullptr ? std::nullopt : std::optional(TensorSpec(*input)));
    }
    auto plan = plan_checked_node(*known, specs, attributes);
    if (!plan) return named(std::move(plan).error());
    auto output = run_planned_node(*plan, inputs, options, nullptr);
    if (!output) return named(std::move(output).error());
    return output;
  });
}

bool is_callers_input(const Graph& graph, const ValueInfo& input) {
  return graph.initializers_are_defaults() || graph.initializer(input.name) == nullptr;
}

Result<Views> bind_inputs(const Graph& graph, std::span<const std::pair<std::string, TensorView>> inputs) {
  Views views;
  for (const auto& [name, view] : inputs) STREW_TRY(add_given(graph, name, view, views));
  Symbols symbols;
  for (const ValueInfo& input : graph.inputs) {
    if (!views.contains(input.name)) {
      const Tensor* value = graph.initializer(input.name);
      if (value == nullptr) return fail(ErrorCode::kInvalidArgument, "input '", input.name, "' is missing");
      views.emplace(input.name, value->view());
    }
    STREW_TRY(check_input(input, views.at(input.name), symbols));
  }
  return views;
}

Result<std::vector<NamedTensor>> run_graph(const Graph& graph,
                                           std::span<const std::pair<std::string, TensorView>> inputs,
                                           const Options& options) {
  STREW_ASSIGN(auto&& views, bind_inputs(graph, inputs));
  for (const auto& [name, tensor] : graph.initializers) views.emplace(name, tensor.view());
  STREW_ASSIGN(const auto& plans, plan_graph(graph, views));
  return GraphRunner(graph, std::move(views), options).run(plans);
}

}  // namespace strew

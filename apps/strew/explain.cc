// The plan of a call of `strew op`, and the account of its strategy.
#include "explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "format.h"

namespace strew::app {
namespace {

Result<Plan> make_plan(const OpOptions& options, const std::vector<Tensor>& operands) {
  const std::string& op = options.op_type;
  const TensorSpec data(operands[0]);
  const TensorSpec second(operands[1]);
  const std::int64_t axis = options.axis.value_or(0);
  const Reduction reduction = reduction_from_name(options.reduction.value_or("none")).value_or(Reduction::kNone);
  if (op == "Gather") return make_gather_plan(data, second, {axis});
  if (op == "GatherElements") return make_gather_elements_plan(data, second, {axis});
  if (op == "GatherND") return make_gather_nd_plan(data, second, {options.batch_dims.value_or(0)});
  if (op == "TensorScatter") {
    const WriteMode mode = write_mode_from_name(options.mode.value_or("linear")).value_or(WriteMode::kLinear);
    std::optional<TensorSpec> write_indices;
    if (operands.size() > 2) write_indices = TensorSpec(operands[2]);
    return make_tensor_scatter_plan(data, second, write_indices, {options.axis.value_or(-2), mode});
  }
  if (op == "ScatterND") return make_scatter_nd_plan(data, second, operands[2], {reduction});
  return make_scatter_elements_plan(data, second, operands[2], {axis, reduction});
}

Operands operands_of(const Plan& plan, const std::vector<Tensor>& operands) {
  Operands views{operands[0].view()};
  const bool cache = plan.op() == OpKind::kTensorScatter;
  if (!cache) views.indices = operands[1].view();
  if (cache && operands.size() > 2) views.indices = operands[2].view();
  if (plan.is_scatter()) views.updates = operands[cache ? 1 : 2].view();
  return views;
}

std::string means_text(const Explanation& explanation) {
  std::vector<std::string> means;
  if (explanation.scratch_bytes > 0) means.push_back(size_text(explanation.scratch_bytes) + " of scratch memory");
  if (explanation.prefetch_ahead > 0) {
    means.push_back(fmt::format("asks for memory {} positions ahead", explanation.prefetch_ahead));
  }
  if (explanation.prefetch_parts) means.emplace_back("asks for the next part of data ahead");
  if (explanation.prefetch_indices) means.emplace_back("asks for the next index values ahead");
  if (explanation.streams) means.emplace_back("writes past the caches");
  if (explanation.reads_once) means.emplace_back("reads indices once");
  return means.empty() ? "" : fmt::format("  {}\n", fmt::join(means, ", "));
}

std::string facts_text(const Explanation& explanation) {
  if (explanation.highest_index < explanation.lowest_index) return "";
  return fmt::format("indices {} to {} on the first indexed axis{}\n", explanation.lowest_index,
                     explanation.highest_index, explanation.constant_rows ? ", constant along their last" : "");
}

}  // namespace

Result<StrategyKind> find_strategy(const std::string& name) {
  if (const auto kind = strategy_from_name(name)) return *kind;
  std::vector<std::string_view> names;
  for (std::uint8_t number = 0; strategy_from_name(strategy_name(static_cast<StrategyKind>(number))); ++number) {
    names.push_back(strategy_name(static_cast<StrategyKind>(number)));
  }
  return fail(ErrorCode::kInvalidArgument, "--strategy {}: no such strategy{}", name, choices_text(name, names));
}

Result<Explanation> explain_call(const OpOptions& options, const std::vector<Tensor>& operands,
                                 const Options& run_options) {
  const auto plan = make_plan(options, operands);
  if (!plan) return fail(plan.error());
  auto output = Tensor::uninitialized(plan->dtype(), plan->output_shape());
  if (!output) return fail(std::move(output).error());
  return explain(*plan, operands_of(*plan, operands), output->mutable_view(), run_options);
}

std::string explanation_text(const Explanation& explanation) {
  const Strategy& strategy = explanation.strategy;
  std::string text = fmt::format("strategy {}, {}: {}\n{}{}", strategy_name(strategy.kind),
                                 count_text(strategy.task_count, "task"), strategy.reason, means_text(explanation),
                                 facts_text(explanation));
  std::vector<std::vector<std::string>> others;
  for (const Considered& one : explanation.considered) {
    if (one.kind == strategy.kind) continue;
    others.push_back({fmt::format("not {}{}", strategy_name(one.kind), one.applies ? ":" : ", ever:"),
                      std::string(one.reason)});
  }
  return others.empty() ? text : text + columns_text(others);
}

Json explanation_json(const Explanation& explanation) {
  const Strategy& strategy = explanation.strategy;
  Json considered = Json::array();
  for (const Considered& one : explanation.considered) {
    considered.push_back({{"name", strategy_name(one.kind)},
                          {"applies", one.applies},
                          {"scratch_bytes", one.scratch_bytes},
                          {"reason", one.reason}});
  }
  return {{"name", strategy_name(strategy.kind)},
          {"tasks", strategy.task_count},
          {"reason", strategy.reason},
          {"scratch_bytes", explanation.scratch_bytes},
          {"prefetch_ahead", explanation.prefetch_ahead},
          {"prefetch_parts", explanation.prefetch_parts},
          {"prefetch_indices", explanation.prefetch_indices},
          {"streams", explanation.streams},
          {"reads_once", explanation.reads_once},
          {"indices",
           {{"lowest", explanation.lowest_index},
            {"highest", explanation.highest_index},
            {"constant_rows", explanation.constant_rows}}},
          {"considered", std::move(considered)}};
}

}  // namespace strew::app

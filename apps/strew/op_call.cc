#include "op_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "format.h"
#include "strew/picture.h"

namespace strew::app {
namespace {

// Sets the operator of an error to "scatter" if the user named Scatter, which runs as ScatterElements.
Error named_as(const std::string& op_type, Error error) {
  if (op_type == "Scatter") error.details().subject.op = "scatter";
  return error;
}

std::string means_text(const Explanation& explanation) {
  std::vector<std::string> means;
  if (explanation.scratch_bytes > 0) means.push_back(size_text(explanation.scratch_bytes) + " of scratch memory");
  if (explanation.prefetch_distance > 0) {
    means.push_back(fmt::format("prefetch distance {} positions", explanation.prefetch_distance));
  }
  if (explanation.prefetch_blocks) means.emplace_back("prefetches the next part of data");
  if (explanation.prefetch_indices) means.emplace_back("prefetches index values");
  if (explanation.non_temporal_stores) means.emplace_back("non-temporal stores");
  if (explanation.reads_once) means.emplace_back("reads indices once");
  return means.empty() ? "" : fmt::format("  {}\n", fmt::join(means, ", "));
}

std::string facts_text(const Explanation& explanation) {
  if (explanation.highest_index < explanation.lowest_index) return "";
  return fmt::format("indices {} to {} on the first indexed axis{}\n", explanation.lowest_index,
                     explanation.highest_index,
                     explanation.constant_rows ? ", constant along their last axis" : "");
}

std::string rules_text(const IndexRules& rules, bool outside) {
  if (rules == IndexRules()) return "";
  return fmt::format("indices outside their axis{}: {}; {} found\n",
                     rules.negative_indices == NegativeIndices::kOutOfBounds ? " (including negative ones)" : "",
                     out_of_bounds_name(rules.out_of_bounds), outside ? "some" : "none");
}

}  // namespace

OpKind op_kind(std::string_view op_type) noexcept {
  return std::ranges::find(operator_versions(), op_type, &OperatorVersion::op_type)->op;
}

Operands make_operands(OpKind kind, const std::vector<Tensor>& operands) {
  const std::vector<TensorView> views(operands.begin(), operands.end());
  std::vector<const TensorView*> inputs;
  inputs.reserve(views.size());
  for (const TensorView& view : views) inputs.push_back(&view);
  return strew::operands_of(kind, inputs);
}

Result<OpCall> make_op_call(const OpOptions& options, const std::vector<Tensor>& operands) {
  CallParams params{.op = op_kind(options.op_type)};
  std::vector<Tensor> elements;
  STREW_TRY(set_attributes(params, options, operands[0].dtype(), elements));
  Operands views = make_operands(params.op, operands);
  auto plan = make_plan(params, views.data, views.indices, views.updates);
  if (!plan) return fail(named_as(options.op_type, std::move(plan).error()));
  return OpCall{std::move(*plan), std::move(views), std::move(elements)};
}

Result<Tensor> run_op_call(const OpOptions& options, const OpCall& call, Options run_options) {
  auto output = Tensor::uninitialized(call.plan.dtype(), call.plan.output_shape());
  if (!output) return output;
  run_options.promises.output_is_new = true;
  Status done = run(call.plan, call.operands, output->mutable_view(), run_options);
  if (!done) return fail(named_as(options.op_type, std::move(done).error()));
  return output;
}

Status check_picture(const std::string& file) {
  if (std::filesystem::path(file).extension() == ".svg") return {};
  return fail(ErrorCode::kInvalidArgument,
              "--picture {}: the name of a picture must end in .svg; rsvg-convert converts SVG to PNG", file);
}

Status save_picture(const OpOptions& options, const OperatorVersion& op, const std::vector<Tensor>& operands,
                    const std::optional<Error>& refusal) {
  const OpKind kind = op_kind(options.op_type);
  const std::string title = fmt::format("{}-{}", op.op_type, op.since_version);
  const auto call = refusal ? Result<OpCall>(fail(*refusal)) : make_op_call(options, operands);
  errno = 0;
  std::ofstream file(options.picture, std::ios::binary);
  file << (call ? draw(kind, call->plan, call->operands, {title})
                : draw(kind, fail(call.error()), make_operands(kind, operands), {title}));
  file.close();
  if (file) return {};
  return fail(ErrorCode::kIo, "--picture {}: cannot write: {}", options.picture, std::strerror(errno));
}

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (std::uint8_t number = 0; strategy_from_name(strategy_name(static_cast<StrategyKind>(number))); ++number) {
    names.push_back(strategy_name(static_cast<StrategyKind>(number)));
  }
  return names;
}

Result<StrategyKind> find_strategy(const std::string& name) {
  if (const auto kind = strategy_from_name(name)) return *kind;
  return fail(ErrorCode::kInvalidArgument, "--strategy {}: no such strategy{}", name,
              choices_text(name, strategy_names()));
}

Result<Explanation> explain_call(const OpCall& call, const Options& run_options) {
  STREW_ASSIGN(auto&& output, Tensor::uninitialized(call.plan.dtype(), call.plan.output_shape()));
  return explain(call.plan, call.operands, output.mutable_view(), run_options);
}

std::string explanation_text(const OpCall& call, const Explanation& explanation) {
  const Strategy& strategy = explanation.strategy;
  std::string text =
      fmt::format("strategy {}, {}: {}\n{}{}", strategy_name(strategy.kind),
                  count_text(strategy.task_count, "task"), strategy.reason, means_text(explanation),
                  facts_text(explanation) + rules_text(call.plan.rules(), explanation.any_out_of_bounds));
  std::vector<std::vector<std::string>> others;
  for (const Considered& one : explanation.considered) {
    if (one.kind == strategy.kind) continue;
    others.push_back(
        {fmt::format("{} {}:", one.applies ? "not" : "never", strategy_name(one.kind)),
         one.applies ? fmt::format("{} ({} expected, {} of processor time)", one.reason,
                                   time_text(one.nanoseconds * 1e-9), time_text(one.processor_nanoseconds * 1e-9))
                     : std::string(one.reason)});
  }
  return others.empty() ? text : text + columns_text(others);
}

Json explanation_json(const OpCall& call, const Explanation& explanation) {
  const IndexRules& rules = call.plan.rules();
  const Strategy& strategy = explanation.strategy;
  Json considered = Json::array();
  for (const Considered& one : explanation.considered) {
    considered.push_back({{"name", strategy_name(one.kind)},
                          {"applies", one.applies},
                          {"scratch_bytes", one.scratch_bytes},
                          {"nanoseconds", one.nanoseconds},
                          {"processor_nanoseconds", one.processor_nanoseconds},
                          {"reason", one.reason}});
  }
  return {{"name", strategy_name(strategy.kind)},
          {"tasks", strategy.task_count},
          {"reason", strategy.reason},
          {"scratch_bytes", explanation.scratch_bytes},
          {"prefetch_distance", explanation.prefetch_distance},
          {"prefetch_blocks", explanation.prefetch_blocks},
          {"prefetch_indices", explanation.prefetch_indices},
          {"non_temporal_stores", explanation.non_temporal_stores},
          {"reads_once", explanation.reads_once},
          {"indices",
           {{"lowest", explanation.lowest_index},
            {"highest", explanation.highest_index},
            {"constant_rows", explanation.constant_rows},
            {"any_out_of_bounds", explanation.any_out_of_bounds},
            {"out_of_bounds", out_of_bounds_name(rules.out_of_bounds)},
            {"negative_indices", negative_indices_name(rules.negative_indices)}}},
          {"considered", std::move(considered)}};
}

}  // namespace strew::app

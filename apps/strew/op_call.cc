// Calls of the library from a line of `strew op`.
#include "op_call.h"

#include <algorithm>

#include "choice.h"
#include "parse_element.h"

namespace strew::app {
namespace {

// What the words on a line stand for.
struct Words {
  IndexRules rules;
  Reduction reduction = Reduction::kNone;
  Accumulate accumulate = Accumulate::kData;
  WriteMode mode = WriteMode::kLinear;
};

Result<Words> words_of(const OpOptions& options) {
  const auto out_of_bounds = choice("--out-of-bounds", options.out_of_bounds, OutOfBounds::kError,
                                    out_of_bounds_name, out_of_bounds_from_name);
  if (!out_of_bounds) return fail(out_of_bounds.error());
  const auto negative = choice("--negative-indices", options.negative_indices, NegativeIndices::kFromEnd,
                               negative_indices_name, negative_indices_from_name);
  if (!negative) return fail(negative.error());
  const auto reduction =
      choice("--reduction", options.reduction, Reduction::kNone, reduction_name, reduction_from_name);
  if (!reduction) return fail(reduction.error());
  const auto accumulate =
      choice("--accumulate", options.accumulate, Accumulate::kData, accumulate_name, accumulate_from_name);
  if (!accumulate) return fail(accumulate.error());
  const auto mode = choice("--mode", options.mode, WriteMode::kLinear, write_mode_name, write_mode_from_name);
  if (!mode) return fail(mode.error());
  return Words{{*out_of_bounds, *negative}, *reduction, *accumulate, *mode};
}

// `scalar` is the fill_value of a gather, the alpha of a scatter.
Result<Plan> make_plan(const OpOptions& options, const std::vector<Tensor>& operands, const Words& words,
                       const std::optional<TensorView>& scalar) {
  const std::string& op = options.op_type;
  const TensorSpec data(operands[0]);
  const TensorSpec second(operands[1]);
  const std::int64_t axis = options.axis.value_or(0);
  const bool include_self = !options.without_self;
  if (op == "Gather") return make_gather_plan(data, second, {axis, words.rules, scalar});
  if (op == "GatherElements") return make_gather_elements_plan(data, second, {axis, words.rules, scalar});
  if (op == "GatherND") {
    return make_gather_nd_plan(data, second, {options.batch_dims.value_or(0), words.rules, scalar});
  }
  if (op == "TensorScatter") {
    std::optional<TensorSpec> write_indices;
    if (operands.size() > 2) write_indices = TensorSpec(operands[2]);
    return make_tensor_scatter_plan(data, second, write_indices, {options.axis.value_or(-2), words.mode});
  }
  if (op == "ScatterND") {
    return make_scatter_nd_plan(data, second, operands[2],
                                {words.reduction, words.rules, include_self, words.accumulate, scalar});
  }
  return make_scatter_elements_plan(data, second, operands[2],
                                    {axis, words.reduction, words.rules, include_self, words.accumulate, scalar});
}

// Refuses an option that the operator has no use for, and says what is meant for it.
Status check_options(const OpOptions& options) {
  const std::string& op = options.op_type;
  const bool gathers = op.starts_with("Gather");
  if (op == "TensorScatter" && (options.out_of_bounds || options.negative_indices)) {
    return fail(ErrorCode::kInvalidArgument,
                "op: --out-of-bounds and --negative-indices are for the other operators, not for TensorScatter");
  }
  if (options.fill_value && !gathers) {
    return fail(ErrorCode::kInvalidArgument,
                "op: --fill-value is for gathers; scatters can leave updates out: --out-of-bounds drop");
  }
  if ((gathers || op == "TensorScatter") && (options.without_self || options.accumulate || options.alpha)) {
    return fail(ErrorCode::kInvalidArgument,
                "op: --no-include-self, --accumulate and --alpha are for scatters with a reduction, not for {}",
                op);
  }
  return {};
}

// An error in the name of Scatter, which the library does not have.
Error named_as(const std::string& op_type, Error error) {
  if (op_type == "Scatter")
    error.message.replace(0, std::min(error.message.find(':'), error.message.size()), "scatter");
  return error;
}

}  // namespace

OpKind op_kind(std::string_view op_type) noexcept {
  if (op_type == "Gather") return OpKind::kGather;
  if (op_type == "GatherElements") return OpKind::kGatherElements;
  if (op_type == "GatherND") return OpKind::kGatherND;
  if (op_type == "ScatterND") return OpKind::kScatterND;
  return op_type == "TensorScatter" ? OpKind::kTensorScatter : OpKind::kScatterElements;
}

Operands operands_of(OpKind kind, const std::vector<Tensor>& operands) {
  Operands views{operands[0].view()};
  const bool cache = kind == OpKind::kTensorScatter;
  if (!cache) views.indices = operands[1].view();
  if (cache && operands.size() > 2) views.indices = operands[2].view();
  if (kind >= OpKind::kScatterElements) views.updates = operands[cache ? 1 : 2].view();
  return views;
}

Result<OpCall> make_op_call(const OpOptions& options, const std::vector<Tensor>& operands) {
  if (Status checked = check_options(options); !checked) return fail(std::move(checked).error());
  const auto words = words_of(options);
  if (!words) return fail(words.error());
  std::optional<Tensor> scalar;
  std::optional<TensorView> view;
  if (const auto& text = options.fill_value ? options.fill_value : options.alpha) {
    auto value = parse_element(operands[0].dtype(), *text);
    if (!value) return fail_in(options.fill_value ? "--fill-value" : "--alpha", std::move(value).error());
    scalar = std::move(*value);
    view = scalar->view();
  }
  auto plan = make_plan(options, operands, *words, view);
  if (!plan) return fail(named_as(options.op_type, std::move(plan).error()));
  Operands views = operands_of(plan->op(), operands);
  (plan->is_scatter() ? views.alpha : views.fill_value) = view;
  return OpCall{std::move(*plan), std::move(views), std::move(scalar)};
}

Result<Tensor> run_op_call(const OpOptions& options, const OpCall& call, Options run_options) {
  auto output = Tensor::uninitialized(call.plan.dtype(), call.plan.output_shape());
  if (!output) return output;
  run_options.output_is_new = true;
  Status done = run(call.plan, call.operands, output->mutable_view(), run_options);
  if (!done) return fail(named_as(options.op_type, std::move(done).error()));
  return output;
}

}  // namespace strew::app

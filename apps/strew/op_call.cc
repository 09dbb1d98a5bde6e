// Makes, runs and draws calls of the library from the arguments of `strew op`.
#include "op_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "attributes.h"
#include "strew/operators.h"
#include "strew/picture.h"

namespace strew::app {
namespace {

// Renames an error for Scatter, which the library does not have.
Error named_as(const std::string& op_type, Error error) {
  if (op_type == "Scatter") error.details().subject.op = "scatter";
  return error;
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
  if (Status set = set_attributes(params, options, operands[0].dtype(), elements); !set) {
    return fail(std::move(set).error());
  }
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
              "--picture {}: the name of a picture ends in .svg; rsvg-convert makes a PNG of one", file);
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

}  // namespace strew::app

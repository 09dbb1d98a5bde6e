// strew op: runs one operator on tensor files, without a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "op_call.h"
#include "parse_element.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/testing.h"
#include "tensor_argument.h"

namespace strew::app {
namespace {

// Returns the version for --opset, or the newest one.
Result<const OperatorVersion*> find_version(const OpOptions& options) {
  auto version = find_operator(options.op_type, options.opset.value_or(kNewestOpset));
  if (!version) return fail(version.error().code, "op: {}", version.error().text);
  if (options.opset && (*version)->deprecated) {
    return fail(ErrorCode::kInvalidArgument,
                "op: {} has been deprecated since opset {}; use ScatterElements, or leave out --opset",
                options.op_type, (*version)->since_version);
  }
  return version;
}

Result<std::vector<Tensor>> load_operands(const OperatorVersion& op, const OpOptions& options) {
  const auto required = static_cast<std::size_t>(
      std::count_if(op.inputs.begin(), op.inputs.end(), [](const InputInfo& input) { return !input.optional; }));
  if (options.files.size() < required || options.files.size() > op.inputs.size()) {
    std::vector<std::string> names;
    for (const InputInfo& input : op.inputs) {
      names.push_back(input.optional ? fmt::format("[{}]", input.name) : std::string(input.name));
    }
    return fail(ErrorCode::kInvalidArgument, "op: {} takes {}, each a file or a list such as [[3],[0]]; {} given",
                op.op_type, fmt::join(names, " "), options.files.size());
  }
  std::optional<DType> dtype;
  if (!options.dtype.empty()) {
    STREW_ASSIGN(dtype, find_dtype(options.dtype, "--dtype"));
  }
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    // A literal for updates has the type of data, as in Python.
    const bool as_data = i > 0 && !dtype && is_literal(options.files[i]);
    STREW_ASSIGN(auto&& tensor, load_input(options.files[i], op.inputs[i].is_index() ? std::nullopt
                                                             : as_data               ? operands[0].dtype()
                                                                                     : dtype));
    operands.push_back(std::move(tensor));
  }
  return operands;
}

Result<Tensor> call_version(const OperatorVersion& op, const NodeAttributes& attributes,
                            const std::vector<Tensor>& operands, const Options& run) {
  std::vector<TensorView> views(operands.begin(), operands.end());
  std::vector<const TensorView*> inputs(op.inputs.size(), nullptr);
  for (std::size_t i = 0; i < views.size(); ++i) inputs[i] = &views[i];
  return run_node(op, inputs, attributes, run);
}

Result<Options> make_run_options(const OpOptions& options, Executor& executor) {
  Options chosen{.executor = &executor, .reject_duplicates = options.reject_duplicates};
  if (!options.strategy.empty()) {
    STREW_ASSIGN(auto&& strategy, find_strategy(options.strategy));
    chosen.overrides = force_strategy(strategy);
  }
  if (options.scratch_limit) chosen.limits.scratch_bytes = *options.scratch_limit;
  return chosen;
}

Error with_way_out(Error error) {
  if (error.code == ErrorCode::kOutOfMemory) {
    error.text += "; the Python module strew.dask handles arrays that are larger than memory (docs/dask.md)";
  }
  return error;
}

// Adds the names of the files to an error about types, since a wrong type often means a wrong file.
Error with_files(Error error, const OperatorVersion& op, const std::vector<std::string>& files) {
  if (error.code != ErrorCode::kInvalidType) return with_way_out(std::move(error));
  for (std::size_t i = 0; i < files.size(); ++i) {
    error.text += fmt::format("{}{}: {}", i == 0 ? " (" : ", ", op.inputs[i].name, one_line(files[i]));
  }
  error.text += ')';
  return error;
}

Status draw_if_wanted(const OpOptions& options, const OperatorVersion& op, const std::vector<Tensor>& operands,
                      const std::optional<Error>& refusal = std::nullopt) {
  return options.picture.empty() ? Status() : save_picture(options, op, operands, refusal);
}

// Returns the number of bytes that a call reads and writes. A gather reads as many bytes of data as it writes.
std::int64_t bytes_moved(const OperatorVersion& op, const std::vector<Tensor>& operands, const Tensor& output) {
  std::int64_t bytes = content_bytes(output);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool gathered = i == 0 && op.op_type.starts_with("Gather");
    bytes += content_bytes(gathered ? output : operands[i]);
  }
  return bytes;
}

void print_account(const OpOptions& options, const OperatorVersion& op, const std::vector<Tensor>& operands,
                   const Measured<Tensor>& result, const OpCall* call,
                   const std::optional<Explanation>& explanation, int thread_count) {
  const SessionOptions& session = options.session;
  const std::int64_t bytes = bytes_moved(op, operands, result.value);
  if (!session.json) {
    const std::string name = options.output.empty() ? std::string(op.output) : options.output;
    std::vector<std::string> row = tensor_columns(name, result.value, false);
    row.push_back(median_text(result.seconds, session.repeat));
    if (bytes >= kLeastForRate) row.push_back(rate_text(bytes, result.seconds));
    if (session.hash) row.push_back(tensor_columns(name, result.value, true).back());
    std::FILE* const stream = options.output == kStream ? stderr : stdout;
    fmt::print(stream, "{}{}\n", columns_text({row}), to_string(result.value));
    if (explanation) fmt::print(stream, "{}", explanation_text(*call, *explanation));
    if (!options.picture.empty()) fmt::print(stream, "{}  picture of the call\n", one_line(options.picture));
    return;
  }
  Json object = {{"operator", op.op_type},
                 {"version", options.opset ? Json(op.since_version) : Json(nullptr)},
                 {"inputs", Json::array()}};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    object["inputs"].push_back(
        tensor_json({std::string(op.inputs[i].name), &operands[i], options.files[i]}, false, false));
  }
  object["output"] = tensor_json({std::string(op.output), &result.value, options.output}, session.hash, true);
  if (explanation) object["strategy"] = explanation_json(*call, *explanation);
  add_speed_json(object, session, thread_count, bytes, result.seconds);
  print_json(object);
}

}  // namespace

Result<int> run_command(const OpOptions& options) {
  STREW_ASSIGN(const auto& op, find_version(options));
  const NodeAttributes attributes = given_attributes(options);
  if (!options.opset) {
    STREW_TRY(check_attributes("op", *op, options));
  } else {  // run_node checks ONNX's attributes
    for (const AttributeInfo& attribute : attributes_beyond_onnx()) {
      if (!options.given.contains(attribute.name)) continue;
      return fail(ErrorCode::kInvalidArgument, "op: ONNX has no {}; leave out --opset", option_name(attribute));
    }
  }
  if (!options.output.empty()) {
    STREW_TRY(check_output(options.output, options.session.json));
  }
  if (!options.picture.empty()) {
    STREW_TRY(check_picture(options.picture));
  }
  STREW_ASSIGN(auto&& threads, make_threads(options.session.threads));
  const auto operands = load_operands(*op, options);
  if (!operands) return fail(with_way_out(operands.error()));

  STREW_ASSIGN(const auto& run_options, make_run_options(options, *threads.executor));
  const auto refuse = [&](Error error) -> Result<int> {
    if (Status drawn = draw_if_wanted(options, *op, *operands, error); !drawn) {
      return report_unwritten(drawn.error(), options.picture, options.session.json);
    }
    return fail(with_files(std::move(error), *op, options.files));
  };
  std::optional<OpCall> call;
  if (!options.opset || options.explain_strategy) {
    auto new_call = make_op_call(options, *operands);
    if (!new_call) return refuse(std::move(new_call).error());
    call = std::move(*new_call);
  }
  const auto result = measure(options.session.repeat, [&] {
    return options.opset ? call_version(*op, attributes, *operands, run_options)
                         : run_op_call(options, *call, run_options);
  });
  if (!result) return refuse(result.error());
  if (Status drawn = draw_if_wanted(options, *op, *operands); !drawn) {
    return report_unwritten(drawn.error(), options.picture, options.session.json);
  }
  if (!options.output.empty()) {
    Status saved = save_output(options.output, result->value, std::string(op->output));
    if (!saved) return report_unwritten(saved.error(), options.output, options.session.json);
  }
  std::optional<Explanation> explanation;
  if (options.explain_strategy) {
    STREW_ASSIGN(explanation, explain_call(*call, run_options));
  }
  print_account(options, *op, *operands, *result, call ? &*call : nullptr, explanation,
                threads.executor->thread_count());
  return kSuccess;
}

}  // namespace strew::app

// strew run: runs a model on tensor files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "parse_element.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "tensor_argument.h"

namespace strew::app {
namespace {

std::string names_text(const std::vector<ValueInfo>& values) {
  std::string text;
  for (const ValueInfo& value : values) text += (text.empty() ? "'" : ", '") + one_line(value.name) + "'";
  return text.empty() ? "none" : text;
}

std::vector<std::string_view> list_names(const std::vector<ValueInfo>& values) {
  std::vector<std::string_view> names;
  names.reserve(values.size());
  for (const ValueInfo& value : values) names.push_back(value.name);
  return names;
}

bool has_name(const std::vector<ValueInfo>& values, const std::string& name) {
  return std::any_of(values.begin(), values.end(), [&](const ValueInfo& value) { return value.name == name; });
}

// Parses the arguments of -i or -o, each of which must name a different value of the model.
Result<std::vector<FileArgument>> parse_arguments(const std::vector<std::string>& texts, const std::string& option,
                                                  const std::vector<ValueInfo>& values, const std::string& what) {
  std::vector<FileArgument> arguments;
  for (const std::string& text : texts) {
    auto argument = parse_file_argument(text, option);
    if (!argument) {
      argument.error().text += fmt::format("; {}s of the model: {}", what, names_text(values));
      return fail(std::move(argument).error());
    }
    // The name of a value may itself end with a type, as in "x:int8".
    const std::string whole = text.substr(0, text.find('='));
    if (argument->dtype && has_name(values, whole)) *argument = {whole, std::nullopt, argument->file};
    const std::size_t colon = whole.rfind(':');
    if (!has_name(values, argument->name) && colon != std::string::npos &&
        has_name(values, whole.substr(0, colon))) {
      return fail(ErrorCode::kInvalidArgument, "{} {}: no such element type '{}'", option, text,
                  whole.substr(colon + 1));
    }
    if (!has_name(values, argument->name)) {
      return fail(ErrorCode::kInvalidArgument, "{} {}: the model has no {} '{}'; it has {}{}", option, text, what,
                  argument->name, names_text(values), did_you_mean(argument->name, list_names(values)));
    }
    for (const FileArgument& earlier : arguments) {
      if (earlier.name == argument->name) {
        return fail(ErrorCode::kInvalidArgument, "{} {}: {} '{}' is given twice", option, text, what,
                    earlier.name);
      }
    }
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

// The operator's names for the inputs or the output of a node, with the model's names for the same values.
using Roles = std::vector<std::pair<std::string_view, std::string>>;

Roles find_roles(const NodeInfo& node, bool outputs) {
  const auto op = find_operator(node.op_type, node.since_version);
  Roles roles;
  if (!op) return roles;
  if (outputs) return {{(*op)->output, node.outputs.front()}};
  for (std::size_t i = 0; i < node.inputs.size() && i < (*op)->inputs.size(); ++i) {
    if (!node.inputs[i].empty()) roles.emplace_back((*op)->inputs[i].name, node.inputs[i]);
  }
  return roles;
}

// Translates "data=a.npy" to "/Mul_output_0=a.npy"; names of the model stay unchanged.
std::string with_own_name(const std::string& text, const Roles& roles, const std::vector<ValueInfo>& values) {
  const std::string whole = text.substr(0, text.find('='));
  const std::string name = whole.substr(0, has_name(values, whole) ? std::string::npos : whole.rfind(':'));
  if (has_name(values, name)) return text;
  for (const auto& [role, value] : roles) {
    if (role == name) return value + text.substr(name.size());
  }
  return text;
}

std::vector<std::string> with_own_names(std::vector<std::string> texts, const Roles& roles,
                                        const std::vector<ValueInfo>& values) {
  for (std::string& text : texts) text = with_own_name(text, roles, values);
  return texts;
}

// Adds the operator's names, each with the model's name for the same value, to a message.
Error with_roles(Error error, const Roles& roles) {
  for (const auto& [role, value] : roles) {
    error.text += fmt::format("{}{} for '{}'", &role == &roles.front().first ? "; the operator's names: " : ", ",
                              role, one_line(value, 60));
  }
  return error;
}

// Returns the canonical path of a file that may not exist yet.
std::filesystem::path canonical_path(const std::string& file) {
  std::error_code unknown;
  auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(file, unknown), unknown);
  return unknown ? std::filesystem::path(file) : place;
}

Status check_outputs(const std::vector<FileArgument>& outputs, bool json) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    STREW_TRY(check_output(outputs[i].file, json));
    if (outputs[i].dtype) {
      return fail(ErrorCode::kInvalidArgument, "-o {}: leave out the type, which the model determines",
                  outputs[i].name);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (canonical_path(outputs[i].file) == canonical_path(outputs[j].file)) {
        return fail(ErrorCode::kInvalidArgument, "-o: outputs '{}' and '{}' go to the same file {}",
                    outputs[j].name, outputs[i].name, outputs[i].file);
      }
    }
  }
  return {};
}

// Returns an error that lists all inputs that have neither a file nor a default.
Status check_all_given(const Model& model, const std::vector<FileArgument>& given) {
  std::vector<ValueInfo> missing;
  for (const ValueInfo& input : model.inputs()) {
    const bool has_file = std::ranges::find(given, input.name, &FileArgument::name) != given.end();
    if (!has_file && !model.has_default(input.name)) missing.push_back(input);
  }
  if (missing.empty()) return {};
  return fail(ErrorCode::kInvalidArgument, "no file for {} {}; give -i NAME=FILE",
              missing.size() == 1 ? "input" : "inputs", names_text(missing));
}

struct Account {
  const RunOptions& options;
  const std::vector<ShownTensor>& inputs;
  const std::vector<ShownTensor>& outputs;
  int thread_count;
  double seconds;
};

std::int64_t count_bytes(const std::vector<ShownTensor>& tensors) {
  std::int64_t bytes = 0;
  for (const ShownTensor& shown : tensors) bytes += content_bytes(*shown.tensor);
  return bytes;
}

void print_account_json(const Account& account) {
  const SessionOptions& session = account.options.session;
  Json object = {{"model", account.options.model}, {"inputs", Json::array()}, {"outputs", Json::array()}};
  for (const ShownTensor& input : account.inputs) object["inputs"].push_back(tensor_json(input, false, false));
  for (const ShownTensor& output : account.outputs) {
    object["outputs"].push_back(tensor_json(output, session.hash, true));
  }
  add_speed_json(object, session, account.thread_count, count_bytes(account.inputs) + count_bytes(account.outputs),
                 account.seconds);
  print_json(object);
}

void print_account(const Account& account) {
  const SessionOptions& session = account.options.session;
  const bool streamed = std::ranges::find(account.outputs, kStream, &ShownTensor::file) != account.outputs.end();
  std::FILE* const stream = streamed ? stderr : stdout;
  for (const ShownTensor& output : account.outputs) {
    std::vector<std::string> row = tensor_columns(output.name, *output.tensor, session.hash);
    if (!output.file.empty()) row.push_back("-> " + output.file);
    fmt::print(stream, "{}{}\n\n", columns_text({row}), to_string(*output.tensor));
  }
  const std::int64_t bytes = count_bytes(account.inputs) + count_bytes(account.outputs);
  fmt::print(stream, "{}{} (inputs and outputs: {})\n", median_text(account.seconds, session.repeat),
             bytes < kLeastForRate ? "" : "  " + rate_text(bytes, account.seconds), size_text(bytes));
}

Status save_outputs(const std::vector<NamedTensor>& results, const std::vector<FileArgument>& outputs,
                    std::vector<ShownTensor>& shown, std::string& file) {
  for (const NamedTensor& result : results) {
    shown.push_back({result.name, &result.tensor, ""});
    for (const FileArgument& output : outputs) {
      if (output.name != result.name) continue;
      shown.back().file = file = output.file;
      STREW_TRY(save_output(output.file, result.tensor, result.name));
    }
  }
  return {};
}

}  // namespace

Result<int> run_command(const RunOptions& options) {
  STREW_ASSIGN(auto&& threads, make_threads(options.session.threads));
  auto model = Model::load(options.model,
                           {.allow_deprecated = options.allow_deprecated, .links_within = options.links_within});
  if (model && !options.node.empty()) model = model->extract(options.node);
  if (!model) return fail_in(options.model, model.error());
  if (Status runnable = model->runnable(); !runnable) {
    if (!model->check().unchecked.empty()) {
      runnable.error().text += "; --node NAME runs one gather or scatter ('strew check' shows them)";
    }
    return fail_in(options.model, std::move(runnable).error());
  }
  const bool is_node = !options.node.empty();
  const Roles in = is_node ? find_roles(model->nodes().front(), false) : Roles();
  const Roles out = is_node ? find_roles(model->nodes().front(), true) : Roles();
  const auto input_files =
      parse_arguments(with_own_names(options.inputs, in, model->inputs()), "-i", model->inputs(), "input");
  if (!input_files) return fail(with_roles(input_files.error(), in));
  const auto output_files =
      parse_arguments(with_own_names(options.outputs, out, model->outputs()), "-o", model->outputs(), "output");
  if (!output_files) return fail(with_roles(output_files.error(), out));
  STREW_TRY(check_outputs(*output_files, options.session.json));

  if (Status given = check_all_given(*model, *input_files); !given) {
    return fail_in(options.model, with_roles(std::move(given).error(), in));
  }
  std::vector<Tensor> tensors;
  for (const FileArgument& input : *input_files) {
    const auto declared = std::ranges::find(model->inputs(), input.name, &ValueInfo::name);
    const bool as_declared = !input.dtype && is_literal(input.file);
    STREW_ASSIGN(auto&& tensor, load_input(input.file, as_declared ? declared->dtype : input.dtype));
    tensors.push_back(std::move(tensor));
  }
  std::vector<ShownTensor> shown_inputs;
  std::vector<std::pair<std::string, TensorView>> inputs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    shown_inputs.push_back({(*input_files)[i].name, &tensors[i], (*input_files)[i].file});
    inputs.emplace_back((*input_files)[i].name, tensors[i].view());
  }
  const Options run_options{.executor = threads.executor};
  auto result = measure(options.session.repeat, [&] { return model->run(inputs, run_options); });
  if (!result) return fail_in(options.model, std::move(result).error());

  std::vector<ShownTensor> shown_outputs;
  std::string file;
  if (Status saved = save_outputs(result->value, *output_files, shown_outputs, file); !saved) {
    return report_unwritten(saved.error(), file, options.session.json);
  }
  const Account account{options, shown_inputs, shown_outputs, threads.executor->thread_count(), result->seconds};
  options.session.json ? print_account_json(account) : print_account(account);
  return kSuccess;
}

}  // namespace strew::app

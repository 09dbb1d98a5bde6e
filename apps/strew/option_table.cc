#include "option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <utility>

#include "bench_operands.h"
#include "help_texts.h"
#include "op_call.h"
#include "option_numbers.h"
#include "program.h"
#include "strew/operators.h"
#include "strew/version.h"

namespace strew::app {
namespace {

// Scatter is the old name of ScatterElements.
std::vector<std::string> operator_names(bool with_scatter) {
  std::vector<std::string> names;
  for (const OperatorVersion& version : operator_versions()) {
    if (!with_scatter && version.op_type == "Scatter") continue;
    if (names.empty() || names.back() != version.op_type) names.emplace_back(version.op_type);
  }
  return names;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (int number = kDTypeMin; number <= kDTypeMax; ++number)
    names.emplace_back(dtype_name(static_cast<DType>(number)));
  return names;
}

std::string has_name(const std::string& file) { return file.empty() ? "the file has no name" : ""; }

// Adds a command. Returns it, and its options.
template <class CommandOptions>
std::pair<CLI::App&, CommandOptions&> add_command(OptionTable& table, const char* name, const char* help,
                                                  const char* footer) {
  CLI::App& app = *table.main.add_subcommand(name, help);
  app.footer(footer);
  return {app, std::get<CommandOptions>(table.options.emplace(name, CommandOptions()).first->second)};
}

// Adds an option. The help shows `type` after its name.
template <class Value>
CLI::Option* add_value(CLI::App& app, const char* name, Value& value, const char* help, const char* type = "") {
  return app.add_option(name, value, help)->type_name(type);
}

CLI::Option* add_output(CLI::App& app, std::string& output, const char* help) {
  return add_value(app, "-o,--output", output, help, "FILE")->check(has_name);
}

// Adds an option that a user may repeat.
void add_each(CLI::App& app, const char* name, std::vector<std::string>& values, const char* help,
              const char* type) {
  add_value(app, name, values, help, type)->allow_extra_args(false);
}

void add_repeat(CLI::App& app, int& repeat, const char* help) {
  add_value(app, "--repeat", repeat, help, "N")->check(CLI::Range(1, 1'000'000).description(""));
}

// Adds the argument OPERATOR.
void add_operator(CLI::App& app, std::string& op_type, bool with_scatter, OptionTable& table) {
  const std::vector<std::string> names = operator_names(with_scatter);
  CLI::Option* const option = app.add_option("OPERATOR", op_type, fmt::format("{}", fmt::join(names, ", ")));
  table.words[option->required()->type_name("")] = names;
}

void add_threads(CLI::App& app, std::optional<int>& threads) {
  app.add_option("--threads", threads,
                 "Threads to use, 1 to 1024 (default: $STREW_NUM_THREADS, or all processors)")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
}

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "Print one JSON object instead of text"); }

void add_session(CLI::App& app, SessionOptions& session) {
  add_threads(app, session.threads);
  add_repeat(app, session.repeat, "Run N times, show the median time (default: 1)");
  app.add_flag("--hash", session.hash, "Show a hash of each output's type, shape and elements");
  add_json(app, session.json);
}

void add_attributes(CLI::App& app, const std::vector<AttributeInfo>& attributes, AttributeOptions& options,
                    OptionTable& table) {
  for (const AttributeInfo& attribute : attributes) {
    const auto set = [&options, name = std::string(attribute.name)](const std::string& text) {
      options.given[name] = text;
    };
    if (attribute.type == AttributeType::kBool) {
      app.add_flag_callback(
          option_name(attribute), [set] { set("0"); }, option_help(attribute));
      continue;
    }
    CLI::Option* const option =
        app.add_option_function<std::string>(option_name(attribute), set, option_help(attribute));
    if (attribute.type == AttributeType::kInt) option->check(whole_number());
    table.words[option].assign(attribute.legal_strings.begin(), attribute.legal_strings.end());
    const bool is_element = attribute.type == AttributeType::kElement;
    option->type_name(is_element ? "V" : std::string(1, static_cast<char>(std::toupper(attribute.name.front()))));
  }
}

void add_node(CLI::App& app, std::string& node, const char* help) {
  app.add_option("--node", node, help)->type_name("NAME")->check([](const std::string& name) {
    return std::string(name.empty() ? "a node is given by its name, or by its position, such as #3" : "");
  });
}

// Adds the options for a model, and for one of its nodes.
template <class ModelOptions>
void add_model(CLI::App& app, ModelOptions& options, const char* deprecated_help) {
  add_value(app, "MODEL", options.model, "The model, an .onnx file")->required();
  add_node(app, options.node, "Only this gather or scatter: its name, or #3 for a position");
  app.add_flag("--allow-deprecated", options.allow_deprecated, deprecated_help);
  add_value(app, "--links-within", options.links_within,
            "Follow symbolic links to external data if they stay below DIR (a model cache)", "DIR");
}

void add_run(OptionTable& table) {
  const auto [app, options] =
      add_command<RunOptions>(table, "run", "Run an ONNX model on tensor files", kRunFooter);
  add_model(app, options, "Run Scatter of opset 11 and later as ScatterElements");
  add_each(app, "-i,--input", options.inputs, "Read an input from a file; repeat for each input",
           "NAME[:TYPE]=FILE");
  add_each(app, "-o,--output", options.outputs, "Save an output; repeat for each output", "NAME=FILE");
  add_session(app, options.session);
}

void add_op(OptionTable& table) {
  const auto [app, options] =
      add_command<OpOptions>(table, "op", "Run one operator on tensor files, without a model", kOpFooter);
  add_operator(app, options.op_type, true, table);
  add_value(app, "FILES", options.files, "The inputs in the operator's order: files, or lists such as [[3],[0]]")
      ->required();
  add_output(app, options.output, "Save the result");
  add_attributes(app, attributes_of_onnx(), options, table);
  add_attributes(app, attributes_beyond_onnx(), options, table);
  add_value(app, "--opset", options.opset, "Use the operator version of this opset", "V")->check(whole_number());
  table.words[add_value(app, "--dtype", options.dtype,
                        "Element type of lists and of .npy files of raw bytes, for all inputs but indices",
                        "TYPE")] = type_names();
  app.add_flag("--reject-duplicates", options.reject_duplicates,
               "Reject two updates of one element (if there is no reduction)");
  app.add_flag("--explain-strategy", options.explain_strategy,
               "Show how the work is divided, and why other strategies were not chosen");
  add_value(app, "--picture", options.picture, "Draw the call, even a rejected one, as an SVG", "FILE");
  const auto strategies = strategy_names();
  const std::string strategy_help = fmt::format("Force this strategy: {}", fmt::join(strategies, ", "));
  table.words[add_value(app, "--strategy", options.strategy, strategy_help.c_str(), "NAME")] = {strategies.begin(),
                                                                                                strategies.end()};
  add_value(app, "--scratch-limit", options.scratch_limit,
            "Scratch memory of a strategy: bytes, or 64K, 512M, 2G (default: 1G)", "BYTES")
      ->transform(byte_size());
  add_session(app, options.session);
}

void add_check(OptionTable& table) {
  const auto [app, options] = add_command<CheckOptions>(
      table, "check", "Show types and shapes of a model and every rule it breaks", kCheckFooter);
  add_model(app, options, "Accept Scatter of opset 11 and later");
  app.add_flag("--strict", options.strict, "Exit with 3 if unknown shapes keep a node from being checked");
  add_json(app, options.json);
}

void add_test(OptionTable& table) {
  const auto [app, options] =
      add_command<TestOptions>(table, "test", "Run folders of ONNX backend tests", kTestFooter);
  add_value(app, "DIR", options.folders, "Folders of tests")->required();
  app.add_flag("--exact", options.exact, "Compare bits instead of values within tolerances");
  app.add_flag("--allow-deprecated", options.allow_deprecated,
               "Run Scatter of opset 11 and later as ScatterElements");
  add_threads(app, options.threads);
  add_json(app, options.json);
}

void add_ops(OptionTable& table) {
  const auto [app, options] =
      add_command<OpsOptions>(table, "ops", "Show the table of operators, or the page of one", kOpsFooter);
  table.words[add_value(app, "OPERATOR", options.op_type, "Show the newest version of this operator")] =
      operator_names(true);
  CLI::Option* version =
      add_value(app, "--version", options.version, "Show the version that this opset uses", "OPSET");
  CLI::Option* changes =
      add_value(app, "--changes", options.changes, "Show what changed after this opset", "OPSET");
  version->check(whole_number());
  changes->check(whole_number())->excludes(version);
  add_json(app, options.json);
}

void add_bench(OptionTable& table) {
  const auto [app, options] =
      add_command<BenchOptions>(table, "bench", "Time one operator on random operands", kBenchFooter);
  constexpr const char* kType = "TYPE[DIMS]";
  add_operator(app, options.op_type, false, table);
  add_value(app, "--data", options.data, "Type and shape of data, as in float32[1048576,64]", kType);
  add_value(app, "--indices", options.indices, "Type and shape of indices", kType);
  add_value(app, "--updates", options.updates, "Type and shape of updates; required for TensorScatter only",
            kType);
  add_attributes(app, attributes_of_onnx(), options, table);
  table.words[app.add_option("--pattern", options.pattern,
                             fmt::format("Index values: {} (default: uniform)", fmt::join(kIndexPatterns, ", ")))
                  ->type_name("P")] = {kIndexPatterns.begin(), kIndexPatterns.end()};
  add_value(app, "--seed", options.seed, "Seed of the random values (default: 1)", "N")
      ->check(whole_number<std::uint64_t>());
  app.add_flag("--in-place", options.in_place, "Scatter into data itself");
  add_repeat(app, options.repeat, "Rounds; the median is shown (default: 25)");
  add_threads(app, options.threads);
  add_json(app, options.json);
}

void add_tune(OptionTable& table) {
  const auto [app, options] =
      add_command<TuneOptions>(table, "tune", "Measure this machine, to choose faster strategies", kTuneFooter);
  add_output(app, options.output,
             "Write the numbers to FILE (- prints them) instead of the file that the library reads");
  app.add_flag("--force", options.force, "Measure even if other programs are busy");
  add_threads(app, options.threads);
  add_json(app, options.json);
}

void add_make(OptionTable& table) {
  const auto [app, options] = add_command<MakeOptions>(table, "make", "Write an array to a file", kMakeFooter);
  add_value(app, "ARRAY", options.what, "Type and shape, as in float32[4,2], or a list, as in [[3],[0]]")
      ->required();
  add_value(app, "--fill", options.fill, "Value of all elements (default: 0)", "V");
  add_output(app, options.output, "The file; - is standard output")->required();
  add_json(app, options.json);
}

void add_doctor(OptionTable& table) {
  const auto [app, options] =
      add_command<DoctorOptions>(table, "doctor", "Show the facts that a bug report needs", kDoctorFooter);
  add_each(app, "--package", options.packages, "Show this package as well; may be repeated", "NAME=VERSION");
  add_json(app, options.json);
}

void add_help(OptionTable& table) {
  const auto [app, options] = add_command<HelpOptions>(table, "help", "Show the help of a command", kHelpFooter);
  add_value(app, "COMMAND", options.command, "Command to describe; without it, an overview");
}

void add_completion(OptionTable& table) {
  const auto [app, options] = add_command<CompletionOptions>(
      table, "completion", "Print the script with which bash completes commands and options", kCompletionFooter);
  table.words[add_value(app, "SHELL", options.shell, "bash")->required()] = {"bash"};
}

std::string version_text() {
  const std::string_view commit = kCommit;
  return fmt::format("strew {}{}", version(),
                     commit.empty() ? "" : fmt::format(" (commit {})", commit.substr(0, 12)));
}

}  // namespace

OptionTable::OptionTable() {
  main.footer(kMainFooter);
  main.set_version_flag("-V,--version", version_text(), "Print the version and the commit that was built");
  main.require_subcommand(0, 1);
  for (const auto add : {add_run, add_op, add_check, add_test, add_ops, add_bench, add_tune, add_make, add_doctor,
                         add_help, add_completion}) {
    add(*this);
  }
  for (const std::string_view command : commands())
    words[main.get_subcommand("help")->get_option("COMMAND")].emplace_back(command);
}

std::vector<std::string_view> OptionTable::commands() const {
  std::vector<std::string_view> names;
  for (const CLI::App* command : main.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

const std::vector<std::string>& OptionTable::find_words(const CLI::Option* option) const {
  static const std::vector<std::string> kNone;
  const auto found = words.find(option);
  return found == words.end() ? kNone : found->second;
}

std::vector<std::string> dashed_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_file(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.ends_with("FILE") || type == "DIR";
}

}  // namespace strew::app

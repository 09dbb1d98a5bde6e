// The table of commands and options.
#include "option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "attributes.h"
#include "help_texts.h"
#include "index_pattern.h"
#include "option_numbers.h"
#include "strew/explain.h"
#include "strew/operators.h"
#include "strew/version.h"
#include "version.h"

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

std::vector<std::string> strategy_names() {
  return {"serial", "split_positions", "copy_blocks", "partition", "private_copy"};
}

std::string has_name(const std::string& file) { return file.empty() ? "the file has no name" : ""; }

void add_threads(CLI::App& app, std::optional<int>& threads) {
  app.add_option("--threads", threads,
                 "Threads to use, 1 to 1024 (default: $STREW_NUM_THREADS, or all processors)")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
}

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "Print one JSON object instead of text"); }

void add_session(CLI::App& app, SessionOptions& session) {
  add_threads(app, session.threads);
  app.add_option("--repeat", session.repeat, "Run N times, show the median time (default: 1)")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N");
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
    return std::string(name.empty() ? "a node goes by its name, or by its position as in #3" : "");
  });
}

// Adds the options for a model, and for one of its nodes.
template <class ModelOptions>
void add_model(CLI::App& app, ModelOptions& options, const char* deprecated_help) {
  app.add_option("MODEL", options.model, "The model, an .onnx file")->required()->type_name("");
  add_node(app, options.node, "Only this gather or scatter: its name, or #3 for a position");
  app.add_flag("--allow-deprecated", options.allow_deprecated, deprecated_help);
  app.add_option("--links-within", options.links_within,
                 "Follow links to external data that stay beneath DIR (a cache of models)")
      ->type_name("DIR");
}

void add_run(OptionTable& table) {
  RunOptions& options = table.options.run;
  CLI::App& app = *table.main.add_subcommand("run", "Run an ONNX model on tensor files");
  app.footer(kRunFooter);
  add_model(app, options, "Run Scatter of opset 11 and later as ScatterElements");
  app.add_option("-i,--input", options.inputs, "Read an input, once for each")
      ->allow_extra_args(false)
      ->type_name("NAME[:TYPE]=FILE");
  app.add_option("-o,--output", options.outputs, "Save an output, once for each")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  add_session(app, options.session);
}

void add_op(OptionTable& table) {
  OpOptions& options = table.options.op;
  CLI::App& app = *table.main.add_subcommand("op", "Run one operator on tensor files, without a model");
  app.footer(kOpFooter);
  table.words[app.add_option("OPERATOR", options.op_type,
                             "Gather, GatherElements, GatherND, Scatter, ScatterElements, "
                             "ScatterND or TensorScatter")
                  ->required()
                  ->type_name("")] = operator_names(true);
  app.add_option("FILES", options.files, "The inputs in the operator's order: files, or lists as [[3],[0]]")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", options.output, "Save the result")->type_name("FILE")->check(has_name);
  add_attributes(app, attributes_of_onnx(), options, table);
  add_attributes(app, attributes_beyond_onnx(), options, table);
  app.add_option("--opset", options.opset, "Keep to the operator version of this opset")
      ->check(whole_number())
      ->type_name("V");
  table.words[app.add_option("--dtype", options.dtype,
                             "Element type of lists and of .npy files of raw bytes, for all inputs but indices")
                  ->type_name("TYPE")] = type_names();
  app.add_flag("--reject-duplicates", options.reject_duplicates,
               "Refuse two updates of one element (without a reduction)");
  app.add_flag("--explain-strategy", options.explain_strategy,
               "Show how the work is divided, and why not otherwise");
  app.add_option("--picture", options.picture, "Draw the call, also one that is refused, as an SVG")
      ->type_name("FILE");
  table.words[app.add_option("--strategy", options.strategy, "Divide the work in this way; the names stand below")
                  ->type_name("NAME")] = strategy_names();
  app.add_option("--scratch-limit", options.scratch_limit,
                 "Memory that a strategy may work in: bytes, or as 64K, 512M, 2G (default: 1G)")
      ->transform(byte_size())
      ->type_name("BYTES");
  add_session(app, options.session);
}

void add_check(OptionTable& table) {
  CheckOptions& options = table.options.check;
  CLI::App& app = *table.main.add_subcommand("check", "Show types and shapes of a model and every rule it breaks");
  app.footer(kCheckFooter);
  add_model(app, options, "Accept Scatter of opset 11 and later");
  app.add_flag("--strict", options.strict, "Exit with 3 if unknown shapes keep a node from being checked");
  add_json(app, options.json);
}

void add_test(OptionTable& table) {
  TestOptions& options = table.options.test;
  CLI::App& app = *table.main.add_subcommand("test", "Run folders of ONNX backend tests");
  app.footer(kTestFooter);
  app.add_option("DIR", options.folders, "Folders of tests")->required()->type_name("");
  app.add_flag("--exact", options.exact, "Compare bits instead of values within tolerances");
  app.add_flag("--allow-deprecated", options.allow_deprecated,
               "Run Scatter of opset 11 and later as ScatterElements");
  add_threads(app, options.threads);
  add_json(app, options.json);
}

void add_ops(OptionTable& table) {
  OpsOptions& options = table.options.ops;
  CLI::App& app = *table.main.add_subcommand("ops", "Show the table of operators, or the page of one");
  app.footer(kOpsFooter);
  table.words[app.add_option("OPERATOR", options.op_type, "Show its newest version")->type_name("")] =
      operator_names(true);
  CLI::Option* version = app.add_option("--version", options.version, "Show the version that this opset uses")
                             ->check(whole_number<std::int64_t>())
                             ->type_name("OPSET");
  app.add_option("--changes", options.changes, "Show what changed after this opset")
      ->check(whole_number<std::int64_t>())
      ->excludes(version)
      ->type_name("OPSET");
  add_json(app, options.json);
}

void add_bench(OptionTable& table) {
  BenchOptions& options = table.options.bench;
  CLI::App& app = *table.main.add_subcommand("bench", "Time one operator on random operands");
  app.footer(kBenchFooter);
  table.words[app.add_option("OPERATOR", options.op_type,
                             "Gather, GatherElements, GatherND, ScatterElements, ScatterND or TensorScatter")
                  ->required()
                  ->type_name("")] = operator_names(false);
  app.add_option("--data", options.data, "Type and shape of data, as in float32[1048576,64]")
      ->type_name("TYPE[DIMS]");
  app.add_option("--indices", options.indices, "Type and shape of indices")->type_name("TYPE[DIMS]");
  app.add_option("--updates", options.updates, "Type and shape of updates; only TensorScatter needs to be told")
      ->type_name("TYPE[DIMS]");
  add_attributes(app, attributes_of_onnx(), options, table);
  table.words[app.add_option("--pattern", options.pattern,
                             fmt::format("Index values: {} (default: uniform)", fmt::join(kIndexPatterns, ", ")))
                  ->type_name("P")] = {kIndexPatterns.begin(), kIndexPatterns.end()};
  app.add_option("--seed", options.seed, "Another seed gives other values (default: 1)")
      ->check(whole_number<std::uint64_t>())
      ->type_name("N");
  app.add_flag("--in-place", options.in_place, "Scatter into data itself");
  app.add_option("--repeat", options.repeat, "Rounds; the median counts (default: 25)")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N");
  add_threads(app, options.threads);
  add_json(app, options.json);
}

void add_tune(OptionTable& table) {
  TuneOptions& options = table.options.tune;
  CLI::App& app = *table.main.add_subcommand("tune", "Measure this machine, so that faster strategies are chosen");
  app.footer(kTuneFooter);
  app.add_option("-o,--output", options.output,
                 "Write the numbers there, not where they are read from; - prints them")
      ->type_name("FILE")
      ->check(has_name);
  app.add_flag("--force", options.force, "Measure although other programs are busy");
  add_threads(app, options.threads);
  add_json(app, options.json);
}

void add_make(OptionTable& table) {
  MakeOptions& options = table.options.make;
  CLI::App& app = *table.main.add_subcommand("make", "Write an array to a file");
  app.footer(kMakeFooter);
  app.add_option("ARRAY", options.what, "Type and shape, as in float32[4,2], or a list, as in [[3],[0]]")
      ->required()
      ->type_name("");
  app.add_option("--fill", options.fill, "All elements (default: 0)")->type_name("V");
  app.add_option("-o,--output", options.output, "The file; - is standard output")
      ->required()
      ->type_name("FILE")
      ->check(has_name);
  add_json(app, options.json);
}

void add_doctor(OptionTable& table) {
  DoctorOptions& options = table.options.doctor;
  CLI::App& app = *table.main.add_subcommand("doctor", "Show what a report of a fault needs to say");
  app.footer(kDoctorFooter);
  app.add_option("--package", options.packages, "Show this package as well, once for each")
      ->allow_extra_args(false)
      ->type_name("NAME=VERSION");
  add_json(app, options.json);
}

void add_help(OptionTable& table) {
  CLI::App& app = *table.main.add_subcommand("help", "Show the help of a command, or the manual page");
  app.footer(kHelpFooter);
  CLI::Option* const command =
      app.add_option("COMMAND", table.options.help.command, "The command; all of them where it is left out")
          ->type_name("");
  app.add_flag("--man", table.options.help.man, "Print the manual page, as man reads it")->excludes(command);
  table.words[command] = {};
}

void add_completion(OptionTable& table) {
  CLI::App& app =
      *table.main.add_subcommand("completion", "Print what makes a shell complete commands and options");
  app.footer(kCompletionFooter);
  table.words[app.add_option("SHELL", table.options.completion.shell, "bash or zsh")->required()->type_name("")] =
      {"bash", "zsh"};
}

std::string version_text() {
  std::string text = fmt::format("strew {}", version());
  const std::string_view commit = kCommit;
  if (!commit.empty()) text += fmt::format(" (commit {})", commit.substr(0, 12));
  return text;
}

}  // namespace

OptionTable::OptionTable() {
  main.footer(kMainFooter);
  main.set_version_flag("-V,--version", version_text(), "Print the version and the commit that was built");
  main.require_subcommand(0, 1);
  add_run(*this);
  add_op(*this);
  add_check(*this);
  add_test(*this);
  add_ops(*this);
  add_bench(*this);
  add_tune(*this);
  add_make(*this);
  add_doctor(*this);
  add_help(*this);
  add_completion(*this);
  for (const std::string_view command : commands())
    words[main.get_subcommand("help")->get_option("COMMAND")].emplace_back(command);
}

std::vector<std::string_view> OptionTable::commands() const {
  std::vector<std::string_view> names;
  for (const CLI::App* command : main.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

const std::vector<std::string>& OptionTable::words_of(const CLI::Option* option) const {
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

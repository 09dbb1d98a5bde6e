// The command line: arguments in, a command out.
#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "attributes.h"
#include "help_texts.h"

namespace strew::app {
namespace {

// The options of all commands, one set for each.
struct AllOptions {
  RunOptions run;
  OpOptions op;
  CheckOptions check;
  TestOptions test;
  OpsOptions ops;
  BenchOptions bench;
};

// CLI11 cuts a number that does not fit to the nearest one that does.
template <class Number = std::int64_t>
CLI::Validator whole_number() {
  const auto refusal = [](const std::string& text) {
    Number number = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), number);
    const bool whole = fault == std::errc() && end == text.data() + text.size();
    if (whole) return std::string();
    return fmt::format("{} is not a whole number of 64 bits{}", text,
                       std::is_signed_v<Number> ? "" : ", 0 or more");
  };
  return CLI::Validator(refusal, "");
}

// Bytes, or "64K", "512M", "2G", "1T", "1GiB": powers of 1024.
CLI::Validator byte_size() {
  const auto to_bytes = [](std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [after, fault] = std::from_chars(text.data(), end, number);
    std::string_view unit(after, static_cast<std::size_t>(end - after));
    if (unit.ends_with("iB")) unit.remove_suffix(2);
    const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(unit) + 1;  // npos + 1 is 0
    const bool has_unit = unit.size() <= 1 && (unit.empty() ? after == end : power > 0);
    const auto shift = static_cast<int>(10 * power);
    if (fault == std::errc() && number >= 0 && has_unit &&
        number <= std::numeric_limits<std::int64_t>::max() >> shift) {
      text = fmt::to_string(number << shift);
      return std::string();
    }
    return fmt::format("{} is no size; write bytes, or K, M, G, T for powers of 1024, as in 512M", text);
  };
  return CLI::Validator(to_bytes, "");
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
  app.add_option("--repeat", session.repeat, "Run N times, show the median time (default: 1)")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N");
  app.add_flag("--hash", session.hash, "Show a hash of each output's type, shape and elements");
  add_json(app, session.json);
}

void add_attributes(CLI::App& app, const std::vector<AttributeInfo>& attributes, AttributeOptions& options) {
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
    const bool is_element = attribute.type == AttributeType::kElement;
    option->type_name(is_element ? "V" : std::string(1, static_cast<char>(std::toupper(attribute.name.front()))));
  }
}

void add_links_within(CLI::App& app, std::optional<std::string>& folder) {
  app.add_option("--links-within", folder,
                 "Follow links to external data that stay beneath DIR (a cache of models)")
      ->type_name("DIR");
}

void add_node(CLI::App& app, std::string& node) {
  app.add_option("--node", node, "Only this gather or scatter: its name, or #3 for a position")->type_name("NAME");
}

void add_run(CLI::App& main, RunOptions& options) {
  CLI::App& app = *main.add_subcommand("run", "Run an ONNX model on tensor files");
  app.footer(kRunFooter);
  app.add_option("MODEL", options.model, "The model, an .onnx file")->required()->type_name("");
  app.add_option("-i,--input", options.inputs, "Read an input, once for each")
      ->allow_extra_args(false)
      ->type_name("NAME[:TYPE]=FILE");
  app.add_option("-o,--output", options.outputs, "Save an output, once for each")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  app.add_flag("--allow-deprecated", options.allow_deprecated,
               "Run Scatter of opset 11 and later as ScatterElements");
  add_links_within(app, options.links_within);
  add_session(app, options.session);
}

void add_op(CLI::App& main, OpOptions& options) {
  CLI::App& app = *main.add_subcommand("op", "Run one operator on tensor files, without a model");
  app.footer(kOpFooter);
  app.add_option("OPERATOR", options.op_type,
                 "Gather, GatherElements, GatherND, Scatter, ScatterElements, "
                 "ScatterND or TensorScatter")
      ->required()
      ->type_name("");
  app.add_option("FILES", options.files, "The inputs in the operator's order")->required()->type_name("");
  app.add_option("-o,--output", options.output, "Save the result")
      ->type_name("FILE")
      ->check([](const std::string& file) { return std::string(file.empty() ? "the file has no name" : ""); });
  add_attributes(app, attributes_of_onnx(), options);
  add_attributes(app, attributes_beyond_onnx(), options);
  app.add_option("--opset", options.opset, "Keep to the operator version of this opset")
      ->check(whole_number())
      ->type_name("V");
  app.add_option("--dtype", options.dtype, "Element type of .npy files of raw bytes, for all inputs but indices")
      ->type_name("TYPE");
  app.add_flag("--reject-duplicates", options.reject_duplicates,
               "Refuse two updates of one element (without a reduction)");
  app.add_flag("--explain-strategy", options.explain_strategy,
               "Show how the work is divided, and why not otherwise");
  app.add_option("--picture", options.picture, "Draw the call, also one that is refused, as an SVG")
      ->type_name("FILE");
  app.add_option("--strategy", options.strategy, "Divide the work in this way; the names stand below")
      ->type_name("NAME");
  app.add_option("--scratch-limit", options.scratch_limit,
                 "Memory that a strategy may work in: bytes, or as 64K, 512M, 2G (default: 1G)")
      ->transform(byte_size())
      ->type_name("BYTES");
  add_session(app, options.session);
}

void add_check(CLI::App& main, CheckOptions& options) {
  CLI::App& app = *main.add_subcommand("check", "Show types and shapes of a model and every rule it breaks");
  app.footer(kCheckFooter);
  app.add_option("MODEL", options.model, "The model, an .onnx file")->required()->type_name("");
  add_node(app, options.node);
  app.add_flag("--allow-deprecated", options.allow_deprecated, "Accept Scatter of opset 11 and later");
  add_links_within(app, options.links_within);
  add_json(app, options.json);
}

void add_test(CLI::App& main, TestOptions& options) {
  CLI::App& app = *main.add_subcommand("test", "Run folders of ONNX backend tests");
  app.footer(kTestFooter);
  app.add_option("DIR", options.folders, "Folders of tests")->required()->type_name("");
  app.add_flag("--exact", options.exact, "Compare bits instead of values within tolerances");
  app.add_flag("--allow-deprecated", options.allow_deprecated,
               "Run Scatter of opset 11 and later as ScatterElements");
  add_threads(app, options.threads);
  add_json(app, options.json);
}

void add_ops(CLI::App& main, OpsOptions& options) {
  CLI::App& app = *main.add_subcommand("ops", "Show the table of operators, or the page of one");
  app.footer(kOpsFooter);
  app.add_option("OPERATOR", options.op_type, "Show its newest version")->type_name("");
  CLI::Option* version = app.add_option("--version", options.version, "Show the version that this opset uses")
                             ->check(whole_number<std::int64_t>())
                             ->type_name("OPSET");
  app.add_option("--changes", options.changes, "Show what changed after this opset")
      ->check(whole_number<std::int64_t>())
      ->excludes(version)
      ->type_name("OPSET");
  add_json(app, options.json);
}

void add_bench(CLI::App& main, BenchOptions& options) {
  CLI::App& app = *main.add_subcommand("bench", "Time one operator on random operands of a given shape");
  app.footer(kBenchFooter);
  app.add_option("OPERATOR", options.op_type,
                 "Gather, GatherElements, GatherND, ScatterElements, ScatterND or TensorScatter")
      ->required()
      ->type_name("");
  app.add_option("--data", options.data, "Type and shape of data, as in float32[1048576,64]")
      ->required()
      ->type_name("TYPE[DIMS]");
  app.add_option("--indices", options.indices, "Type and shape of indices")->type_name("TYPE[DIMS]");
  app.add_option("--updates", options.updates, "Type and shape of updates; only TensorScatter needs to be told")
      ->type_name("TYPE[DIMS]");
  add_attributes(app, attributes_of_onnx(), options);
  app.add_option("--pattern", options.pattern,
                 "Index values: uniform, sorted, runs, skewed, equal, permutation (default: uniform)")
      ->type_name("P");
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

Command command_of(const CLI::App& main, AllOptions& options) {
  if (main.got_subcommand("run")) return std::move(options.run);
  if (main.got_subcommand("op")) return std::move(options.op);
  if (main.got_subcommand("check")) return std::move(options.check);
  if (main.got_subcommand("test")) return std::move(options.test);
  if (main.got_subcommand("bench")) return std::move(options.bench);
  return options.ops;
}

// Arguments that were refused, with the help that would tell better.
Error usage_error(const CLI::App& main, const std::string& reason) {
  const auto used = main.get_subcommands();
  const std::string help =
      used.empty() ? "strew --help" : fmt::format("strew {} --help", used.front()->get_name());
  return {ErrorCode::kInvalidArgument, fmt::format("{} (see '{}')", reason, help)};
}

std::string unknown_command(const std::string& name) {
  if (name.starts_with('-')) return fmt::format("no option '{}'", name);
  constexpr std::array<std::string_view, 6> kCommands = {"run", "op", "check", "test", "ops", "bench"};
  return fmt::format("no command '{}'{}", name, choices_text(name, kCommands));
}

// What was probably meant by an argument that a command does not know.
std::string extra_hint(const CLI::App& main, const CLI::App& command) {
  const auto before = main.remaining();
  if (!before.empty() && command.get_option_no_throw(before.front()) != nullptr) {
    return fmt::format("; it goes behind the command: strew {} {}", command.get_name(), before.front());
  }
  const auto extra = command.remaining();
  if (extra.empty()) return "";
  if (!extra.front().starts_with('-')) {
    return command.get_name() == "run" ? "; inputs are given as -i NAME=FILE" : "";
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return did_you_mean(extra.front(), std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

bool wants_json(int argc, const char* const* argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const char* a) { return std::strcmp(a, "--json") == 0; });
}

Parsed parse_command_line(int argc, const char* const* argv) {
  CLI::App main("The ONNX gather and scatter operators: exact, deterministic, fast.", "strew");
  main.footer(kMainFooter);
  main.set_version_flag("-V,--version", "strew " STREW_VERSION, "Print the version");
  main.require_subcommand(0, 1);
  AllOptions options;
  add_run(main, options.run);
  add_op(main, options.op);
  add_check(main, options.check);
  add_test(main, options.test);
  add_ops(main, options.ops);
  add_bench(main, options.bench);
  std::vector<const char*> arguments(argv, argv + argc);
  if (argc > 1 && std::strcmp(argv[1], "help") == 0) {  // strew help op: strew op --help
    arguments.erase(arguments.begin() + 1);
    arguments.push_back("--help");
  }
  try {
    main.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::Success& request) {  // help or version
    return {std::nullopt, main.exit(request)};
  } catch (const CLI::ExtrasError& refusal) {
    const auto used = main.get_subcommands();
    const std::string reason =
        used.empty() ? unknown_command(argc > 1 ? argv[1] : "") : refusal.what() + extra_hint(main, *used.front());
    return {std::nullopt, report_error(usage_error(main, reason), wants_json(argc, argv))};
  } catch (const CLI::ParseError& refusal) {
    return {std::nullopt, report_error(usage_error(main, refusal.what()), wants_json(argc, argv))};
  }
  if (main.get_subcommands().empty()) {
    return {std::nullopt,
            report_error(usage_error(main, "which command? run, op, check, test, ops or bench"), false)};
  }
  return {command_of(main, options), kSuccess};
}

}  // namespace strew::app

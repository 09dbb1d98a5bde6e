// Parses the command line into a command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "commands.h"
#include "option_table.h"
#include "parse_element.h"

namespace strew::app {
namespace {

// Returns an error about arguments. Its text names the command that prints the help.
Error usage_error(const CLI::App& main, const std::string& reason) {
  const auto used = main.get_subcommands();
  const std::string help =
      used.empty() ? "strew --help" : fmt::format("strew {} --help", used.front()->get_name());
  return {ErrorCode::kInvalidArgument, fmt::format("{} (see '{}')", reason, help)};
}

std::string unknown_command(const OptionTable& table, const std::string& name) {
  if (name.starts_with('-')) return fmt::format("no option '{}'", name);
  return fmt::format("no command '{}'{}", name, choices_text(name, table.commands()));
}

// Returns a hint about an unknown argument of a command, for the end of a message.
std::string extra_hint(const CLI::App& main, const CLI::App& command) {
  const auto before = main.remaining();
  if (!before.empty() && command.get_option_no_throw(before.front()) != nullptr) {
    return fmt::format("; it goes after the command: strew {} {}", command.get_name(), before.front());
  }
  const auto extra = command.remaining();
  if (extra.empty()) return "";
  if (!extra.front().starts_with('-')) {
    return command.get_name() == "run" ? "; inputs are given as -i NAME=FILE" : "";
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (std::string& name : dashed_names(*option)) names.push_back(std::move(name));
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
  OptionTable table;
  CLI::App& main = table.main;
  // CLI11 splits a list at its commas, unless the argument begins with a space.
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments[0] == "op") {
    for (std::string& argument : arguments) argument.insert(0, is_literal(argument) ? " " : "");
  }
  std::ranges::reverse(arguments);  // CLI11 reads them from the end
  try {
    main.parse(std::move(arguments));
    for (std::string& file : std::get<OpOptions>(table.options.at("op")).files)
      file.erase(0, file.starts_with(" [") ? 1 : 0);
  } catch (const CLI::Success& request) {  // help or version
    return {std::nullopt, main.exit(request)};
  } catch (const CLI::ExtrasError& refusal) {
    const auto used = main.get_subcommands();
    const std::string reason = used.empty() ? unknown_command(table, argc > 1 ? argv[1] : "")
                                            : refusal.what() + extra_hint(main, *used.front());
    return {std::nullopt, report_error(usage_error(main, reason), wants_json(argc, argv))};
  } catch (const CLI::ParseError& refusal) {
    return {std::nullopt, report_error(usage_error(main, refusal.what()), wants_json(argc, argv))};
  }
  if (main.get_subcommands().empty()) {
    const std::string question = fmt::format("which command? Choose from {}", fmt::join(table.commands(), ", "));
    return {std::nullopt, report_error(usage_error(main, question), false)};
  }
  return {std::move(table.options.at(main.get_subcommands().front()->get_name())), kSuccess};
}

}  // namespace strew::app

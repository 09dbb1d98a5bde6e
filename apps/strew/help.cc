// strew help: prints the help of a command.
#include <fmt/format.h>

#include <algorithm>

#include "option_table.h"

namespace strew::app {

Result<int> run_command(const HelpOptions& options) {
  const OptionTable table;
  if (options.command.empty()) {
    fmt::print("{}", table.main.help());
    return kSuccess;
  }
  const auto commands = table.commands();
  if (std::ranges::find(commands, options.command) == commands.end()) {
    return fail(ErrorCode::kInvalidArgument, "no command '{}'{}", options.command,
                choices_text(options.command, commands));
  }
  fmt::print("{}", table.main.get_subcommand(options.command)->help(table.main.get_name()));
  return kSuccess;
}

}  // namespace strew::app

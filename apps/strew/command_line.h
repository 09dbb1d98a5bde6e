// The command line: arguments in, a command out.
#pragma once

#include <optional>

#include "commands.h"

namespace strew::app {

/// What to do, or the exit code where nothing is left to do: help was shown, or the arguments were refused.
struct Parsed {
  std::optional<Command> command;
  int exit_code = kSuccess;
};
Parsed parse_command_line(int argc, const char* const* argv);

/// Whether the command, or a command line that could not be parsed, asks for JSON.
bool wants_json(int argc, const char* const* argv);

}  // namespace strew::app

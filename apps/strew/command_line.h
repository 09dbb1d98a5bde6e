// Parses the command line into a command.
#pragma once

#include <optional>

#include "commands.h"

namespace strew::app {

/// The parsed command, or the exit code if help was shown or the arguments were rejected.
struct Parsed {
  std::optional<Command> command;
  int exit_code = kSuccess;
};
Parsed parse_command_line(int argc, const char* const* argv);

/// True if the command line asks for JSON, even if it could not be parsed.
bool wants_json(int argc, const char* const* argv);

}  // namespace strew::app

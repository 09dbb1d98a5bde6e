// The table of commands and options: the source of the parser, --help and completion.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"

namespace strew::app {

struct OptionTable {
  CLI::App main{"The ONNX gather and scatter operators: exact, deterministic, fast.", "strew"};
  std::map<std::string, Command> options;                        ///< options of each command, by its name
  std::map<const CLI::Option*, std::vector<std::string>> words;  ///< fixed lists of legal values

  OptionTable();
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  std::vector<std::string_view> commands() const;
  /// Returns the legal values of an option, or an empty list if there is no fixed list.
  const std::vector<std::string>& find_words(const CLI::Option* option) const;
};

/// Names of an option that begin with dashes, the short one first; empty for a positional argument.
std::vector<std::string> dashed_names(const CLI::Option& option);

/// True if the value of an option is a file or folder, or "NAME=" and a file.
bool takes_file(const CLI::Option& option);

}  // namespace strew::app

// The one table of commands and options: the parser, --help, completion and the manual page come from it.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"

namespace strew::app {

/// The options of all commands, one set for each.
struct AllOptions {
  RunOptions run;
  OpOptions op;
  CheckOptions check;
  TestOptions test;
  OpsOptions ops;
  BenchOptions bench;
  TuneOptions tune;
  MakeOptions make;
  DoctorOptions doctor;
  HelpOptions help;
  CompletionOptions completion;
};

struct OptionTable {
  CLI::App main{"The ONNX gather and scatter operators: exact, deterministic, fast.", "strew"};
  AllOptions options;
  std::map<const CLI::Option*, std::vector<std::string>> words;  ///< what the value of an option may be

  OptionTable();
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  std::vector<std::string_view> commands() const;
  /// What the value of an option may be; empty where that is not one of few words.
  const std::vector<std::string>& words_of(const CLI::Option* option) const;
};

/// The names of an option that begin with dashes, the short one first; empty for an argument without.
std::vector<std::string> dashed_names(const CLI::Option& option);

/// Of an option whose value is a file or folder, or has one behind "NAME=".
bool takes_file(const CLI::Option& option);

}  // namespace strew::app

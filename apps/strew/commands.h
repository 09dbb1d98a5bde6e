// The commands: what each can be told, and the functions that do them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "session.h"

namespace strew::app {

struct RunOptions {
  SessionOptions session;
  std::string model;
  std::string node;                  ///< empty: the whole model
  std::vector<std::string> inputs;   ///< NAME=FILE or NAME:TYPE=FILE
  std::vector<std::string> outputs;  ///< NAME=FILE
  bool allow_deprecated = false;
  std::optional<std::string> links_within;
};

/// Attributes by their names, as they were written; whole numbers are whole numbers.
struct AttributeOptions {
  std::map<std::string, std::string, std::less<>> given;
};

struct OpOptions : AttributeOptions {
  SessionOptions session;
  std::string op_type;
  std::vector<std::string> files;
  std::string output;  ///< empty: not saved
  std::optional<std::int64_t> opset;
  std::string dtype;  ///< empty: as the files say
  bool reject_duplicates = false;
  bool explain_strategy = false;
  std::string picture;   ///< empty: not drawn
  std::string strategy;  ///< empty: the best
  std::optional<std::int64_t> scratch_limit;
};

struct CheckOptions {
  std::string model;
  std::string node;  ///< empty: all
  bool allow_deprecated = false;
  bool strict = false;
  std::optional<std::string> links_within;
  bool json = false;
};

struct TestOptions {
  std::vector<std::string> folders;
  std::optional<int> threads;
  bool exact = false;
  bool allow_deprecated = false;
  bool json = false;
};

struct OpsOptions {
  std::string op_type;  ///< empty: the table of all
  std::optional<std::int64_t> version;
  std::optional<std::int64_t> changes;
  bool json = false;
};

struct BenchOptions : AttributeOptions {
  std::string op_type;
  std::string data;     ///< TYPE[dims]
  std::string indices;  ///< TYPE[dims]; empty: none
  std::string updates;  ///< TYPE[dims]; empty: as the other operands say
  std::string pattern = "uniform";
  std::uint64_t seed = 1;
  std::optional<int> threads;
  int repeat = 25;
  bool in_place = false;
  bool json = false;
};

struct TuneOptions {
  std::string output;  ///< empty: where the library looks for it
  std::optional<int> threads;
  bool force = false;
  bool json = false;
};

struct MakeOptions {
  std::string what;  ///< TYPE[dims] or a literal
  std::optional<std::string> fill;
  std::string output;
  bool json = false;
};

struct DoctorOptions {
  std::vector<std::string> packages;  ///< NAME=VERSION
  bool json = false;
};

struct HelpOptions {
  std::string command;  ///< empty: all
  bool man = false;
};

struct CompletionOptions {
  std::string shell;
};

using Command = std::variant<RunOptions, OpOptions, CheckOptions, TestOptions, OpsOptions, BenchOptions,
                             TuneOptions, MakeOptions, DoctorOptions, HelpOptions, CompletionOptions>;

/// Each prints its account and returns the exit code, or an error that the caller reports.
Result<int> run_command(const RunOptions& options);
Result<int> run_command(const OpOptions& options);
Result<int> run_command(const CheckOptions& options);
Result<int> run_command(const TestOptions& options);
Result<int> run_command(const OpsOptions& options);
Result<int> run_command(const BenchOptions& options);
Result<int> run_command(const TuneOptions& options);
Result<int> run_command(const MakeOptions& options);
Result<int> run_command(const DoctorOptions& options);
Result<int> run_command(const HelpOptions& options);
Result<int> run_command(const CompletionOptions& options);

}  // namespace strew::app

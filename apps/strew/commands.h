// The options of each command, the functions that run commands, and the parser of the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "session.h"
#include "strew/model.h"
#include "strew/operators.h"

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

/// Attributes by name, with values as text from the command line. Integers have been validated.
struct AttributeOptions {
  std::map<std::string, std::string, std::less<>> given;
};

struct OpOptions : AttributeOptions {
  SessionOptions session;
  std::string op_type;
  std::vector<std::string> files;
  std::string output;  ///< empty: not saved
  std::optional<std::int64_t> opset;
  std::string dtype;  ///< empty: the type in the file
  bool reject_duplicates = false;
  bool explain_strategy = false;
  std::string picture;   ///< empty: not drawn
  std::string strategy;  ///< empty: chosen by the library
  std::optional<std::int64_t> scratch_limit;
};

struct CheckOptions {
  std::string model;
  std::string node;  ///< empty: all nodes
  bool allow_deprecated = false;
  bool strict = false;
  std::optional<std::string> links_within;
  bool json = false;
};

struct TestOptions {
  std::vector<std::string> folders;
  std::optional<int> threads;
  bool exact = false;  ///< compares bits instead of using tolerances
  bool allow_deprecated = false;
  bool json = false;
};

struct OpsOptions {
  std::string op_type;  ///< empty: the table of all operators
  std::optional<std::int64_t> version;
  std::optional<std::int64_t> changes;
  bool json = false;
};

struct BenchOptions : AttributeOptions {
  std::string op_type;
  std::string data;     ///< TYPE[dims]
  std::string indices;  ///< TYPE[dims]; empty: none
  std::string updates;  ///< TYPE[dims]; empty: derived from the other operands
  std::string pattern = "uniform";
  std::uint64_t seed = 1;
  std::optional<int> threads;
  int repeat = 25;
  bool in_place = false;
  bool json = false;
};

struct TuneOptions {
  std::string output;  ///< empty: the file that the library reads
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
  std::string command;  ///< empty: all commands
};

struct CompletionOptions {
  std::string shell;
};

using Command = std::variant<RunOptions, OpOptions, CheckOptions, TestOptions, OpsOptions, BenchOptions,
                             TuneOptions, MakeOptions, DoctorOptions, HelpOptions, CompletionOptions>;

/// Each function prints its result and returns the exit code, or an error for the caller to report.
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

/// The parsed command, or the exit code if help was shown or the arguments were rejected.
struct Parsed {
  std::optional<Command> command;
  int exit_code = kSuccess;
};
Parsed parse_command_line(int argc, const char* const* argv);

/// True if the command line has --json, even if it could not be parsed.
bool wants_json(int argc, const char* const* argv);

/// Returns the attributes of ONNX's operators, each once and with all values that any operator accepts.
std::vector<AttributeInfo> attributes_of_onnx();
/// As above, for the attributes that only Strew has.
std::vector<AttributeInfo> attributes_beyond_onnx();

/// Returns "--batch-dims", or "--no-include-self" for an attribute that is true by default.
std::string option_name(const AttributeInfo& attribute);
std::string option_help(const AttributeInfo& attribute);

/// Returns the given attributes that ONNX has.
NodeAttributes given_attributes(const AttributeOptions& options);

/// Rejects attributes of ONNX that this version lacks, and attributes of Strew that the operator lacks.
Status check_attributes(std::string_view command, const OperatorVersion& op, const AttributeOptions& options);

/// Sets the given attributes. The value of an attribute that is a tensor element, such as alpha, gets the type of
/// data and is stored in `elements`, which must outlive `params`.
Status set_attributes(CallParams& params, const AttributeOptions& options, DType data,
                      std::vector<Tensor>& elements);

}  // namespace strew::app

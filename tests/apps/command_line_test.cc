// Tests the command line: help, versions, errors and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/child.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;

TEST(CommandLine, ShowsHelpForEveryCommandInLinesThatFitOnATerminal) {
  for (const std::string command :
       {"", "run", "op", "check", "test", "ops", "bench", "tune", "help", "completion"}) {
    const Ended ended = run_program(command.empty() ? Words{"--help"} : Words{command, "--help"});
    EXPECT_EQ(ended.code, 0) << command;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("Example"), HasSubstr("strew " + command)));
    EXPECT_EQ(ended.err, "");
    std::istringstream lines(ended.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

TEST(CommandLine, AcceptsHelpAsACommand) {
  EXPECT_EQ(run_program({"help"}).out, run_program({"--help"}).out);
  EXPECT_EQ(run_program({"help", "op"}).out, run_program({"op", "--help"}).out);
  expect_refused({"help", "po"},
                 "no command 'po'; choose from run, op, check, test, ops, bench, tune, make, doctor, help, "
                 "completion; did you mean 'op'?");
}

TEST(CommandLine, PrintsTheCompletionOfBash) {
  EXPECT_THAT(run_program({"completion", "bash"}).out, ::testing::StartsWith("# bash completion for strew"));
  expect_refused({"completion", "fish"}, "no completion for the shell 'fish'; the only choice is bash");
}

TEST(CommandLine, ShowsItsVersion) {
  for (const std::string option : {"--version", "-V"}) {
    EXPECT_THAT(output_of({option}),
                ::testing::MatchesRegex("strew [0-9]+\\.[0-9]+\\.[0-9]+( \\(commit [0-9a-f]{12}\\))?\n"));
  }
}

TEST(CommandLine, RejectsUnknownCommandsAndOptions) {
  const std::string all = "run, op, check, test, ops, bench, tune, make, doctor, help, completion ";
  expect_refused({}, "which command? Choose from " + all + "(see 'strew --help')");
  expect_refused({"frobnicate"}, "no command 'frobnicate'; choose from " + all + "(see");
  expect_refused({"chekc", "model.onnx"}, "completion; did you mean 'check'? (see 'strew --help')");
  expect_refused({"-v"}, "no option '-v' (see 'strew --help')");
  EXPECT_THAT(run_program({"--json", "ops"}).err,
              HasSubstr("--json; it goes after the command: strew ops --json (see 'strew ops --help')"));
  expect_refused({"ops", "--frobnicate"}, "--frobnicate (see 'strew ops --help')");
}

TEST(CommandLine, RejectsMissingArgumentsAndZeroThreads) {
  expect_refused({"test", "x", "--threads", "0"}, "--threads: Value 0 not in range 1 to 1024");
  expect_refused({"run", "x.onnx", "--threads", "1025"}, "1025");
  expect_refused({"run"}, "MODEL is required");
  expect_refused({"op", "Gather"}, "FILES is required");
  expect_refused({"test"}, "DIR is required");
}

TEST(CommandLine, PrintsErrorsInJson) {
  for (const Words& arguments : {Words{"check", "no_such.onnx", "--json"}, {"ops", "--json", "--frobnicate"}}) {
    const Ended ended = run_program(arguments);
    EXPECT_EQ(ended.code, 2);
    const auto json = nlohmann::json::parse(ended.out);
    EXPECT_TRUE(json["error"]["code"].is_string());
    EXPECT_EQ("strew: " + json["error"]["message"].get<std::string>() + "\n", ended.err);
  }
}

TEST(CommandLine, UsesNoColourOutsideATerminal) {
  EXPECT_EQ(run_program({"run", "no_such.onnx"}).err.find('\x1b'), std::string::npos);
}

TEST(Ops, ListsEveryVersionOnceAndEveryType) {
  EXPECT_THAT(output_of({"ops"}), AllOf(HasSubstr("reduction=none|add|mul|max|min"), HasSubstr("int32 int64"),
                                        HasSubstr("T24: "), HasSubstr("float8_e4m3fn")));
}

TEST(Ops, ListsTheSameInJson) {
  const auto json = json_of({"ops"});
  EXPECT_EQ(json["newest_opset"], 28);
  const auto& operators = json["operators"];
  EXPECT_EQ(operators.size(), 19u);
  const auto found = std::find_if(operators.begin(), operators.end(), [](const auto& op) {
    return op["operator"] == "ScatterND" && op["version"] == 16;
  });
  ASSERT_NE(found, operators.end());
  EXPECT_EQ((*found)["index_types"], nlohmann::json::parse(R"(["int64"])"));
  EXPECT_EQ((*found)["attributes"][0]["values"], nlohmann::json::parse(R"(["none", "add", "mul"])"));
}

}  // namespace
}  // namespace strew::app

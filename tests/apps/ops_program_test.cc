// Tests strew ops, strew make and strew doctor.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"
#include "strew/tensor_file.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using OpsProgram = Workplace;

TEST_F(OpsProgram, ShowsTheNewestVersionOfAnOperator) {
  const std::string out = output_of({"ops", "ScatterND"});
  EXPECT_THAT(out, StartsWith("ScatterND-18, opsets 18 to 28\n"));
  EXPECT_THAT(out, HasSubstr("none, add, mul, max, min (default none)"));
  EXPECT_THAT(out, HasSubstr("Versions: 11, 13, 16, 18."));
}

TEST_F(OpsProgram, ShowsTheVersionThatAnOpsetUses) {
  const std::string out = output_of({"ops", "ScatterND", "--version", "14"});
  EXPECT_THAT(out, StartsWith("ScatterND-13, opsets 13 to 15\n"));
  EXPECT_THAT(out, HasSubstr("Attributes: none\n"));
}

TEST_F(OpsProgram, SaysWhatChangedAfterAnOpset) {
  const std::string out = output_of({"ops", "ScatterND", "--changes", "13"});
  EXPECT_THAT(out, HasSubstr("  16  new attribute reduction: none, add, mul (default none); a model without it"));
  EXPECT_THAT(out, HasSubstr("  18  reduction also takes max, min\n"));
  EXPECT_THAT(out, Not(HasSubstr("bfloat16")));
  EXPECT_EQ(output_of({"ops", "Scatter", "--changes", "11"}), "Scatter: nothing changed after opset 11\n");
  EXPECT_EQ(output_of({"ops", "TensorScatter", "--changes", "20"}),
            "TensorScatter after opset 20\n  24  new operator\n");
  const auto all = json_of({"ops", "ScatterND", "--changes", "10"});
  EXPECT_EQ(all["changes"][0]["texts"], nlohmann::json::parse(R"(["new operator"])"));
  EXPECT_EQ(all["changes"][1]["texts"][0], "new types of data: bfloat16");
}

TEST_F(OpsProgram, RejectsUnknownOperatorsAndVersions) {
  expect_refused({"ops", "ScaterND"}, "did you mean 'ScatterND'?");
  expect_refused({"ops", "Foo"},
                 "ops: no operator 'Foo'; choose from Gather, GatherElements, GatherND, Scatter, ScatterElements, "
                 "ScatterND, TensorScatter");
  expect_refused({"ops", "TensorScatter", "--version", "18"}, "it was added in opset 24");
  for (const std::string option : {"--changes", "--version"}) {
    expect_refused({"ops", option, "13"},
                   "ops: " + option + " needs an OPERATOR, as in: strew ops ScatterND " + option + " 13\n");
  }
  for (const std::string opset : {"0", "29", "99"}) {
    expect_refused({"ops", "ScatterND", "--changes", opset},
                   "ops: --changes " + opset + ": no opset has this number; opsets are 1 to 28");
  }
  expect_refused({"ops", "ScatterND", "--changes", "13", "--version", "18"}, "--");
}

using MakeProgram = ScatterFiles;

TEST_F(MakeProgram, AcceptsListsAsOperands) {
  const auto json = json_of({"op", "ScatterND", data_, "[[1], [-1]]", "[20, 40.5]", "--reduction", "add"});
  EXPECT_EQ(json["inputs"][1]["dtype"], "int64");
  EXPECT_EQ(json["inputs"][2]["dtype"], "float32");
  EXPECT_EQ(json["output"]["values"], nlohmann::json::parse("[1, 22, 3, 44.5]"));
  const auto dtype_of_data = [](const std::string& data, const Words& more = {}) {
    return json_of(joined({"op", "Gather", data, "[0]"}, more))["output"]["dtype"].get<std::string>();
  };
  EXPECT_EQ(dtype_of_data("[1, 2]"), "int64");
  EXPECT_EQ(dtype_of_data("[1, 2e0]"), "float32");
  EXPECT_EQ(dtype_of_data("[true]"), "bool");
  EXPECT_EQ(dtype_of_data(R"(["a"])"), "string");
  EXPECT_EQ(dtype_of_data(R"(["1", "nan"])"), "string");
  EXPECT_EQ(dtype_of_data(R"(["nan", 1])"), "float32");
  EXPECT_EQ(dtype_of_data(R"(["nan", 1])", {"--dtype", "float16"}), "float16");
  const auto refused = [&](const std::string& list, const std::string& reason) {
    expect_refused({"op", "Gather", data_, list}, reason);
  };
  refused("[[1], [2, 3]]", "[[1], [2, 3]]: a list of 2 does not fit the first one, which is a list of 1");
  refused("[1, [2]]", "a list of 1 does not fit the first one, which is not a list");
  refused("[1", "[1: the list has no closing ]");
  refused("[1, nan]", R"(the list is invalid from 'nan]' on; write, for example, [[3], [0]] or ["nan", 1.5];)");
  refused("[1, -inf]", "from '-inf]' on;");
  refused("[1,,2]", "from ',2]' on;");
  refused("[1e999]", "[1e999]: a number is too large for float64");
  refused("3",
          "3: the name of a tensor file must end in .npy, .npz or .pb; a list of numbers is written as '[3, 0]'");
  refused("[1.5]", "indices");
  refused("[null]", "'null' is not a value of int64");
  refused(std::string(70, '[') + std::string(70, ']'), "lists are nested more than 64 levels deep");
}

TEST_F(MakeProgram, MakesArrays) {
  const auto made = [&](const std::string& what, const Words& more) {
    return run_program(joined({"make", what, "-o", path("made.npy")}, more));
  };
  const Ended ended = made("float32[4,2]", {"--fill", "1"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, path("made.npy") + "  float32 [4, 2]  32 B\n[[1, 1],\n [1, 1],\n [1, 1],\n [1, 1]]\n");
  EXPECT_EQ(load_npy(path("made.npy"))->shape(), Shape({4, 2}));
  EXPECT_THAT(made("[[3], [0]]", {}).out, HasSubstr("int64 [2, 1]"));
  EXPECT_THAT(made("[99999999999999999999]", {}).err,
              HasSubstr("is not a value of int64; write a whole number that fits"));
  EXPECT_THAT(made("int4[3]", {"--fill", "-3"}).out, HasSubstr("[-3, -3, -3]"));
  EXPECT_THAT(made("string[2]", {"--fill", "ab"}).out, HasSubstr(R"(["ab", "ab"])"));
  EXPECT_THAT(made("float32[]", {}).out, HasSubstr("float32 []  4 B\n0\n"));
  expect_refused({"make", "float32", "-o", path("a.npy")}, "make float32: write a type and a shape");
  expect_refused({"make", "int8[2]", "--fill", "300", "-o", path("a.npy")},
                 "--fill: '300' is not a value of int8");
  expect_refused({"make", "[1]", "--fill", "3", "-o", path("a.npy")}, "leave out --fill");
  expect_refused({"make", "int8[2]", "-o", path("a.txt")}, "must end in .npy, .npz or .pb");
}

TEST_F(MakeProgram, DescribesTheSystemForBugReports) {
  const auto json = json_of({"doctor", "--package", "numpy=2.4.6"});
  for (const char* key : {"version", "commit", "compiler", "instruction_set", "processor", "system"})
    EXPECT_TRUE(json[key].is_string()) << key;
  EXPECT_GE(json["threads"], 1);
  EXPECT_EQ(json["packages"], nlohmann::json::parse(R"({"numpy": "2.4.6"})"));
  const std::string text = output_of({"doctor"});
  EXPECT_THAT(text, StartsWith("version "));
  EXPECT_THAT(text, HasSubstr("\nmachine_numbers.wake"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("/"))) << "paths must not be printed";
  ::setenv("STREW_MACHINE", "/none", 1);
  EXPECT_THAT(run_program({"doctor"}).err, AllOf(HasSubstr("is ignored: "), Not(HasSubstr("/"))));
  ::unsetenv("STREW_MACHINE");
}

}  // namespace
}  // namespace strew::app

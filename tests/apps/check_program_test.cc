// Tests strew check as a child process.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"
#include "support/model_builder.h"

namespace strew::app {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CheckProgram : public Workplace {};

TEST_F(CheckProgram, ShowsNodesWithTypesAndShapes) {
  const std::string model = save("model.onnx", scatter_model());
  EXPECT_THAT(output_of({"check", model}),
              AllOf(StartsWith(model + ": opset 18, IR version 8, 1 node\nnode 'upd' (ScatterND-18)\n"),
                    HasSubstr("  indices    indices  int64 [2, 1]\n"),
                    HasSubstr("  -> output  y        float32 [4]\n"), EndsWith("\nno violations\n")));
}

TEST_F(CheckProgram, NamesTheNodeOfEveryViolation) {
  const std::string model = save("broken.onnx", broken_model());
  EXPECT_THAT(output_of({"check", model}, 2),
              AllOf(HasSubstr(model + ": node 'upd' (ScatterND-16): reduction 'max' needs opset 18"),
                    EndsWith("\n1 violation\n")));
}

TEST_F(CheckProgram, PrintsTheReportInJson) {
  const auto good = json_of({"check", save("good.onnx", scatter_model())});
  EXPECT_EQ(good["ok"], true);
  EXPECT_EQ(good["nodes"][0]["version"], 18);
  EXPECT_EQ(good["nodes"][0]["outputs"][0]["shape"], nlohmann::json::parse("[4]"));
  const auto bad = nlohmann::json::parse(output_of({"check", save("broken.onnx", broken_model()), "--json"}, 2));
  EXPECT_EQ(bad["ok"], false);
  EXPECT_EQ(bad["violations"][0]["node"], "upd");
  EXPECT_TRUE(bad["violations"][0]["code"].is_string());
}

TEST_F(CheckProgram, AcceptsADeprecatedOperatorOnlyOnRequest) {
  const std::string file = save("scatter.onnx", testing::ModelBuilder(11)
                                                    .input("x", DType::kFloat32, {{4}})
                                                    .input("i", DType::kInt64, {{4}})
                                                    .node("Scatter", {"x", "i", "x"}, {"y"})
                                                    .output("y", DType::kFloat32, std::nullopt));
  EXPECT_THAT(output_of({"check", file}, 2), HasSubstr("deprecated"));
  output_of({"check", file, "--allow-deprecated"});
}

TEST_F(CheckProgram, ShowsAnUnknownOpset) {
  const std::string model = save("new.onnx", testing::scatter_nd_model({4}, {2, 1}, {2}, {}, 99));
  EXPECT_THAT(output_of({"check", model}, 2),
              AllOf(HasSubstr("opset 99, IR version"), HasSubstr("opset 99 is not known; the newest is 28")));
}

// A model of Relu, a Gather of rows 0 and 3, and two nodes of other operators.
testing::ModelBuilder whole_model(const std::optional<testing::TestShape>& relu) {
  testing::ModelBuilder builder(17);
  builder.input("x", DType::kFloat32, {{"n", 2}})
      .initializer(testing::tensor_message<std::int64_t>("rows", {0, 3}, {2}))
      .node("Relu", {"x"}, {"r"}, {}, "relu")
      .node("Gather", {"r", "rows"}, {"y"}, {}, "pick")
      .node("Mul", {"y", "y"}, {"z"}, {}, "")
      .node("Mul", {"z", "z"}, {"w"}, {}, "")
      .output("w", DType::kFloat32, std::nullopt);
  if (relu) builder.value_info("r", DType::kFloat32, relu);
  return builder;
}

// A Gather of rows 0 and 3 from the output of another operator, whose input has shape [3, 2].
testing::ModelBuilder gather_behind(const std::string& op_type) {
  return testing::ModelBuilder(17)
      .input("x", DType::kFloat32, {{3, 2}})
      .initializer(testing::tensor_message<std::int64_t>("rows", {0, 3}, {2}))
      .node(op_type, {"x"}, {"r"}, {}, "first")
      .node("Gather", {"r", "rows"}, {"y"}, {}, "pick")
      .output("y", DType::kFloat32, std::nullopt);
}

TEST_F(CheckProgram, ChecksTheGathersAndScattersOfAWholeModel) {
  const std::string model = save("whole.onnx", whole_model(testing::TestShape{4, 2}));
  EXPECT_EQ(output_of({"check", model}),
            model +
                ": opset 17, IR version 8, 4 nodes\n"
                "node 'pick' (Gather-13)\n"
                "  data       r     float32 [4, 2]\n"
                "  indices    rows  int64 [2]\n"
                "  -> output  y     float32 [2, 2]\n"
                "3 nodes of other operators are not checked: Mul 2, Relu 1\n"
                "no violations in 1 gather or scatter\n"
                "'strew run --node NAME' runs one of them. With the package onnxruntime-ep-strew, ONNX "
                "Runtime runs the\nwhole model, and Strew runs its gathers and scatters.\n");
  const auto json = json_of({"check", model});
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["unchecked"], nlohmann::json::parse(R"({"Mul": 2, "Relu": 1})"));
  ASSERT_EQ(json["nodes"].size(), 1u);
  EXPECT_TRUE(json["nodes"][0]["graph"].is_null());
}

TEST_F(CheckProgram, InfersTheOutputOfAReluAndCountsUnknownOutputs) {
  EXPECT_THAT(output_of({"check", save("relu.onnx", gather_behind("Relu")), "--strict"}, 2),
              HasSubstr("node 'pick' (Gather-13): indices[1] = 3 is outside [-3, 2]"));
  const std::string unknown = save("unknown.onnx", gather_behind("Conv"));
  const std::string strict = output_of({"check", unknown, "--strict"}, 3);
  EXPECT_THAT(strict, EndsWith("\n1 node could not be checked fully, as a shape is unknown: Gather 1\n"));
  EXPECT_EQ(output_of({"check", unknown}), strict);
  EXPECT_EQ(json_of({"check", unknown})["unknown"], nlohmann::json::parse(R"({"Gather": 1})"));
  output_of({"check", save("good.onnx", whole_model({{4, 2}})), "--strict"});
  auto other = whole_model({{4, 2}});
  other.node("NonZero", {"x"}, {"places"}, {}, "");
  output_of({"check", save("other.onnx", other), "--strict"});
  auto bad = gather_behind("Conv");
  bad.node("Gather", {"x", "rows"}, {"z"}, {}, "outside");
  EXPECT_THAT(output_of({"check", save("bad.onnx", bad)}, 2),
              EndsWith("\n1 violation\n1 node could not be checked fully, as a shape is unknown: Gather 1\n"));
}

TEST_F(CheckProgram, ChecksOneNode) {
  const std::string model = save("whole.onnx", whole_model(testing::TestShape{3, 2}));
  EXPECT_THAT(output_of({"check", model, "--node", "pick"}, 2),
              AllOf(StartsWith("node 'pick' (Gather-13)\n"), EndsWith("\n1 violation\n")));
  expect_refused({"check", model, "--node", "relu"},
                 "whole.onnx: node 'relu' is Relu; it must be a gather or scatter");
  expect_refused({"check", model, "--node", "pcik"}, "did you mean 'pick'?");
}

TEST_F(CheckProgram, DistinguishesNodesOfOneName) {
  const auto model = testing::ModelBuilder(17)
                         .input("x", DType::kFloat32, {{3, 2}})
                         .initializer(testing::tensor_message<std::int64_t>("good", {0}, {1}))
                         .initializer(testing::tensor_message<std::int64_t>("bad", {3}, {1}))
                         .node("Gather", {"x", "good"}, {"a"}, {}, "pick")
                         .node("Gather", {"x", "bad"}, {"b"}, {}, "pick")
                         .output("b", DType::kFloat32, std::nullopt);
  const std::string file = save("twice.onnx", model);
  EXPECT_THAT(output_of({"check", file, "--node", "#0"}),
              AllOf(StartsWith("node 'pick' at #0 (Gather-13)\n"), ::testing::Not(HasSubstr("#1"))));
  EXPECT_THAT(
      output_of({"check", file, "--node", "#1"}, 2),
      AllOf(StartsWith("node 'pick' at #1 (Gather-13)\n"), HasSubstr("  -> output  b    float32 [1, 2]\n"),
            EndsWith(file + ": node 'pick' at #1 (Gather-13): indices[0] = 3 is outside [-3, 2] for axis 0 of "
                            "data with shape [3, 2]\n1 violation\n")));
  const auto json = json_of({"check", file});
  EXPECT_EQ(json["nodes"][1]["address"], "#1");
  EXPECT_EQ(json["violations"][0]["address"], "#1");
}

TEST_F(CheckProgram, CountsHiddenConstants) {
  auto model = whole_model(testing::TestShape{4, 2});
  model.node("Identity", {"x"}, {"same"}, {}, "copy");
  EXPECT_THAT(output_of({"check", save("whole.onnx", model)}),
              AllOf(HasSubstr(": opset 17, IR version 8, 5 nodes\n"),
                    HasSubstr("Mul 2, Relu 1\n1 Constant or Identity node is not shown\nno violations")));
}

TEST_F(CheckProgram, SaysThatAModelHasNoGatherOrScatter) {
  const auto model =
      testing::ModelBuilder(17).input("x", DType::kFloat32, {{2}}).node("Relu", {"x"}, {"y"}, {}, "relu");
  EXPECT_THAT(output_of({"check", save("relu.onnx", model)}),
              EndsWith("1 node of other operators is not checked: Relu 1\n"
                       "no violations: no gather or scatter\n"));
}

TEST_F(CheckProgram, NamesSparseTensorsWithoutAnError) {
  const auto model = testing::ModelBuilder(18)
                         .sparse_initializer(testing::sparse_message("weight", {5}, {1}, 4))
                         .input("ids", DType::kInt64, {{2}})
                         .node("Gather", {"weight", "ids"}, {"y"}, {}, "pick")
                         .output("y", DType::kFloat32, {{2}});
  const std::string file = save("sparse.onnx", model);
  const std::string out = output_of({"check", file});
  EXPECT_THAT(out, EndsWith("1 sparse tensor is not expanded, so its elements are not known: 'weight'\n"
                            "no violations\n"));
  const auto json = json_of({"check", file});
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["sparse"], nlohmann::json::parse(R"(["weight"])"));
}

}  // namespace
}  // namespace strew::app

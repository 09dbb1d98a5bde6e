// Checking models: names, order, declared types, unsupported nodes.
#include <gmock/gmock.h>

#include "support/model_builder.h"

namespace strew {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace strew::testing;

// An Identity chain is enough for names.
ModelBuilder base() { return ModelBuilder(18).input("x", DType::kFloat32, {{"n", 2}}); }

TEST(ModelNames, RejectsNamesThatAreMadeTwice) {
  EXPECT_EQ(base().node("Identity", {"x"}, {"a"}).node("Identity", {"x"}, {"a"}, {}, "second").violations(),
            "node 'second' (Identity-16): output 'a' has the name of another value");
  EXPECT_THAT(base().node("Identity", {"x"}, {"x"}).violations(),
              HasSubstr("output 'x' has the name of another value"));
  EXPECT_EQ(base().input("x", DType::kFloat32, std::nullopt).violations(), "two inputs are named 'x'");
}

TEST(ModelNames, RejectsInputsThatAreMadeLaterOrByNobody) {
  EXPECT_EQ(
      base().node("Identity", {"b"}, {"a"}, {}, "first").node("Identity", {"x"}, {"b"}, {}, "later").violations(),
      "node 'first' (Identity-16): input 'b' is made by node 'later', which does not come before; nodes must "
      "be sorted");
  EXPECT_EQ(base().node("Identity", {"b"}, {"a"}).violations(),
            "node 'n' (Identity-16): input 'b' is made by nobody");
  EXPECT_THAT(base().node("Identity", {"a"}, {"a"}).violations(), HasSubstr("does not come before"));
}

TEST(ModelNames, RejectsOutputsThatNobodyMakes) {
  EXPECT_EQ(base().output("y", DType::kFloat32, std::nullopt).violations(), "output 'y' is made by nobody");
  EXPECT_THAT(base().node("Identity", {"x"}, {}).violations(), HasSubstr("it has 0 outputs"));
  EXPECT_THAT(base().node("Identity", {"x"}, {""}).violations(), HasSubstr("without a name"));
  EXPECT_THAT(base().node("Identity", {"x"}, {"a", "b"}).violations(), HasSubstr("it has 2 outputs"));
}

TEST(ModelNames, NamesNoVersionWhereTheOpsetHasNone) {
  EXPECT_THAT(base().node("TensorScatter", {"x", "x"}, {"a"}).violations(), HasSubstr("(TensorScatter): "));
}

TEST(ModelNames, NumbersNodesWithoutAName) {
  EXPECT_THAT(base().node("Identity", {"b"}, {"a"}, {}, "").violations(), StartsWith("node #0 (Identity-16): "));
  const auto model = base().node("Identity", {"b"}, {"a"}, {}, "").parse();
  EXPECT_EQ(model->check().violations.front().node, "#0");
}

TEST(ModelNames, I8RejectsDeclarationsThatContradictInference) {
  const auto identity = [] { return base().node("Identity", {"x"}, {"y"}); };
  EXPECT_EQ(identity().output("y", DType::kFloat32, {{3, "?"}}).violations(), "");
  EXPECT_EQ(identity().output("y", DType::kInt64, std::nullopt).violations(),
            "node 'n' (Identity-16): output 'y' is not what the graph declares: type float32 against int64");
  EXPECT_EQ(identity().output("y", DType::kFloat32, {{"n", 3}}).violations(),
            "node 'n' (Identity-16): output 'y' is not what the graph declares: shape [n, 2] against [n, 3]: "
            "dimension 1 differs");
  EXPECT_THAT(identity().output("y", DType::kFloat32, {{2}}).violations(), HasSubstr("the ranks differ"));
  EXPECT_EQ(identity().value_info("y", DType::kFloat32, {{"n", 3}}).violations(),
            "node 'n' (Identity-16): output 'y' is not what value_info declares: shape [n, 2] against [n, 3]: "
            "dimension 1 differs");
  EXPECT_THAT(base().output("x", DType::kInt8, std::nullopt).violations(),
              StartsWith("output 'x' is not what the graph declares"));
}

TEST(ModelNames, TakesUpWhatValueInfoDeclares) {
  const auto model = base()
                         .node("Identity", {"x"}, {"y"})
                         .value_info("y", DType::kFloat32, {{7, "?"}})
                         .node("Identity", {"y"}, {"z"})
                         .parse();
  EXPECT_EQ(to_string(model->check().nodes[1].outputs[0]), "float32 [7, 2]");
}

TEST(ModelNames, RejectsInputsThatAreNoDenseTensors) {
  EXPECT_EQ(base().untyped_input("u").violations(), "input 'u' has no type");
  EXPECT_EQ(base().sequence_input("u").violations(), "input 'u' is not a dense tensor");
  EXPECT_EQ(base().input_of_type("u", 27).violations(), "input 'u' has the unknown element type 27");
  EXPECT_THAT(base().input("u", DType::kFloat32, {{-1}}).violations(), HasSubstr("-1 is negative"));
}

TEST(ModelNames, CountsTheNodesOfOtherOperatorsAndRunsNoModelWithThem) {
  const auto builder = base()
                           .node("Conv", {"x"}, {"a"}, {}, "conv")
                           .node("Gather", {"a", "x"}, {"b"}, {}, "other", "com.example")
                           .node("Identity", {"nobody"}, {"c"});
  EXPECT_EQ(builder.violations(), "node 'n' (Identity-16): input 'nobody' is made by nobody");
  const auto model = builder.parse();
  const auto unchecked = model->check().unchecked;
  ASSERT_EQ(unchecked.size(), 2u);
  EXPECT_EQ(unchecked[0].op_type, "Conv");
  EXPECT_EQ(unchecked[1].op_type, "com.example.Gather");
  const Tensor x = *Tensor::of<float>({1, 2}, {1, 2});
  const auto outputs = model->run(std::vector<std::pair<std::string, TensorView>>{{"x", x}});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(outputs.error().message(),
            "2 nodes are not a gather, scatter, Constant or Identity: Conv 1, com.example.Gather 1; ONNX Runtime "
            "runs the "
            "model, and Strew its gathers and scatters with the package onnxruntime-ep-strew");
  EXPECT_EQ(model->runnable().error().message(), outputs.error().message());
  EXPECT_EQ(model->nodes()[0].since_version, 0);
}

}  // namespace
}  // namespace strew

// Tests runs of models, and the names of their values.
#include <gmock/gmock.h>

#include "support/model_builder.h"
#include "support/refusal.h"

namespace strew {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace strew::testing;

class ScatterModel : public ::testing::Test {
 protected:
  const Tensor data = *Tensor::of<float>({1, 2, 3}, {3});
  const Tensor indices = *Tensor::of<std::int64_t>({2, 0}, {2, 1});
  const Tensor updates = *Tensor::of<float>({8, 9}, {2});
  const Model model = *scatter_nd_model({"n"}, {"i", 1}, {"i"}, {string_attribute("reduction", "add")}).parse();
};

TEST_F(ScatterModel, RunsByName) {
  const auto outputs = model.run(Inputs{{"updates", updates}, {"data", data}, {"indices", indices}}).value();
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs.front().name, "y");
  EXPECT_THAT(outputs.front().tensor.values<float>(), ElementsAre(10, 2, 11));
  EXPECT_THAT(data.values<float>(), ElementsAre(1, 2, 3));
}

TEST_F(ScatterModel, RejectsMissingUnknownAndRepeatedNames) {
  EXPECT_EQ(message_of(model.run(Inputs{{"data", data}, {"indices", indices}})), "input 'updates' is missing");
  EXPECT_EQ(message_of(model.run(Inputs{{"dat", data}})),
            "the model has no input 'dat'; inputs of the model: 'data', 'indices', 'updates'");
  EXPECT_EQ(message_of(model.run(Inputs{{"data", data}, {"data", data}})), "input 'data' is given twice");
}

TEST_F(ScatterModel, RejectsOtherTypesAndShapesThanDeclared) {
  EXPECT_EQ(message_of(model.run(Inputs{{"data", indices}, {"indices", indices}, {"updates", updates}})),
            "input 'data' is int64 [2, 1]; the model declares float32 [n]");
  EXPECT_EQ(message_of(model.run(Inputs{{"data", data}, {"indices", data}, {"updates", updates}})),
            "input 'indices' is float32 [3]; the model declares int64 [i, 1]");
  const Tensor pairs = *Tensor::of<std::int64_t>({0, 0}, {1, 2});
  EXPECT_EQ(message_of(model.run(Inputs{{"data", data}, {"indices", pairs}, {"updates", updates}})),
            "input 'indices' is int64 [1, 2]; the model declares int64 [i, 1]");
}

TEST_F(ScatterModel, BindsASymbolToOneValue) {
  EXPECT_EQ(message_of(model.run(Inputs{{"data", data}, {"indices", indices}, {"updates", data}})),
            "input 'updates' has shape [3], but the model declares [i]: i is 2 in input 'indices'");
}

TEST_F(ScatterModel, NamesTheNodeInErrorsOfARun) {
  const Tensor wrong = *Tensor::of<std::int64_t>({0, 3}, {2, 1});
  expect_refused(
      model.run(Inputs{{"data", data}, {"indices", wrong}, {"updates", updates}}), ErrorCode::kIndexOutOfRange,
      "node 'upd' (ScatterND-18): indices[1, 0] = 3 is outside [-3, 2] for axis 0 of data with shape [3]");
}

TEST_F(ScatterModel, DoesNotRunAnIllegalModel) {
  const Model illegal = *scatter_nd_model({3}, {2, 1}, {3}).parse();
  EXPECT_THAT(message_of(illegal.run(Inputs{{"data", data}, {"indices", indices}, {"updates", data}})),
              HasSubstr("node 'upd' (ScatterND-18): updates have shape [3]"));
}

TEST(ModelRun, Sc1RunsScatterAndOnRequestTheDeprecatedOne) {
  const auto model = [](std::int64_t opset) {
    return ModelBuilder(opset)
        .initializer(tensor_message<float>("data", {0, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 3}))
        .initializer(tensor_message<std::int64_t>("indices", {1, 0, 2, 0, 2, 1}, {2, 3}))
        .initializer(tensor_message<float>("updates", {1.0F, 1.1F, 1.2F, 2.0F, 2.1F, 2.2F}, {2, 3}))
        .node("Scatter", {"data", "indices", "updates"}, {"y"})
        .output("y", DType::kFloat32, {{3, 3}});
  };
  const auto expected = ElementsAre(2.0F, 1.1F, 0, 1.0F, 0, 2.2F, 0, 2.1F, 1.2F);
  LoadOptions options;
  options.allow_deprecated = true;
  EXPECT_THAT(model(9).parse()->run({})->front().tensor.values<float>(), expected);
  EXPECT_THAT(model(10).parse()->run({})->front().tensor.values<float>(), expected);
  EXPECT_THAT(model(11).parse(options)->run({})->front().tensor.values<float>(), expected);
  EXPECT_THAT(message_of(model(11).parse()->run({})), HasSubstr("deprecated"));
}

TEST(ModelRun, RunsEveryFormOfConstantExceptSparseOnes) {
  const auto constant = [](const std::string& attribute, DType type) {
    const auto model =
        ModelBuilder(18).node("Constant", {}, {"c"}, {attribute}).output("c", type, std::nullopt).parse();
    auto outputs = model->run({});
    EXPECT_TRUE(outputs.has_value()) << message_of(outputs);
    return outputs ? std::move(outputs->front().tensor) : Tensor();
  };
  const Tensor number = constant(int_attribute("value_int", -7), DType::kInt64);
  EXPECT_TRUE(number.shape().empty());
  EXPECT_THAT(number.values<std::int64_t>(), ElementsAre(-7));
  EXPECT_THAT(constant(ints_attribute("value_ints", {1, -2}), DType::kInt64).values<std::int64_t>(),
              ElementsAre(1, -2));
  EXPECT_EQ(constant(ints_attribute("value_ints", {}), DType::kInt64).shape(), Shape({0}));
  EXPECT_THAT(constant(float_attribute("value_float", 2.5F), DType::kFloat32).values<float>(), ElementsAre(2.5F));
  EXPECT_THAT(constant(floats_attribute("value_floats", {1, 2}), DType::kFloat32).values<float>(),
              ElementsAre(1, 2));
  EXPECT_THAT(constant(string_attribute("value_string", "a"), DType::kString).values<std::string>(),
              ElementsAre("a"));
  EXPECT_THAT(constant(strings_attribute("value_strings", {"a", "b"}), DType::kString).values<std::string>(),
              ElementsAre("a", "b"));
  EXPECT_THAT(
      constant(tensor_attribute("value", tensor_message<float>("", {3, 4}, {2})), DType::kFloat32).values<float>(),
      ElementsAre(3, 4));
}

// A chain of three scatters. `kept` is read again after the last scatter, so no scatter may overwrite it.
TEST(ModelRun, WritesInPlaceOnlyIfDataAreNotReadAgain) {
  const auto model =
      ModelBuilder(18)
          .input("x", DType::kFloat32, {{3}})
          .initializer(tensor_message<std::int64_t>("i", {0}, {1}))
          .initializer(tensor_message<std::int64_t>("all", {0, 1, 2}, {3}))
          .initializer(tensor_message<float>("u", {10}, {1}))
          .node("ScatterElements", {"x", "i", "u"}, {"kept"}, {string_attribute("reduction", "add")})
          .node("ScatterElements", {"kept", "i", "u"}, {"b"}, {string_attribute("reduction", "add")})
          .node("ScatterElements", {"b", "i", "u"}, {"c"}, {string_attribute("reduction", "add")})
          .node("ScatterElements", {"c", "all", "c"}, {"d"}, {string_attribute("reduction", "add")})
          .node("Gather", {"kept", "all"}, {"e"})
          .node("Identity", {"e"}, {"f"})
          .output("x", DType::kFloat32, {{3}})
          .output("d", DType::kFloat32, {{3}})
          .output("f", DType::kFloat32, {{3}})
          .output("f", DType::kFloat32, {{3}})
          .output("u", DType::kFloat32, {{1}})
          .parse();
  const Tensor x = *Tensor::of<float>({1, 2, 3}, {3});
  const auto outputs = model->run(Inputs{{"x", x}});
  ASSERT_TRUE(outputs.has_value()) << message_of(outputs);
  EXPECT_THAT((*outputs)[0].tensor.values<float>(), ElementsAre(1, 2, 3));
  EXPECT_NE((*outputs)[0].tensor.data(), x.data());
  EXPECT_THAT((*outputs)[1].tensor.values<float>(), ElementsAre(62, 4, 6));
  EXPECT_THAT((*outputs)[2].tensor.values<float>(), ElementsAre(11, 2, 3));
  EXPECT_THAT((*outputs)[3].tensor.values<float>(), ElementsAre(11, 2, 3));
  EXPECT_THAT((*outputs)[4].tensor.values<float>(), ElementsAre(10));
  EXPECT_THAT(x.values<float>(), ElementsAre(1, 2, 3));
}

TEST(ModelRun, AcceptsStridedInputs) {
  const auto model = ModelBuilder(18)
                         .input("x", DType::kFloat32, {{2, 2}})
                         .node("Identity", {"x"}, {"y"})
                         .output("y", DType::kFloat32, {{2, 2}})
                         .parse();
  const float values[4] = {1, 2, 3, 4};
  const TensorView transposed(values, DType::kFloat32, {2, 2}, {1, 2});
  const auto outputs = model->run(Inputs{{"x", transposed}});
  ASSERT_TRUE(outputs.has_value()) << message_of(outputs);
  EXPECT_THAT(outputs->front().tensor.values<float>(), ElementsAre(1, 3, 2, 4));
}

using ::testing::StartsWith;

// Returns a model with one input and no node.
ModelBuilder base() { return ModelBuilder(18).input("x", DType::kFloat32, {{"n", 2}}); }

TEST(ModelNames, RejectsNamesThatAreDefinedTwice) {
  EXPECT_EQ(base().node("Identity", {"x"}, {"a"}).node("Identity", {"x"}, {"a"}, {}, "second").violations(),
            "node 'second' (Identity-16): output 'a' has the same name as another value");
  EXPECT_THAT(base().node("Identity", {"x"}, {"x"}).violations(),
              HasSubstr("output 'x' has the same name as another value"));
  EXPECT_EQ(base().input("x", DType::kFloat32, std::nullopt).violations(), "two inputs are named 'x'");
}

TEST(ModelNames, RejectsInputsThatAreDefinedLaterOrNever) {
  EXPECT_EQ(
      base().node("Identity", {"b"}, {"a"}, {}, "first").node("Identity", {"x"}, {"b"}, {}, "later").violations(),
      "node 'first' (Identity-16): input 'b' is produced by node 'later', which does not come before this one; "
      "nodes "
      "must be in topological order");
  EXPECT_EQ(base().node("Identity", {"b"}, {"a"}).violations(),
            "node 'n' (Identity-16): input 'b' is not produced by any node");
  EXPECT_THAT(base().node("Identity", {"a"}, {"a"}).violations(), HasSubstr("does not come before"));
}

TEST(ModelNames, RejectsUndefinedOutputs) {
  EXPECT_EQ(base().output("y", DType::kFloat32, std::nullopt).violations(),
            "output 'y' is not produced by any node");
  EXPECT_THAT(base().node("Identity", {"x"}, {}).violations(), HasSubstr("it has 0 outputs"));
  EXPECT_THAT(base().node("Identity", {"x"}, {""}).violations(), HasSubstr("without a name"));
  EXPECT_THAT(base().node("Identity", {"x"}, {"a", "b"}).violations(), HasSubstr("it has 2 outputs"));
}

TEST(ModelNames, NamesNoVersionIfTheOpsetHasNone) {
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
  EXPECT_EQ(
      identity().output("y", DType::kInt64, std::nullopt).violations(),
      "node 'n' (Identity-16): output 'y' does not match the graph's declaration: type float32 versus int64");
  EXPECT_EQ(
      identity().output("y", DType::kFloat32, {{"n", 3}}).violations(),
      "node 'n' (Identity-16): output 'y' does not match the graph's declaration: shape [n, 2] versus [n, 3]: "
      "dimension 1 differs");
  EXPECT_THAT(identity().output("y", DType::kFloat32, {{2}}).violations(), HasSubstr("the ranks differ"));
  EXPECT_EQ(identity().value_info("y", DType::kFloat32, {{"n", 3}}).violations(),
            "node 'n' (Identity-16): output 'y' does not match value_info: shape [n, 2] "
            "versus [n, 3]: dimension 1 differs");
  EXPECT_THAT(base().output("x", DType::kInt8, std::nullopt).violations(),
              StartsWith("output 'x' does not match the graph's declaration"));
}

TEST(ModelNames, UsesDeclarationsOfValueInfo) {
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
  EXPECT_EQ(base().input("u", static_cast<DType>(27), std::nullopt).violations(),
            "input 'u' has the unknown element type 27");
  EXPECT_THAT(base().input("u", DType::kFloat32, {{-1}}).violations(), HasSubstr("-1 is negative"));
}

TEST(ModelNames, CountsTheNodesOfOtherOperatorsAndRunsNoModelWithThem) {
  const auto builder = base()
                           .node("Conv", {"x"}, {"a"}, {}, "conv")
                           .node("Gather", {"a", "x"}, {"b"}, {}, "other", "com.example")
                           .node("Identity", {"nobody"}, {"c"});
  EXPECT_EQ(builder.violations(), "node 'n' (Identity-16): input 'nobody' is not produced by any node");
  const auto model = builder.parse();
  const auto unchecked = model->check().unchecked;
  ASSERT_EQ(unchecked.size(), 2u);
  EXPECT_EQ(unchecked[0].op_type, "Conv");
  EXPECT_EQ(unchecked[1].op_type, "com.example.Gather");
  const Tensor x = *Tensor::of<float>({1, 2}, {1, 2});
  const auto outputs = model->run(Inputs{{"x", x}});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(
      outputs.error().message(),
      "2 nodes are not gathers, scatters, Constant or Identity: Conv 1, com.example.Gather 1; with the package "
      "onnxruntime-ep-strew, ONNX Runtime runs the model, and Strew runs its gathers and scatters");
  EXPECT_EQ(model->runnable().error().message(), outputs.error().message());
  EXPECT_EQ(model->nodes()[0].since_version, 0);
}

}  // namespace
}  // namespace strew

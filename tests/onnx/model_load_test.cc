// Tests loading of models: headers, initializers, and malformed models.
#include <gmock/gmock.h>

#include "support/model_builder.h"
#include "support/refusal.h"

namespace strew {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace strew::testing;

// y = Gather(data, i) with `i` an initializer.
ModelBuilder gather_model(std::int64_t opset, std::int64_t ir_version) {
  return ModelBuilder(opset, ir_version)
      .input("data", DType::kFloat32, {{2}})
      .initializer(tensor_message<std::int64_t>("i", {1}, {1}))
      .node("Gather", {"data", "i"}, {"y"})
      .output("y", DType::kFloat32, {{1}});
}

TEST(ModelLoad, ReportsHeaderNodesAndValues) {
  const auto model = gather_model(17, 8).parse().value();
  EXPECT_EQ(model.ir_version(), 8);
  EXPECT_EQ(model.opset(), 17);
  ASSERT_EQ(model.nodes().size(), 1u);
  EXPECT_EQ(model.nodes()[0].name, "n");
  EXPECT_EQ(model.nodes()[0].since_version, 13);
  ASSERT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(to_string(model.inputs()[0]), "float32 [2]");
  ASSERT_EQ(model.outputs().size(), 1u);
  EXPECT_EQ(to_string(model.check().nodes[0].outputs[0]), "float32 [1]");
  EXPECT_TRUE(model.check().ok());
}

TEST(ModelLoad, QuotesTheStartOfANameOfMegabytesWithoutControlCharacters) {
  const std::string name = std::string("\x1b[2J").append(3000000, 'x');
  auto model = gather_model(17, 8);
  model.node("Nonsense", {name}, {"z"}, {}, name).input(name, DType::kInt8, {{name.c_str()}});
  model.node(name, {name}, {"u"}).node("Gather", {name, name}, {"v"}, {}, name);
  EXPECT_THAT(model.violations(), HasSubstr("xxx"));
  EXPECT_LT(model.violations().size(), 10000u);
  const std::string refusal = model.parse()->runnable().error().message();
  EXPECT_THAT(refusal, HasSubstr("Nonsense"));
  EXPECT_LT(refusal.size(), 10000u);
  const std::string text =
      to_string(gather_model(17, 8).input("a", DType::kInt8, {{name.c_str()}}).parse()->inputs()[1]);
  EXPECT_THAT(text, StartsWith("int8 [ [2Jxxx"));
  EXPECT_LT(text.size(), 2000u);
}

TEST(ModelLoad, AcceptsBothNamesOfTheDefaultDomain) {
  EXPECT_EQ(gather_model(0, 8).opset_import("ai.onnx", 13).violations(), "");
  EXPECT_EQ(gather_model(0, 8).opset_import("com.example", 1).violations(),
            "opset_import has no entry for the default domain");
  EXPECT_THAT(gather_model(13, 8).opset_import("ai.onnx", 13).violations(), HasSubstr("2 entries"));
}

TEST(ModelLoad, UsesOpset1BeforeIrVersion3) {
  const auto old = gather_model(0, 2).input("i", DType::kInt64, {{1}});
  EXPECT_EQ(old.violations(), "");
  EXPECT_EQ(old.parse()->opset(), 1);
  EXPECT_EQ(old.parse()->nodes()[0].since_version, 1);
  EXPECT_THAT(gather_model(11, 2).input("i", DType::kInt64, {{1}}).violations(),
              HasSubstr("opset_import is present"));
}

TEST(ModelLoad, RejectsVersionsThatAreTooNew) {
  EXPECT_EQ(gather_model(kNewestOpset + 1, 8).violations(), "opset 29 is not known; the newest is 28");
  EXPECT_EQ(gather_model(13, kNewestIrVersion + 1).violations(), "ir_version 15 is not known; the newest is 14");
  EXPECT_THAT(gather_model(13, 0).violations(), HasSubstr("ir_version is missing"));
  EXPECT_THAT(gather_model(-1, 8).violations(), HasSubstr("opset -1 is imported"));
}

TEST(ModelLoad, L20AnInitializerIsADefaultFromIrVersion4On) {
  const auto model = gather_model(11, 4).input("i", DType::kInt64, {{1}}).parse().value();
  EXPECT_EQ(model.inputs().size(), 2u);
  EXPECT_TRUE(model.has_default("i"));
  EXPECT_FALSE(model.has_default("data"));
  EXPECT_FALSE(gather_model(11, 4).parse()->has_default("i"));  // `i` is a constant, not an input
  const Tensor data = *Tensor::of<float>({10, 20}, {2});
  const Tensor zero = *Tensor::of<std::int64_t>({0}, {1});
  EXPECT_THAT(model.run(Inputs{{"data", data}})->front().tensor.values<float>(), ElementsAre(20));
  EXPECT_THAT(model.run(Inputs{{"data", data}, {"i", zero}})->front().tensor.values<float>(), ElementsAre(10));
}

TEST(ModelLoad, L20AnInitializerIsFixedAtIrVersion3AndMustBeAnInput) {
  const auto model = gather_model(11, 3).input("i", DType::kInt64, {{1}}).parse().value();
  EXPECT_EQ(model.inputs().size(), 1u);
  EXPECT_FALSE(model.has_default("i"));
  const Tensor data = *Tensor::of<float>({10, 20}, {2});
  const Tensor zero = *Tensor::of<std::int64_t>({0}, {1});
  EXPECT_THAT(model.run(Inputs{{"data", data}})->front().tensor.values<float>(), ElementsAre(20));
  EXPECT_THAT(model.run(Inputs{{"data", data}, {"i", zero}}).error().message(),
              HasSubstr("fixed by an initializer"));
  EXPECT_THAT(gather_model(11, 3).violations(), HasSubstr("initializer 'i' is not a graph input"));
}

TEST(ModelLoad, RejectsInitializersThatContradictTheirInputOrEachOther) {
  EXPECT_THAT(gather_model(11, 4).input("i", DType::kInt64, {{2}}).violations(),
              HasSubstr("initializer 'i' does not match the declared input: shape [2] versus [1]"));
  EXPECT_THAT(gather_model(11, 4).initializer(tensor_message<std::int64_t>("i", {1}, {1})).violations(),
              HasSubstr("two initializers are named 'i'"));
  EXPECT_THAT(gather_model(11, 4).initializer(tensor_message<std::int64_t>("", {1}, {1})).violations(),
              HasSubstr("initializer #1 has no name"));
}

ModelBuilder sparse_model(const std::string& sparse, std::int64_t ir_version = 8) {
  return ModelBuilder(11, ir_version)
      .sparse_initializer(sparse)
      .initializer(tensor_message<std::int64_t>("i", {3, 0, 1}, {3}))
      .node("Gather", {"data", "i"}, {"y"})
      .output("y", DType::kFloat32, {{3}});
}

TEST(ModelLoad, KnowsTheTypeAndShapeOfASparseInitializerButNotItsElements) {
  const auto model = sparse_model(sparse_message("data", {5, 7}, {1, 3}, 4)).parse().value();
  const CheckReport report = model.check();
  EXPECT_TRUE(report.ok()) << report.violations.front().error.message();
  EXPECT_THAT(report.sparse, ElementsAre("data"));
  EXPECT_EQ(to_string(report.nodes[0].inputs[0]), "float32 [4]");
  EXPECT_EQ(to_string(report.nodes[0].outputs[0]), "float32 [3]");
  expect_refused(model.run({}), ErrorCode::kUnsupported,
                 "'data' is sparse, and sparse tensors are not expanded; make it a dense initializer");
}

TEST(ModelLoad, ChecksTheFieldsOfASparseInitializer) {
  EXPECT_THAT(sparse_model(sparse_message("data", {5}, {1}, 3)).violations(),
              HasSubstr("indices[0] = 3 is outside [-3, 2]"));
  EXPECT_EQ(sparse_model(sparse_message("data", {5}, {1}, -4)).violations(),
            "initializer 'data' is declared with shape [-4]: -4 is negative");
  const std::string sound = sparse_message("data", {5}, {1}, 4);
  EXPECT_THAT(sparse_model("").violations(), HasSubstr("an initializer has no name"));
  EXPECT_EQ(sparse_model(sound).sparse_initializer(sound).violations(), "two initializers are named 'data'");
  EXPECT_EQ(sparse_model(sound).initializer(tensor_message<float>("data", {1, 2, 3, 4}, {4})).violations(),
            "two initializers are named 'data'");
  EXPECT_EQ(sparse_model(sound, 3).input("i", DType::kInt64, {{3}}).violations(),
            "initializer 'data' is not a graph input; ir_version 3 requires it to be one");
  EXPECT_THAT(sparse_model(sound).input("data", DType::kFloat64, {{4}}).violations(),
              HasSubstr("initializer 'data' does not match the declared input: "));
}

TEST(ModelLoad, InfersNothingForASparseConstant) {
  const auto model = ModelBuilder(18)
                         .node("Constant", {}, {"c"}, {sparse_attribute("sparse_value", "anything")}, "c")
                         .node("Gather", {"c", "c"}, {"y"}, {}, "g")
                         .output("y", DType::kFloat32, std::nullopt)
                         .parse()
                         .value();
  const CheckReport report = model.check();
  EXPECT_TRUE(report.ok()) << report.violations.front().error.message();
  EXPECT_THAT(report.sparse, ElementsAre("c"));
  EXPECT_EQ(to_string(report.nodes[0].outputs[0]), "unknown");
  EXPECT_EQ(model.runnable().error().message(),
            "'c' is sparse, and sparse tensors are not expanded; make it a dense initializer");
}

TEST(ModelLoad, RejectsBytesThatAreNoModel) {
  expect_refused(Model::parse({}), ErrorCode::kInvalidModel,
                 "model: there is no graph: this is not an ONNX model");
  const std::string bytes = gather_model(11, 4).bytes() + gather_model(11, 4).bytes();
  EXPECT_THAT(message_of(Model::parse(std::as_bytes(std::span(bytes)))), HasSubstr("two graphs"));
  EXPECT_THAT(gather_model(11, 4).initializer("\x08").violations(), StartsWith("model: "));
}

TEST(ModelParse, RejectsAnEmptyNameOfAFolder) {
  LoadOptions options;
  options.external_data_dir = "";
  EXPECT_EQ(message_of(Model::parse({}, options)), "model: external_data_dir is empty; '.' is the current folder");
}

}  // namespace
}  // namespace strew

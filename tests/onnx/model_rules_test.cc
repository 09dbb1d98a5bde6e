// Tests checks of models: operator versions, attributes, types and shapes of nodes.
#include <gmock/gmock.h>

#include "support/model_builder.h"

namespace strew {
namespace {

using ::testing::HasSubstr;
using namespace strew::testing;

// A model of one node with three inputs: data [3, 3], indices and updates [2, 3].
ModelBuilder elements(const std::string& op_type, std::int64_t opset,
                      const std::vector<std::string>& attributes = {}, DType type = DType::kFloat32,
                      DType update_type = DType::kFloat32) {
  return ModelBuilder(opset)
      .input("data", type, {{3, 3}})
      .input("indices", DType::kInt64, {{2, 3}})
      .input("updates", update_type, {{2, 3}})
      .node(op_type, {"data", "indices", "updates"}, {"y"}, attributes)
      .output("y", type, {{3, 3}});
}

ModelBuilder gather(std::int64_t opset, const std::vector<std::string>& attributes = {},
                    DType type = DType::kFloat32, DType index_type = DType::kInt64) {
  return ModelBuilder(opset)
      .input("data", type, {{2, 3}})
      .input("indices", index_type, {{2, 1}})
      .node("Gather", {"data", "indices"}, {"y"}, attributes)
      .output("y", type, std::nullopt);
}

TEST(ModelRules, Se16Se17ChecksReductions) {
  EXPECT_EQ(elements("ScatterElements", 18, {string_attribute("reduction", "max")}).violations(), "");
  EXPECT_EQ(elements("ScatterElements", 17, {string_attribute("reduction", "max")}).violations(),
            "node 'n' (ScatterElements-16): reduction 'max' needs opset 18 or newer");
  EXPECT_EQ(
      elements("ScatterElements", 13, {string_attribute("reduction", "add")}).violations(),
      "node 'n' (ScatterElements-13): Unrecognized attribute: reduction for ScatterElements-13; reduction was "
      "added in opset 16");
  for (const char* unknown : {"sum", "ADD", "", "sub", "mean"}) {
    EXPECT_THAT(elements("ScatterElements", 18, {string_attribute("reduction", unknown)}).violations(),
                HasSubstr("' is not known; it must be 'none'"));
  }
}

TEST(ModelRules, Sc1Sc2Sc4RejectsScatterFromOpset11OnAndItsReduction) {
  EXPECT_EQ(elements("Scatter", 9).violations(), "");
  EXPECT_EQ(elements("Scatter", 10).violations(), "");
  EXPECT_EQ(elements("Scatter", 11).violations(),
            "node 'n' (Scatter-11): Scatter has been deprecated since opset 11 (the model imports opset 11); use "
            "ScatterElements, which computes the same result");
  EXPECT_THAT(elements("Scatter", 8).violations(),
              HasSubstr("Scatter is not in opset 8; it was added in opset 9"));
  EXPECT_EQ(elements("Scatter", 10, {string_attribute("reduction", "add")}).violations(),
            "node 'n' (Scatter-9): Unrecognized attribute: reduction for Scatter-9");
}

TEST(ModelRules, AllowsTheDeprecatedScatterOnRequestWithItsOwnTypes) {
  LoadOptions options;
  options.allow_deprecated = true;
  EXPECT_EQ(elements("Scatter", 18).violations(options), "");
  EXPECT_THAT(elements("Scatter", 18, {}, DType::kBFloat16, DType::kBFloat16).violations(options),
              HasSubstr("does not take"));
}

TEST(ModelRules, ChecksInitializersAndConstantsAsIndices) {
  const auto model = [](ModelBuilder builder) {
    return builder.input("data", DType::kFloat32, {{"n", 3}})
        .node("Gather", {"data", "i"}, {"y"}, {int_attribute("axis", 1)})
        .violations();
  };
  const std::string expected =
      "node 'n' (Gather-13): indices[1] = 3 is outside [-3, 2] for axis 1 of data with shape [n, 3]";
  EXPECT_EQ(model(ModelBuilder(13).initializer(tensor_message<std::int64_t>("i", {0, 3}, {2}))), expected);
  EXPECT_EQ(model(ModelBuilder(13).node("Constant", {}, {"i"}, {ints_attribute("value_ints", {0, 3})}, "c")),
            expected);
  EXPECT_EQ(model(ModelBuilder(13)
                      .node("Constant", {}, {"c"}, {ints_attribute("value_ints", {0, 3})}, "c")
                      .node("Identity", {"c"}, {"i"}, {}, "id")),
            expected);
  EXPECT_EQ(model(ModelBuilder(13)  // the index is only a default, which a caller may override
                      .input("i", DType::kInt64, {{2}})
                      .initializer(tensor_message<std::int64_t>("i", {0, 3}, {2}))),
            "");
}

TEST(ModelRules, RejectsAttributesOfAWrongKind) {
  EXPECT_EQ(gather(13, {float_attribute("axis", 1)}).violations(),
            "node 'n' (Gather-13): attribute axis is FLOAT; it must be INT");
  EXPECT_EQ(gather(13, {raw_attribute("axis", 3, 1, 0)}).violations(),
            "node 'n' (Gather-13): attribute axis has no type");
  EXPECT_EQ(gather(13, {raw_attribute("axis", 3, 1, 1)}).violations(),
            "node 'n' (Gather-13): attribute axis is declared as FLOAT but has INT");
  EXPECT_THAT(gather(13, {raw_attribute("axis", 3, 1, 15)}).violations(), HasSubstr("the unknown type 15"));
  EXPECT_THAT(gather(13, {int_attribute("axis", 0) + float_attribute("axis", 1)}).violations(),
              HasSubstr("has 2 values (INT, FLOAT)"));
  EXPECT_THAT(gather(13, {int_attribute("axis", 0), int_attribute("axis", 0)}).violations(),
              HasSubstr("attribute axis occurs twice"));
  EXPECT_THAT(gather(13, {int_attribute("axis", 0) + std::string("\xaa\x01\x01z", 4)}).violations(),
              HasSubstr("refers to the attribute z of a function"));
}

TEST(ModelRules, ReadsAttributesWithoutTypeAtIrVersion1) {
  const auto model = [](std::int64_t axis) {
    return ModelBuilder(0, 1)
        .input("data", DType::kFloat32, {{2, 3}})
        .input("i", DType::kInt64, {{1}})
        .node("Gather", {"data", "i"}, {"y"}, {raw_attribute("axis", 3, axis, 0)})
        .violations();
  };
  EXPECT_EQ(model(1), "");
  EXPECT_THAT(model(2), HasSubstr("axis 2 is outside"));
}

TEST(ModelRules, ListsAllViolationsOfANode) {
  const std::string lines =
      gather(13, {int_attribute("batch_dims", 0), float_attribute("axis", 1)}, DType::kInt4, DType::kInt8)
          .violations();
  EXPECT_THAT(lines, HasSubstr("Unrecognized attribute: batch_dims"));
  EXPECT_THAT(lines, HasSubstr("attribute axis is FLOAT"));
  EXPECT_THAT(lines, HasSubstr("data has type int4"));
  EXPECT_THAT(lines, HasSubstr("indices have type int8"));
}

TEST(ModelRules, ChecksConstantAndIdentity) {
  const auto constant = [](std::int64_t opset, const std::vector<std::string>& attributes) {
    return ModelBuilder(opset).node("Constant", {}, {"c"}, attributes).violations();
  };
  EXPECT_EQ(constant(12, {int_attribute("value_int", 1)}), "");
  EXPECT_EQ(constant(11, {int_attribute("value_int", 1)}),
            "node 'n' (Constant-11): Unrecognized attribute: value_int for Constant-11; value_int was added in "
            "opset 12");
  EXPECT_THAT(constant(12, {int_attribute("value_float", 1)}), HasSubstr("attribute value_float is INT"));
  EXPECT_THAT(constant(12, {int_attribute("val", 1)}), HasSubstr("Unrecognized attribute: val"));
  EXPECT_THAT(constant(12, {}), HasSubstr("it has 0 attributes"));
  EXPECT_THAT(constant(12, {int_attribute("value_int", 1), int_attribute("value_int", 1)}),
              HasSubstr("2 attributes"));
  EXPECT_THAT(ModelBuilder(18).node("Identity", {}, {"y"}).violations(),
              HasSubstr("it has 0 inputs; Identity takes one"));
  const auto identity = [](std::int64_t opset) {
    return ModelBuilder(opset).input("x", DType::kInt4, {{2}}).node("Identity", {"x"}, {"y"}).violations();
  };
  EXPECT_THAT(identity(20), HasSubstr("Identity does not support int4 before opset 21"));
  EXPECT_EQ(identity(21), "");
}

}  // namespace
}  // namespace strew

// Tests the table of operators, and names of values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "strew/explain.h"
#include "strew/operators.h"
#include "strew/plan.h"
#include "support/refusal.h"

namespace strew {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> versions_of(std::string_view op_type) {
  std::vector<std::int64_t> versions;
  for (const OperatorVersion& op : operator_versions()) {
    if (op.op_type == op_type) versions.push_back(op.since_version);
  }
  return versions;
}

const OperatorVersion& version(std::string_view op_type, std::int64_t opset) {
  return **find_operator(op_type, opset);
}

std::set<DType> types_of(std::string_view op_type, std::int64_t opset) {
  const auto& types = version(op_type, opset).types;
  std::set<DType> unique(types.begin(), types.end());
  EXPECT_EQ(unique.size(), types.size());
  return unique;
}

std::set<DType> first_16_without_bfloat16() {
  std::set<DType> types;
  for (int number = 1; number <= 15; ++number) types.insert(static_cast<DType>(number));
  return types;
}

TEST(OperatorTable, ListsEveryVersion) {
  EXPECT_THAT(versions_of("Gather"), ElementsAre(1, 11, 13));
  EXPECT_THAT(versions_of("GatherElements"), ElementsAre(11, 13));
  EXPECT_THAT(versions_of("GatherND"), ElementsAre(11, 12, 13));
  EXPECT_THAT(versions_of("Scatter"), ElementsAre(9, 11));
  EXPECT_THAT(versions_of("ScatterElements"), ElementsAre(11, 13, 16, 18));
  EXPECT_THAT(versions_of("ScatterND"), ElementsAre(11, 13, 16, 18));
  EXPECT_THAT(versions_of("TensorScatter"), ElementsAre(24));
  EXPECT_EQ(operator_versions().size(), 19u);
}

TEST(OperatorTable, HasTheTypesOfEachVersion) {
  std::set<DType> with_bfloat16 = first_16_without_bfloat16();
  with_bfloat16.insert(DType::kBFloat16);
  std::set<DType> all_but_two_bits = with_bfloat16;
  for (int number = 17; number <= 24; ++number) all_but_two_bits.insert(static_cast<DType>(number));
  for (const OperatorVersion& op : operator_versions()) {
    const auto& expected = op.op_type == "TensorScatter" ? all_but_two_bits
                           : op.since_version >= 13      ? with_bfloat16
                                                         : first_16_without_bfloat16();
    EXPECT_EQ(types_of(op.op_type, op.since_version), expected) << op.op_type << op.since_version;
  }
}

TEST(OperatorTable, GivesNdOperatorsInt64IndicesOnly) {
  for (const OperatorVersion& op : operator_versions()) {
    const bool only_int64 = op.op_type == "GatherND" || op.op_type == "ScatterND" || op.op_type == "TensorScatter";
    if (only_int64) {
      EXPECT_THAT(op.index_types, ElementsAre(DType::kInt64)) << op.op_type;
    } else {
      EXPECT_THAT(op.index_types, ElementsAre(DType::kInt32, DType::kInt64)) << op.op_type;
    }
  }
}

TEST(OperatorTable, HasTheAttributesOfEachVersion) {
  std::map<std::string, std::string> found;
  for (const OperatorVersion& op : operator_versions()) {
    std::string text;
    for (const AttributeInfo& attribute : op.attributes) {
      text +=
          std::string(attribute.name) + '=' +
          (attribute.is_string() ? std::string(attribute.default_string) : std::to_string(attribute.default_int));
      for (std::string_view legal : attribute.legal_strings) text += '|' + std::string(legal);
      text += ' ';
    }
    found[std::string(op.op_type) + std::to_string(op.since_version)] = text;
  }
  const std::string r16 = "reduction=none|none|add|mul ";
  const std::string r18 = "reduction=none|none|add|mul|max|min ";
  const std::map<std::string, std::string> expected = {
      {"Gather1", "axis=0 "},
      {"Gather11", "axis=0 "},
      {"Gather13", "axis=0 "},
      {"GatherElements11", "axis=0 "},
      {"GatherElements13", "axis=0 "},
      {"GatherND11", ""},
      {"GatherND12", "batch_dims=0 "},
      {"GatherND13", "batch_dims=0 "},
      {"Scatter9", "axis=0 "},
      {"Scatter11", "axis=0 "},
      {"ScatterElements11", "axis=0 "},
      {"ScatterElements13", "axis=0 "},
      {"ScatterElements16", "axis=0 " + r16},
      {"ScatterElements18", "axis=0 " + r18},
      {"ScatterND11", ""},
      {"ScatterND13", ""},
      {"ScatterND16", r16},
      {"ScatterND18", r18},
      {"TensorScatter24", "axis=-2 mode=linear|linear|circular "}};
  EXPECT_EQ(found, expected);
}

TEST(OperatorTable, FindsTheLargestVersionNotAboveTheOpset) {
  EXPECT_EQ(version("ScatterND", 17).since_version, 16);
  EXPECT_EQ(version("ScatterND", 28).since_version, 18);
  EXPECT_EQ(version("Gather", 12).since_version, 11);
  EXPECT_EQ(version("Gather", 9).since_version, 1);
  EXPECT_FALSE(version("Scatter", 10).deprecated);
  EXPECT_TRUE(version("Scatter", 11).deprecated);
}

TEST(OperatorTable, OnlyWriteIndicesMayBeLeftOut) {
  for (const OperatorVersion& op : operator_versions()) {
    for (const InputInfo& input : op.inputs) {
      EXPECT_EQ(input.optional, input.name == "write_indices") << op.op_type << ' ' << input.name;
    }
  }
}

TEST(OperatorTable, SaysWhyThereIsNoVersion) {
  expect_refused(find_operator("ScatterND", 10), ErrorCode::kInvalidModel,
                 "ScatterND is not in opset 10; it was added in opset 11");
  expect_refused(find_operator("Conv", 18), ErrorCode::kUnsupported);
  expect_refused(find_operator("Gather", kNewestOpset + 1), ErrorCode::kUnsupported);
}

// Expects that `from_name` returns each enumerator up to `last` for its name.
template <class Enum>
void expect_names(Enum last, std::string_view (*name)(Enum), std::optional<Enum> (*from_name)(std::string_view)) {
  for (int number = 0; number <= static_cast<int>(last); ++number) {
    const auto value = static_cast<Enum>(number);
    EXPECT_EQ(from_name(name(value)), value) << name(value);
  }
}

TEST(Names, ConvertToTextAndBack) {
  expect_names(Reduction::kMean, reduction_name, reduction_from_name);
  expect_names(OpKind::kTensorScatter, op_name, op_from_name);
  expect_names(ErrorCode::kDevice, error_code_name, error_code_from_name);
  expect_names(AccDType::kFloat32, acc_dtype_name, acc_dtype_from_name);
  expect_names(WriteMode::kCircular, write_mode_name, write_mode_from_name);
  expect_names(OutOfBounds::kDrop, out_of_bounds_name, out_of_bounds_from_name);
  expect_names(NegativeIndices::kOutOfBounds, negative_indices_name, negative_indices_from_name);
  expect_names(StrategyKind::kPrivateCopy, strategy_name, strategy_from_name);
}

TEST(Names, AreNotFoundForOtherText) {
  for (const char* text : {"", "ADD", "sum", "add ", "None"}) EXPECT_FALSE(reduction_from_name(text)) << text;
  for (const char* text : {"sum", "mean", "sub", "xor"}) EXPECT_FALSE(onnx_reduction_from_name(text)) << text;
  EXPECT_EQ(onnx_reduction_from_name("max"), Reduction::kMax);
  EXPECT_FALSE(op_from_name("GatherND"));
  EXPECT_FALSE(error_code_from_name("unknown error"));
  EXPECT_FALSE(write_mode_from_name("foo"));
  EXPECT_FALSE(strategy_from_name("fast"));
}

}  // namespace
}  // namespace strew

// Tests the inference of types and shapes. Codes such as G15 are numbered cases of the conformance suite.
#include <gmock/gmock.h>

#include "onnx/infer_support.h"
#include "support/refusal.h"

namespace strew {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace strew::testing;

void expect_inferred(std::string_view op_type, std::int64_t opset, const std::vector<ValueInfo>& inputs,
                     const std::string& expected, const NodeAttributes& attributes = {}) {
  EXPECT_EQ(inferred(op(op_type, opset), inputs, attributes), expected) << op_type;
}

void expect_rejected(std::string_view op_type, std::int64_t opset, const std::vector<ValueInfo>& inputs,
                     const std::string& reason, const NodeAttributes& attributes = {}) {
  EXPECT_THAT(inferred(op(op_type, opset), inputs, attributes), HasSubstr(reason)) << op_type;
}

constexpr auto kNoShape = std::nullopt;

TEST(Inference, I1I2I5I7KeepsSymbolsAndInfersOnlyTheTypeIfARankIsUnknown) {
  expect_inferred("Gather", 13, {floats({{"n", 3, "?"}}), int64s({{"i", 2}})}, "float32 [n, i, 2, ?]",
                  ints("axis", 1));
  expect_inferred("Gather", 13, {floats({{"n", 3}}), int64s(TestShape{})}, "float32 [n]", ints("axis", -1));
  expect_inferred("Gather", 13, {floats(kNoShape), int64s({{2}})}, "float32 of unknown rank");
  expect_inferred("Gather", 13, {floats({{2}}), int64s(kNoShape)}, "float32 of unknown rank");
  expect_inferred("Gather", 13, {unknown(), unknown()}, "unknown");
  expect_inferred("Gather", 13, {value(DType::kBFloat16, {{2}}), int64s({{1}})}, "bfloat16 [1]");
  expect_inferred("GatherElements", 13, {floats({{3, "n"}}), int64s({{"i", 4}})}, "float32 [i, 4]");
  expect_inferred("GatherElements", 13, {floats(kNoShape), int64s({{"i", 4}})}, "float32 [i, 4]");
  expect_inferred("GatherElements", 13, {floats({{"n", 3}}), int64s({{"i", 4}})}, "float32 [i, 4]");
  expect_inferred("GatherElements", 13, {floats({{"n", 3}}), int64s({{0, 4}})}, "float32 [0, 4]");
  expect_inferred("GatherElements", 13, {floats({{3, "n"}}), int64s({{4, 4}})}, "float32 [4, 4]");
  expect_inferred("GatherND", 13, {floats({{2, 2}}), int64s({{2}})}, "float32 []");
  expect_inferred("GatherND", 13, {floats({{2, 2}}), int64s({{2, "k"}})}, "float32 of unknown rank");
  expect_inferred("GatherND", 13, {floats({{2, "m", 4, "w"}}), int64s({{"b", "c", "q", 1}})},
                  "float32 [2, c, q, w]", ints("batch_dims", 2));
  expect_inferred("GatherND", 13, {floats({{"m", 4, "w"}}), int64s({{"?", 1}})}, "float32 [m, w]",
                  ints("batch_dims", 1));
  expect_inferred("ScatterElements", 18, {floats({{"n", 3}}), int64s({{"i", 2}}), floats({{"i", 2}})},
                  "float32 [n, 3]");
  expect_inferred("ScatterElements", 18, {floats({{"n", 3}}), int64s(kNoShape), floats(kNoShape)},
                  "float32 [n, 3]");
  expect_inferred("ScatterND", 18, {floats({{"n", 3}}), int64s({{"i", 1}}), floats({{"j", 3}})}, "float32 [n, 3]");
  expect_inferred("ScatterND", 18, {floats({{"n", 3}}), int64s({{"i", "k"}}), floats({{"i"}})}, "float32 [n, 3]");
  expect_inferred("TensorScatter", 24, {floats({{"b", 8, 3}}), floats({{"b", "s", 3}}), int64s({{"b"}})},
                  "float32 [b, 8, 3]");
}

TEST(Inference, RejectsTypesAndAttributesThatTheVersionLacks) {
  const ValueInfo brain = value(DType::kBFloat16, {{2}});
  const ValueInfo words = value(DType::kString, {{2}});
  const ValueInfo many_words = value(DType::kString, {{"n"}});
  const std::vector<ValueInfo> nd = {floats({{2}}), int64s({{1, 1}}), floats({{1}})};
  const NodeAttributes twice = {{}, {{"reduction", "add"}, {"reduction", "mul"}}};
  const std::string no_mul = "reduction 'mul' is not supported for string";
  // G15 and SE20: types that were added in opset 13.
  expect_rejected("Gather", 11, {brain, int64s({{1}})},
                  "Gather-11: data has type bfloat16, which Gather-11 does not take; it was added in opset 13");
  expect_rejected("ScatterElements", 12, {brain, int64s({{2}}), brain}, "does not take");
  // ND15 and SN21.
  expect_rejected("GatherND", 13, {floats({{2}}), value(DType::kInt32, {{1, 1}})},
                  "GatherND-13: indices have type int32; they must have int64");
  expect_rejected("ScatterND", 18, {floats({{2}}), value(DType::kInt32, {{1, 1}}), floats({{1}})},
                  "they must have int64");
  // SE18 and SE8.
  expect_rejected(
      "ScatterElements", 18, {floats({{2}}), int64s({{2}}), value(DType::kFloat64, {{2}})},
      "ScatterElements-18: updates have type float64 but data has float32; both must have the same type");
  expect_rejected("ScatterElements", 18, {words, int64s({{2}}), words}, no_mul, strings("reduction", "mul"));
  expect_rejected("ScatterElements", 18, {many_words, int64s({{"n"}}), many_words}, no_mul,
                  strings("reduction", "mul"));
  expect_rejected(
      "ScatterND", 13, nd,
      "ScatterND-13: Unrecognized attribute: reduction for ScatterND-13; reduction was added in opset 16",
      strings("reduction", "add"));
  expect_rejected("ScatterND", 18, nd, "ScatterND-18: Unrecognized attribute: axis for ScatterND-18",
                  ints("axis", 0));
  expect_rejected("ScatterND", 18, nd, "ScatterND-18: attribute reduction is INT; it must be STRING",
                  ints("reduction", 1));
  expect_rejected("ScatterND", 18, nd, "ScatterND-18: attribute reduction occurs twice", twice);
  expect_rejected("Gather", 13, {floats({{2}})}, "Gather-13: input 1 (indices) is missing");
  expect_rejected("Gather", 13, {floats({{2}}), {}}, "Gather-13: input 1 (indices) is missing");
  expect_rejected("Gather", 13, {}, "Gather-13: input 0 (data) is missing");
  expect_rejected("Gather", 13, {floats({{2}}), int64s({{1}}), int64s({{1}})},
                  "Gather-13: it has 3 inputs; the operator takes 2");
  expect_rejected("Gather", 13, {floats(TestShape(40, "n")), int64s(TestShape(40, "n"))}, "output has rank 79");
  expect_rejected("Gather", 13, {floats(TestShape(65, "n")), int64s({{"n"}})}, "data has rank 65");
  expect_rejected("Gather", 13, {floats({{"n", -1}}), int64s({{"n"}})}, "-1 is negative");
}

TEST(Inference, RejectsShapesThatFitForNoValuesOfTheirSymbols) {
  const ValueInfo cache = floats({{"b", 8, 3}});
  const ValueInfo steps = floats({{"b", "s", 3}});
  const std::string negative = "GatherND-13: batch_dims -1 is outside [0, 1] for data of shape ";
  // G13, GE4 and GE8.
  expect_rejected("Gather", 13, {floats(TestShape{}), int64s({{"i"}})}, "axis 0 is outside");
  expect_rejected("GatherElements", 13, {floats({{"n", 3}}), int64s({{1, 4}})},
                  "dimension 1 is 4, more than the 3 of data with shape [n, 3]");
  expect_rejected("GatherElements", 13, {floats({{"n"}}), int64s({{1, 4}})}, "the ranks must be equal");
  // I3, ND6 to ND9 and ND12.
  expect_rejected("GatherND", 13, {floats({{2, 2}}), int64s({{2, 1}})}, negative + "[2, 2]",
                  ints("batch_dims", -1));
  expect_rejected("GatherND", 13, {floats({{"n", 2}}), int64s({{"n", 1}})}, negative + "[n, 2]",
                  ints("batch_dims", -1));
  expect_rejected("GatherND", 13, {floats({{2, "n", 2}}), int64s({{3, 1}})},
                  "batch dimension 0 is 2 in data of shape [2, n, 2] but 3", ints("batch_dims", 1));
  expect_rejected("GatherND", 13, {floats({{"n"}}), int64s({{2, 0}})}, "tuples of length 0");
  expect_rejected("GatherND", 13, {floats({{"n", 2}}), int64s({{2, 3}})}, "1 to 2 are possible");
  expect_rejected("GatherND", 13, {floats({{"n", 2}}), int64s({{"n", 2}})}, "; 1 is possible",
                  ints("batch_dims", 1));
  expect_rejected("GatherND", 13, {floats(kNoShape), int64s({{2, 2}})},
                  "batch_dims 2 is outside [0, 1] for indices of shape [2, 2]", ints("batch_dims", 2));
  expect_rejected("GatherND", 13, {floats({{"n"}}), int64s(TestShape{})}, "the rank must be 1 or more");
  // SE12 and SE19.
  expect_rejected("ScatterElements", 18, {floats({{"n", 3}}), int64s({{"i", 2}}), floats({{"i", 1}})},
                  "updates have shape [i, 1]; they must have [i, 2] (the shape of indices)");
  expect_rejected("ScatterElements", 18, {floats({{"n", 3}}), int64s(kNoShape), floats({{"i"}})}, "rank 2");
  expect_rejected("ScatterElements", 18, {floats(kNoShape), int64s({{"i"}}), floats({{"i"}})},
                  "axis 1 is outside [-1, 0] for indices", ints("axis", 1));
  // I4 and SN18.
  expect_rejected("ScatterND", 18, {floats({{4, 3}}), int64s({{2, 1}}), floats({{2, 2}})},
                  "ScatterND-18: updates have shape [2, 2]; they must have [2, 3] (indices.shape[:-1] ++ "
                  "data.shape[indices.shape[-1]:]) for data of shape [4, 3] and indices of shape [2, 1]");
  expect_rejected("ScatterND", 18, {floats({{"n", 3}}), int64s({{"i", 1}}), floats({{"i", 4}})},
                  "updates have shape [i, 4]; they must have [i, 3]");
  expect_rejected("ScatterND", 18, {floats({{"n", 3}}), int64s({{"i", 1}}), floats({{"i"}})}, "updates");
  expect_rejected("ScatterND", 18, {floats({{"n", 3}}), int64s({{"i", 3}}), floats({{"i"}})},
                  "0 to 2 are possible");
  expect_rejected("ScatterND", 18, {floats(TestShape{}), int64s({{"i", 0}}), floats({{"i"}})}, "rank 0");
  expect_rejected("ScatterND", 18, {floats({{"n"}}), int64s(TestShape{}), floats({{"n"}})}, "rank 0");
  // TS6, TS10 and TS15.
  expect_rejected("TensorScatter", 24, {floats({{"b", 8}}), floats({{"b", "s"}})}, "batch axis");
  expect_rejected("TensorScatter", 24, {cache, steps}, "batch axis", ints("axis", 0));
  expect_rejected("TensorScatter", 24, {cache, steps}, "axis 3 is outside [-3, 2]", ints("axis", 3));
  expect_rejected("TensorScatter", 24, {cache, floats({{"b", 9, 3}})}, "is 9 long on axis 1, more than the 8");
  expect_rejected("TensorScatter", 24, {cache, floats({{"b", "s", 2}})}, "dimension 2 is 2");
  expect_rejected("TensorScatter", 24, {cache, floats({{"b", 3}})}, "ranks must be equal", ints("axis", 1));
  expect_rejected("TensorScatter", 24, {floats({{2, "m", 3}}), floats({{2, 1, 3}}), int64s({{3}})},
                  "write_indices have shape [3]");
  expect_rejected("TensorScatter", 24, {floats({{2, "m", 3}}), floats({{2, 1, 3}}), int64s({{2, 1}})},
                  "they must have [2]");
}

TEST(Inference, I6G5RejectsAnAxisOutOfRangeWithoutTruncation) {
  for (const std::int64_t axis : {std::int64_t{2}, std::int64_t{-3}, std::int64_t{1} << 32}) {
    const std::string message =
        "Gather-13: axis " + std::to_string(axis) + " is outside [-2, 1] for data of shape ";
    EXPECT_THAT(inferred(op("Gather", 13), {floats({{2, 3}}), int64s({{2}})}, ints("axis", axis)),
                StartsWith(message));
    EXPECT_THAT(inferred(op("Gather", 13), {floats({{"n", 3}}), int64s({{2}})}, ints("axis", axis)),
                StartsWith(message));
    EXPECT_THAT(inferred(op("Gather", 13), {floats({{"n", 3}}), int64s(std::nullopt)}, ints("axis", axis)),
                StartsWith(message));
  }
}

TEST(Inference, G14RejectsIndexTypesThatTheVersionDoesNotTake) {
  for (const DType type : {DType::kFloat32, DType::kUInt32, DType::kInt16}) {
    expect_refused(
        infer_node(op("Gather", 13), std::vector{floats({{2}}), value(type, {{1}})}, {}), ErrorCode::kInvalidType,
        "Gather-13: indices have type " + std::string(dtype_name(type)) + "; they must have int32 or int64");
  }
}

TEST(Inference, G16RejectsNarrowTypesOutsideTensorScatter) {
  for (const DType type : {DType::kInt4, DType::kFloat8E4M3FN, DType::kInt2}) {
    for (const std::int64_t opset : {1, 11, 13, 28}) {
      EXPECT_THAT(inferred(op("Gather", opset), {value(type, {{2}}), int64s({{1}})}),
                  ::testing::EndsWith("does not take"));
    }
  }
}

TEST(Inference, Ts13AcceptsNarrowTypesExceptThoseOfTwoBits) {
  const OperatorVersion& version = op("TensorScatter", 24);
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto type = static_cast<DType>(number);
    const auto output = inferred(version, {value(type, {{1, 4, 2}}), value(type, {{1, 1, 2}})});
    if (number <= 24) {
      EXPECT_EQ(output, std::string(dtype_name(type)) + " [1, 4, 2]");
    } else {
      EXPECT_THAT(output, ::testing::EndsWith("does not take"));
    }
  }
}

TEST(Inference, ChecksConstantIndicesAgainstKnownDimensions) {
  const Tensor indices = *Tensor::of<std::int64_t>({0, 1, 2, 7}, {2, 2});
  EXPECT_EQ(inferred(op("ScatterND", 18), {floats({{"n", 3}}), int64s({{2, 2}}), floats({{2}})}, {}, &indices),
            "ScatterND-18: indices[1, 1] = 7 is outside [-3, 2] for axis 1 of data with shape [n, 3]");
  EXPECT_EQ(inferred(op("ScatterND", 18), {floats({{3, "n"}}), int64s({{2, 2}}), floats({{2}})}, {}, &indices),
            "float32 [3, n]");
  EXPECT_THAT(inferred(op("Gather", 13), {floats({{7}}), int64s({{2, 2}})}, {}, &indices),
              HasSubstr("indices[1, 1] = 7 is outside [-7, 6] for axis 0"));
  const Tensor scalar = *Tensor::of<std::int32_t>({-3}, {});
  EXPECT_THAT(inferred(op("Gather", 13), {floats({{2}}), value(DType::kInt32, TestShape{})}, {}, &scalar),
              HasSubstr("indices = -3 is outside [-2, 1]"));
  EXPECT_THAT(inferred(op("Gather", 13), {floats({{0}}), value(DType::kInt32, TestShape{})}, {}, &scalar),
              HasSubstr("no position to choose"));
}

TEST(Inference, ChecksConstantWriteIndices) {
  const OperatorVersion& version = op("TensorScatter", 24);
  const std::vector<ValueInfo> inputs = {floats({{2, 4, "d"}}), floats({{2, 3, "d"}}), int64s({{2}})};
  const Tensor late = *Tensor::of<std::int64_t>({1, 2}, {2});
  const Tensor negative = *Tensor::of<std::int64_t>({1, -1}, {2});
  EXPECT_THAT(inferred(version, inputs, {}, &late), HasSubstr("write_indices[1] = 2 leaves no room"));
  EXPECT_EQ(inferred(version, inputs, strings("mode", "circular"), &late), "float32 [2, 4, d]");
  EXPECT_THAT(inferred(version, inputs, strings("mode", "circular"), &negative), HasSubstr("negative"));
}

TEST(Inference, RejectsAnOperatorVersionThatTheCallerMade) {
  OperatorVersion own = op("Gather", 13);
  own.since_version = 12;
  EXPECT_THAT(inferred(own, {}), HasSubstr("Gather-12 is not a known operator version"));
}

}  // namespace
}  // namespace strew

// Inference of types and shapes, known and symbolic.
#include <gmock/gmock.h>

#include "onnx/infer_support.h"

namespace strew {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace strew::testing;

TEST(Inference, I1GatherNDWithFullTuplesGivesAScalar) {
  EXPECT_EQ(inferred(op("GatherND", 13), {floats({{2, 2}}), int64s({{2}})}), "float32 []");
}

TEST(Inference, I3Nd8RejectsNegativeBatchDims) {
  const std::string message = "GatherND-13: batch_dims -1 is outside [0, 1] for data of shape ";
  EXPECT_THAT(inferred(op("GatherND", 13), {floats({{2, 2}}), int64s({{2, 1}})}, ints("batch_dims", -1)),
              StartsWith(message + "[2, 2]"));
  EXPECT_THAT(inferred(op("GatherND", 13), {floats({{"n", 2}}), int64s({{"n", 1}})}, ints("batch_dims", -1)),
              StartsWith(message + "[n, 2]"));
}

TEST(Inference, I4RejectsScatterNDUpdatesOfAWrongShape) {
  EXPECT_EQ(inferred(op("ScatterND", 18), {floats({{4, 3}}), int64s({{2, 1}}), floats({{2, 2}})}),
            "ScatterND-18: updates have shape [2, 2]; they must have [2, 3] (indices.shape[:-1] ++ "
            "data.shape[indices.shape[-1]:]) for data of shape [4, 3] and indices of shape [2, 1]");
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
    const auto output = infer_node(op("Gather", 13), std::vector{floats({{2}}), value(type, {{1}})}, {});
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code, ErrorCode::kInvalidType);
    EXPECT_EQ(output.error().message(),
              "Gather-13: indices have type " + std::string(dtype_name(type)) + "; it must have int32 or int64");
  }
}

TEST(Inference, G15Se20TakesBfloat16FromOpset13On) {
  EXPECT_EQ(inferred(op("Gather", 11), {value(DType::kBFloat16, {{2}}), int64s({{1}})}),
            "Gather-11: data has type bfloat16, which Gather-11 does not take; it came with opset 13");
  EXPECT_EQ(inferred(op("Gather", 13), {value(DType::kBFloat16, {{2}}), int64s({{1}})}), "bfloat16 [1]");
  const ValueInfo data = value(DType::kBFloat16, {{2}});
  EXPECT_THAT(inferred(op("ScatterElements", 12), {data, int64s({{2}}), data}), HasSubstr("does not take"));
}

TEST(Inference, G16RejectsNarrowTypesOutsideTensorScatter) {
  for (const DType type : {DType::kInt4, DType::kFloat8E4M3FN, DType::kInt2}) {
    for (const std::int64_t opset : {1, 11, 13, 28}) {
      EXPECT_THAT(inferred(op("Gather", opset), {value(type, {{2}}), int64s({{1}})}),
                  ::testing::EndsWith("does not take"));
    }
  }
}

TEST(Inference, Ts13TakesNarrowTypesButNotTwoBits) {
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

TEST(Inference, Nd15Sn21RejectsInt32IndicesOfNdOperators) {
  EXPECT_EQ(inferred(op("GatherND", 13), {floats({{2}}), value(DType::kInt32, {{1, 1}})}),
            "GatherND-13: indices have type int32; it must have int64");
  EXPECT_THAT(inferred(op("ScatterND", 18), {floats({{2}}), value(DType::kInt32, {{1, 1}}), floats({{1}})}),
              HasSubstr("it must have int64"));
}

TEST(Inference, Se18RejectsUpdatesOfAnotherType) {
  EXPECT_EQ(inferred(op("ScatterElements", 18), {floats({{2}}), int64s({{2}}), value(DType::kFloat64, {{2}})}),
            "ScatterElements-18: updates have type float64 but data has float32; both must have one type");
}

TEST(Inference, Se8RejectsReductionsWithoutMeaningForTheTypeEvenWithSymbols) {
  const ValueInfo known = value(DType::kString, {{2}});
  const ValueInfo symbolic = value(DType::kString, {{"n"}});
  EXPECT_THAT(inferred(op("ScatterElements", 18), {known, int64s({{2}}), known}, strings("reduction", "mul")),
              HasSubstr("reduction 'mul' is not supported for string"));
  EXPECT_THAT(
      inferred(op("ScatterElements", 18), {symbolic, int64s({{"n"}}), symbolic}, strings("reduction", "mul")),
      HasSubstr("reduction 'mul' is not supported for string"));
}

TEST(Inference, NamesTheOpsetThatBroughtAnAttribute) {
  const std::vector<ValueInfo> inputs = {floats({{2}}), int64s({{1, 1}}), floats({{1}})};
  EXPECT_EQ(inferred(op("ScatterND", 13), inputs, strings("reduction", "add")),
            "ScatterND-13: Unrecognized attribute: reduction for ScatterND-13; reduction came with opset 16");
  EXPECT_EQ(inferred(op("ScatterND", 18), inputs, ints("axis", 0)),
            "ScatterND-18: Unrecognized attribute: axis for ScatterND-18");
  EXPECT_EQ(inferred(op("ScatterND", 18), inputs, ints("reduction", 1)),
            "ScatterND-18: attribute reduction is INT; it must be STRING");
  const NodeAttributes twice = {{}, {{"reduction", "add"}, {"reduction", "mul"}}};
  EXPECT_EQ(inferred(op("ScatterND", 18), inputs, twice), "ScatterND-18: attribute reduction is there twice");
}

TEST(Inference, RejectsMissingAndSurplusInputs) {
  EXPECT_EQ(inferred(op("Gather", 13), {floats({{2}})}), "Gather-13: input 1 (indices) is missing");
  EXPECT_EQ(inferred(op("Gather", 13), {floats({{2}}), {}}), "Gather-13: input 1 (indices) is missing");
  EXPECT_EQ(inferred(op("Gather", 13), {}), "Gather-13: input 0 (data) is missing");
  EXPECT_EQ(inferred(op("Gather", 13), {floats({{2}}), int64s({{1}}), int64s({{1}})}),
            "Gather-13: it has 3 inputs; the operator takes 2");
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

TEST(Inference, RefusesAnOperatorVersionOfTheCallersOwn) {
  OperatorVersion own = op("Gather", 13);
  own.since_version = 12;
  EXPECT_THAT(inferred(own, {}), HasSubstr("Gather-12 is not an operator version known"));
}

using ::testing::HasSubstr;
using namespace strew::testing;

constexpr auto kNoShape = std::nullopt;

TEST(SymbolicGather, I5KeepsSymbols) {
  EXPECT_EQ(inferred(op("Gather", 13), {floats({{"n", 3, "?"}}), int64s({{"i", 2}})}, ints("axis", 1)),
            "float32 [n, i, 2, ?]");
  EXPECT_EQ(inferred(op("Gather", 13), {floats({{"n", 3}}), int64s(TestShape{})}, ints("axis", -1)),
            "float32 [n]");
}

TEST(SymbolicGather, GivesTheTypeAloneWhereARankIsUnknown) {
  EXPECT_EQ(inferred(op("Gather", 13), {floats(kNoShape), int64s({{2}})}), "float32 of unknown rank");
  EXPECT_EQ(inferred(op("Gather", 13), {floats({{2}}), int64s(kNoShape)}), "float32 of unknown rank");
  EXPECT_EQ(inferred(op("Gather", 13), {unknown(), unknown()}), "unknown");
}

TEST(SymbolicGather, G13RejectsScalarData) {
  EXPECT_THAT(inferred(op("Gather", 13), {floats(TestShape{}), int64s({{"i"}})}), HasSubstr("axis 0 is outside"));
}

TEST(SymbolicGatherElements, TakesTheShapeOfIndices) {
  EXPECT_EQ(inferred(op("GatherElements", 13), {floats({{3, "n"}}), int64s({{"i", 4}})}), "float32 [i, 4]");
  EXPECT_EQ(inferred(op("GatherElements", 13), {floats(kNoShape), int64s({{"i", 4}})}), "float32 [i, 4]");
}

TEST(SymbolicGatherElements, Ge4RejectsIndicesLongerOffTheAxisUnlessTheyMayBeEmpty) {
  EXPECT_THAT(inferred(op("GatherElements", 13), {floats({{"n", 3}}), int64s({{1, 4}})}),
              HasSubstr("dimension 1 is 4, more than the 3 of data with shape [n, 3]"));
  EXPECT_EQ(inferred(op("GatherElements", 13), {floats({{"n", 3}}), int64s({{"i", 4}})}), "float32 [i, 4]");
  EXPECT_EQ(inferred(op("GatherElements", 13), {floats({{"n", 3}}), int64s({{0, 4}})}), "float32 [0, 4]");
  EXPECT_EQ(inferred(op("GatherElements", 13), {floats({{3, "n"}}), int64s({{4, 4}})}), "float32 [4, 4]");
}

TEST(SymbolicGatherElements, Ge8RejectsOtherRanks) {
  EXPECT_THAT(inferred(op("GatherElements", 13), {floats({{"n"}}), int64s({{1, 4}})}),
              HasSubstr("the ranks must be equal"));
}

TEST(SymbolicGatherND, I2GivesTheTypeAloneForAnUnknownTupleLength) {
  EXPECT_EQ(inferred(op("GatherND", 13), {floats({{2, 2}}), int64s({{2, "k"}})}), "float32 of unknown rank");
}

TEST(SymbolicGatherND, MergesBatchDimensionsAndPrefersValues) {
  EXPECT_EQ(inferred(op("GatherND", 13), {floats({{2, "m", 4, "w"}}), int64s({{"b", "c", "q", 1}})},
                     ints("batch_dims", 2)),
            "float32 [2, c, q, w]");
  EXPECT_EQ(inferred(op("GatherND", 13), {floats({{"m", 4, "w"}}), int64s({{"?", 1}})}, ints("batch_dims", 1)),
            "float32 [m, w]");
}

TEST(SymbolicGatherND, Nd6RejectsUnequalBatchDimensions) {
  EXPECT_THAT(inferred(op("GatherND", 13), {floats({{2, "n", 2}}), int64s({{3, 1}})}, ints("batch_dims", 1)),
              HasSubstr("batch dimension 0 is 2 in data of shape [2, n, 2] but 3"));
}

TEST(SymbolicGatherND, Nd7Nd9Nd12RejectsImpossibleTuplesAndBatchDims) {
  EXPECT_THAT(inferred(op("GatherND", 13), {floats({{"n"}}), int64s({{2, 0}})}), HasSubstr("tuples of length 0"));
  EXPECT_THAT(inferred(op("GatherND", 13), {floats({{"n", 2}}), int64s({{2, 3}})}),
              HasSubstr("1 to 2 are possible"));
  EXPECT_THAT(inferred(op("GatherND", 13), {floats({{"n", 2}}), int64s({{"n", 2}})}, ints("batch_dims", 1)),
              HasSubstr("1 to 1 are possible"));
  EXPECT_THAT(inferred(op("GatherND", 13), {floats(kNoShape), int64s({{2, 2}})}, ints("batch_dims", 2)),
              HasSubstr("batch_dims 2 is outside [0, 1] for indices of shape [2, 2]"));
  EXPECT_THAT(inferred(op("GatherND", 13), {floats({{"n"}}), int64s(TestShape{})}),
              HasSubstr("it needs rank 1 or more"));
}

TEST(SymbolicScatterElements, I7KeepsTheShapeOfData) {
  EXPECT_EQ(inferred(op("ScatterElements", 18), {floats({{"n", 3}}), int64s({{"i", 2}}), floats({{"i", 2}})}),
            "float32 [n, 3]");
  EXPECT_EQ(inferred(op("ScatterElements", 18), {floats({{"n", 3}}), int64s(kNoShape), floats(kNoShape)}),
            "float32 [n, 3]");
}

TEST(SymbolicScatterElements, Se12Se19RejectsUpdatesAndAxesThatCannotFit) {
  const OperatorVersion& version = op("ScatterElements", 18);
  EXPECT_THAT(inferred(version, {floats({{"n", 3}}), int64s({{"i", 2}}), floats({{"i", 1}})}),
              HasSubstr("updates have shape [i, 1]; they must have [i, 2] (the shape of indices)"));
  EXPECT_THAT(inferred(version, {floats({{"n", 3}}), int64s(kNoShape), floats({{"i"}})}), HasSubstr("rank 2"));
  EXPECT_THAT(inferred(version, {floats(kNoShape), int64s({{"i"}}), floats({{"i"}})}, ints("axis", 1)),
              HasSubstr("axis 1 is outside [-1, 0] for indices"));
}

TEST(SymbolicScatterND, ChecksUpdatesDimensionByDimension) {
  const OperatorVersion& version = op("ScatterND", 18);
  EXPECT_EQ(inferred(version, {floats({{"n", 3}}), int64s({{"i", 1}}), floats({{"j", 3}})}), "float32 [n, 3]");
  EXPECT_THAT(inferred(version, {floats({{"n", 3}}), int64s({{"i", 1}}), floats({{"i", 4}})}),
              HasSubstr("updates have shape [i, 4]; they must have [i, 3]"));
  EXPECT_THAT(inferred(version, {floats({{"n", 3}}), int64s({{"i", 1}}), floats({{"i"}})}), HasSubstr("updates"));
  EXPECT_EQ(inferred(version, {floats({{"n", 3}}), int64s({{"i", "k"}}), floats({{"i"}})}), "float32 [n, 3]");
}

TEST(SymbolicScatterND, Sn18RejectsLongTuplesAndScalars) {
  const OperatorVersion& version = op("ScatterND", 18);
  EXPECT_THAT(inferred(version, {floats({{"n", 3}}), int64s({{"i", 3}}), floats({{"i"}})}),
              HasSubstr("0 to 2 are possible"));
  EXPECT_THAT(inferred(version, {floats(TestShape{}), int64s({{"i", 0}}), floats({{"i"}})}), HasSubstr("rank 0"));
  EXPECT_THAT(inferred(version, {floats({{"n"}}), int64s(TestShape{}), floats({{"n"}})}), HasSubstr("rank 0"));
}

TEST(SymbolicTensorScatter, Ts6Ts10Ts15ChecksAxisRanksAndDimensions) {
  const OperatorVersion& version = op("TensorScatter", 24);
  EXPECT_EQ(inferred(version, {floats({{"b", 8, 3}}), floats({{"b", "s", 3}}), int64s({{"b"}})}),
            "float32 [b, 8, 3]");
  EXPECT_THAT(inferred(version, {floats({{"b", 8}}), floats({{"b", "s"}})}), HasSubstr("batch axis"));
  EXPECT_THAT(inferred(version, {floats({{"b", 8, 3}}), floats({{"b", "s", 3}})}, ints("axis", 0)),
              HasSubstr("batch axis"));
  EXPECT_THAT(inferred(version, {floats({{"b", 8, 3}}), floats({{"b", "s", 3}})}, ints("axis", 3)),
              HasSubstr("axis 3 is outside [-3, 2]"));
  EXPECT_THAT(inferred(version, {floats({{"b", 8, 3}}), floats({{"b", 9, 3}})}),
              HasSubstr("is 9 long on axis 1, more than the 8"));
  EXPECT_THAT(inferred(version, {floats({{"b", 8, 3}}), floats({{"b", "s", 2}})}), HasSubstr("dimension 2 is 2"));
  EXPECT_THAT(inferred(version, {floats({{"b", 8, 3}}), floats({{"b", 3}})}, ints("axis", 1)),
              HasSubstr("ranks must be equal"));
}

TEST(SymbolicTensorScatter, Ts10RejectsWriteIndicesOfAWrongShape) {
  const OperatorVersion& version = op("TensorScatter", 24);
  EXPECT_THAT(inferred(version, {floats({{2, "m", 3}}), floats({{2, 1, 3}}), int64s({{3}})}),
              HasSubstr("write_indices have shape [3]"));
  EXPECT_THAT(inferred(version, {floats({{2, "m", 3}}), floats({{2, 1, 3}}), int64s({{2, 1}})}),
              HasSubstr("they must have [2]"));
}

TEST(SymbolicInference, RefusesRanksThatNoTensorHas) {
  const ValueInfo high = floats(TestShape(40, "n"));
  EXPECT_THAT(inferred(op("Gather", 13), {high, int64s(TestShape(40, "n"))}), HasSubstr("output has rank 79"));
  EXPECT_THAT(inferred(op("Gather", 13), {floats(TestShape(65, "n")), int64s({{"n"}})}),
              HasSubstr("data has rank 65"));
  EXPECT_THAT(inferred(op("Gather", 13), {floats({{"n", -1}}), int64s({{"n"}})}), HasSubstr("-1 is negative"));
}

}  // namespace
}  // namespace strew

// Inference for one node whose dimensions are symbols or unknown.
#include <gmock/gmock.h>

#include "onnx/infer_support.h"

namespace strew {
namespace {

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
  EXPECT_THAT(inferred(version, {floats({{"b", 8}}), floats({{"b", "s"}})}), HasSubstr("batch dimension"));
  EXPECT_THAT(inferred(version, {floats({{"b", 8, 3}}), floats({{"b", "s", 3}})}, ints("axis", 0)),
              HasSubstr("batch dimension"));
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

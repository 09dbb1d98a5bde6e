// The numbered cases of GatherND.
#include <gtest/gtest.h>

#include "engine/case.h"

namespace strew::support {
namespace {

constexpr OpKind kOp = OpKind::kGatherND;
const Ints kSquare = arange({2, 2});
const Ints kX = arange({2, 2, 2});

Tensor x() { return floats({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}); }

TEST(GatherNDCases, ND1_TuplesAsLongAsTheRankGiveElements) {
  expect_moved({.op = kOp}, kSquare, Ints{{2, 2}, {0, 0, 1, 1}}, {}, {{2}, {0, 3}});
}

TEST(GatherNDCases, ND2_OneTupleGivesAScalar) {
  expect_moved({.op = kOp}, kSquare, Ints{{2}, {1, 0}}, {}, {{}, {2}});
}

TEST(GatherNDCases, ND3_OneShortTupleGivesARow) {
  expect_moved({.op = kOp}, kSquare, Ints{{1}, {1}}, {}, {{2}, {2, 3}});
}

TEST(GatherNDCases, ND4_OneBatchDimension) {
  expect_moved({.op = kOp, .batch_dims = 1}, kX, Ints{{2, 1}, {1, 0}}, {}, {{2, 2}, {2, 3, 4, 5}});
}

TEST(GatherNDCases, ND5_TwoBatchDimensions) {
  expect_moved({.op = kOp, .batch_dims = 2}, arange({2, 2, 3}), Ints{{2, 2, 1}, {2, 0, 1, -1}}, {},
               {{2, 2}, {2, 3, 7, 11}});
}

TEST(GatherNDCases, ND6_UnequalBatchDimensionsAreRefused) {
  expect_refused({.op = kOp, .batch_dims = 1}, {x(), ints({3, 2}, {0, 0, 0, 0, 0, 0})},
                 ErrorCode::kInvalidArgument, "they must be equal");
  expect_refused({.op = kOp, .batch_dims = 1}, {x(), ints({1, 2}, {0, 0})}, ErrorCode::kInvalidArgument,
                 "batch dimension 0 is 2 in data of shape [2, 2, 2] but 1 in indices");
}

TEST(GatherNDCases, ND7_EmptyTuplesAreRefused) {
  expect_refused({.op = kOp}, {x(), ints({2, 0}, {})}, ErrorCode::kInvalidArgument, "tuples of length 0");
}

TEST(GatherNDCases, ND8_NegativeBatchDimsAreRefused) {
  expect_refused({.op = kOp, .batch_dims = -1}, {x(), ints({2, 1}, {0, 0})}, ErrorCode::kInvalidArgument,
                 "batch_dims -1 is outside [0, 1]");
}

TEST(GatherNDCases, ND9_BatchDimsAsManyAsTheRankOfIndicesAreRefused) {
  expect_refused({.op = kOp, .batch_dims = 2}, {x(), ints({2, 2}, {0, 0, 0, 0})}, ErrorCode::kInvalidArgument,
                 "batch_dims 2 is outside [0, 1]");
}

TEST(GatherNDCases, ND10_AnEmptyBatchGivesAnEmptyResult) {
  expect_moved({.op = kOp, .batch_dims = 1}, {{0, 4}, {}}, Ints{{0, 3, 1}, {}}, {}, {{0, 3}, {}});
}

TEST(GatherNDCases, ND11_NoTuplesGiveAnEmptyResult) {
  expect_moved({.op = kOp}, kX, Ints{{0, 2}, {}}, {}, {{0, 2}, {}});
}

TEST(GatherNDCases, ND12_TuplesLongerThanTheRankAreRefused) {
  expect_refused({.op = kOp}, {x(), ints({1, 4}, {0, 0, 0, 0})}, ErrorCode::kInvalidArgument,
                 "tuples of length 4");
  expect_refused({.op = kOp, .batch_dims = 1}, {x(), ints({2, 3}, {0, 0, 0, 0, 0, 0})},
                 ErrorCode::kInvalidArgument, "tuples of length 3; 1 to 2 are possible");
}

TEST(GatherNDCases, ND13_NegativeComponentsCountFromTheEnd) {
  expect_moved({.op = kOp}, kX, Ints{{2, 2}, {-1, -2, -2, 1}}, {}, {{2, 2}, {4, 5, 2, 3}});
}

TEST(GatherNDCases, ND14_OneTupleOfTwoGivesARow) {
  expect_moved({.op = kOp}, arange({2, 3, 4}), Ints{{2}, {1, 2}}, {}, {{4}, {20, 21, 22, 23}});
}

TEST(GatherNDCases, ND16_OnlyTheLastComponentIsOutOfRange) {
  expect_refused({.op = kOp}, {x(), ints({2, 3}, {1, 1, 1, 0, 0, 2})}, ErrorCode::kIndexOutOfRange,
                 "indices[1, 2] = 2 is outside [-2, 1] for axis 2");
  // With a batch dimension the first component addresses axis 1.
  expect_refused({.op = kOp, .batch_dims = 1},
                 {floats({1, 5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), ints({1, 2}, {4, 2})},
                 ErrorCode::kIndexOutOfRange, "indices[0, 1] = 2 is outside [-2, 1] for axis 2");
}

}  // namespace
}  // namespace strew::support

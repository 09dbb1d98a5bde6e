// The numbered cases of GatherElements.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <string>

#include "engine/case.h"

namespace strew::support {
namespace {

constexpr OpKind kOp = OpKind::kGatherElements;

Tensor d() { return floats({2, 3}, {0, 1, 2, 3, 4, 5}); }

TEST(GatherElementsCases, GE1_IndicesMayBeShorterThanDataOnTheAxis) {
  expect_moved({.op = kOp}, {{3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}, Ints{{2, 3}, {1, 2, 0, 2, 0, 0}}, {},
               {{2, 3}, {4, 8, 3, 7, 2, 3}});
}

TEST(GatherElementsCases, GE2_IndicesMayBeShorterThanDataOffTheAxis) {
  expect_moved({.op = kOp, .axis = 1}, {{2, 3}, {10, 11, 12, 20, 21, 22}}, Ints{{1, 2}, {2, 0}}, {},
               {{1, 2}, {12, 10}});
}

TEST(GatherElementsCases, GE3_IndicesMayBeLongerThanDataOnTheAxis) {
  expect_moved({.op = kOp, .axis = -1}, {{2, 3}, {1, 2, 3, 4, 5, 6}},
               Ints{{2, 5}, {0, 0, 0, -1, 2, -3, -2, -1, 0, 1}}, {}, {{2, 5}, {1, 1, 1, 3, 3, 4, 5, 6, 4, 5}});
}

TEST(GatherElementsCases, GE4_IndicesLongerThanDataOffTheAxisAreRefused) {
  expect_refused({.op = kOp}, {d(), ints({1, 4}, {0, 0, 0, 0})}, ErrorCode::kInvalidArgument,
                 "dimension 1 is 4, more than the 3");
}

TEST(GatherElementsCases, GE5_NoIndicesGiveAnEmptyResult) {
  expect_moved({.op = kOp, .axis = 1}, arange({2, 2, 3}), Ints{{2, 0, 3}, {}}, {}, {{2, 0, 3}, {}});
}

TEST(GatherElementsCases, GE6_IndexOutsideTheAxisIsRefused) {
  expect_refused({.op = kOp, .axis = 1}, {d(), ints({2, 1}, {0, 5})}, ErrorCode::kIndexOutOfRange,
                 "indices[1, 0] = 5 is outside [-3, 2] for axis 1");
  expect_refused({.op = kOp, .axis = 1}, {d(), ints({2, 1}, {-4, 9})}, ErrorCode::kIndexOutOfRange,
                 "indices[0, 0] = -4");
}

TEST(GatherElementsCases, GE7_AxisLongerThanThirtyTwo) {
  expect_moved({.op = kOp, .axis = 1}, arange({1, 40}), Ints{{1, 3}, {39, -40, 5}}, {}, {{1, 3}, {39, 0, 5}});
}

TEST(GatherElementsCases, GE8_IndicesOfAnotherRankAreRefused) {
  expect_refused({.op = kOp}, {d(), ints({2}, {0, 0})}, ErrorCode::kInvalidArgument, "the ranks must be equal");
}

TEST(GatherElementsCases, GE9_EmptyIndicesMayPassDataOffTheAxis) {
  expect_moved({.op = kOp, .axis = 1}, arange({2, 3}), Ints{{5, 0}, {}}, {}, {{5, 0}, {}});
}

TEST(GatherElementsCases, GE10_TheLowestIntegerIsRefused) {
  expect_refused({.op = kOp}, {d(), ints({1, 1}, {INT64_MIN})}, ErrorCode::kIndexOutOfRange,
                 "-9223372036854775808");
}

TEST(GatherElementsCases, GE11_BoolStringAndComplexAreCopied) {
  using Complex = std::complex<float>;
  expect_result({.op = kOp}, {tensor<bool>({2}, {true, false}), ints({3}, {1, 0, 0})},
                tensor<bool>({3}, {false, true, true}));
  expect_result({.op = kOp}, {tensor<std::string>({2}, {"p", std::string("q\0", 2)}), ints({2}, {1, 0})},
                tensor<std::string>({2}, {std::string("q\0", 2), "p"}));
  expect_result({.op = kOp}, {tensor<Complex>({2}, {{1, 2}, {3, -4}}), ints({2}, {-1, -2})},
                tensor<Complex>({2}, {{3, -4}, {1, 2}}));
}

}  // namespace
}  // namespace strew::support

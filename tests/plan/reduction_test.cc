// Which type has which reduction: the whole table.
#include "plan/plan_matchers.h"

namespace strew {
namespace {

bool accepted(DType dtype, Reduction reduction) {
  const bool nd =
      make_scatter_nd_plan({dtype, {4}}, int64s({2, 1}), {dtype, {2}}, {.reduction = reduction}).has_value();
  const bool elements =
      make_scatter_elements_plan({dtype, {4}}, int64s({2}), {dtype, {2}}, {.reduction = reduction}).has_value();
  EXPECT_EQ(nd, elements) << dtype_name(dtype);
  return nd;
}

TEST(Reductions, ArePlainAssignmentForEveryType) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    EXPECT_TRUE(accepted(static_cast<DType>(number), Reduction::kNone)) << number;
  }
}

TEST(Reductions, AreAllFourForRealNumbersIntegersAndBool) {
  using enum DType;
  for (DType dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16,
                      kUInt32, kUInt64, kBool}) {
    for (Reduction reduction : {Reduction::kAdd, Reduction::kMul, Reduction::kMax, Reduction::kMin}) {
      EXPECT_TRUE(accepted(dtype, reduction)) << dtype_name(dtype) << " " << reduction_name(reduction);
    }
  }
}

TEST(Reductions, AreBitwiseForWhatHasBitsAndDivisionsForWhatHasFractions) {
  using enum DType;
  for (DType dtype : {kFloat16, kBFloat16, kFloat32, kFloat64, kComplex64, kComplex128}) {
    EXPECT_TRUE(accepted(dtype, Reduction::kSub)) << dtype_name(dtype);
    EXPECT_TRUE(accepted(dtype, Reduction::kDiv)) << dtype_name(dtype);
    EXPECT_FALSE(accepted(dtype, Reduction::kAnd)) << dtype_name(dtype);
  }
  for (DType dtype : {kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64, kBool}) {
    EXPECT_EQ(accepted(dtype, Reduction::kSub), dtype != kBool) << dtype_name(dtype);
    EXPECT_FALSE(accepted(dtype, Reduction::kDiv)) << dtype_name(dtype);
    for (Reduction reduction : {Reduction::kAnd, Reduction::kOr, Reduction::kXor}) {
      EXPECT_TRUE(accepted(dtype, reduction)) << dtype_name(dtype) << " " << reduction_name(reduction);
    }
  }
  EXPECT_FALSE(accepted(kString, Reduction::kSub));
}

TEST(Reductions, AreAddAndMulForComplexAndAddForStrings) {
  for (DType dtype : {DType::kComplex64, DType::kComplex128}) {
    EXPECT_TRUE(accepted(dtype, Reduction::kAdd));
    EXPECT_TRUE(accepted(dtype, Reduction::kMul));
    EXPECT_FALSE(accepted(dtype, Reduction::kMax));
    EXPECT_FALSE(accepted(dtype, Reduction::kMin));
  }
  EXPECT_TRUE(accepted(DType::kString, Reduction::kAdd));
  EXPECT_FALSE(accepted(DType::kString, Reduction::kMul));
  EXPECT_FALSE(accepted(DType::kString, Reduction::kMax));
}

TEST(Reductions, AreNoneOfThemForTypesWithoutArithmetic) {
  using enum DType;
  for (DType dtype : {kFloat8E4M3FN, kFloat8E4M3FNUZ, kFloat8E5M2, kFloat8E5M2FNUZ, kFloat8E8M0, kUInt4, kInt4,
                      kFloat4E2M1, kUInt2, kInt2}) {
    for (Reduction reduction : {Reduction::kAdd, Reduction::kMul, Reduction::kMax, Reduction::kMin}) {
      EXPECT_FALSE(accepted(dtype, reduction)) << dtype_name(dtype) << " " << reduction_name(reduction);
    }
  }
}

TEST(Reductions, SayWhichTypeHasNone) {
  expect_refused(make_scatter_nd_plan({DType::kString, {4}}, int64s({2, 1}), {DType::kString, {2}},
                                      {.reduction = Reduction::kMax}),
                 ErrorCode::kInvalidType, "scatter_nd: reduction 'max' is not supported for string");
}

TEST(Reductions, BesidesThoseOfOnnxSayWhatTheTypeHas) {
  const auto refused = [](DType dtype, Reduction reduction, const std::string& message) {
    expect_refused(make_scatter_nd_plan({dtype, {4}}, int64s({2, 1}), {dtype, {2}}, {.reduction = reduction}),
                   ErrorCode::kInvalidType, message);
  };
  refused(DType::kString, Reduction::kXor,
          "scatter_nd: reduction 'xor' is not supported for string; it has 'add'");
  refused(DType::kComplex64, Reduction::kAnd,
          "scatter_nd: reduction 'and' is not supported for complex64; it has 'add', 'mul', 'sub', 'div', 'mean'");
}

}  // namespace
}  // namespace strew

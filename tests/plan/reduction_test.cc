// Reductions in plans: which type has which, and what folding adds.

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

const float kTwo = 2;
const TensorView kAlpha(&kTwo, DType::kFloat32, {});

Result<Plan> plan_of(DType dtype, const CallParams& params) {
  const auto nd = make_scatter_nd_plan({dtype, {4}}, int64s({2, 1}), {dtype, {2}}, params);
  const auto elements = make_scatter_elements_plan({dtype, {4}}, int64s({2}), {dtype, {2}}, params);
  EXPECT_EQ(nd.has_value(), elements.has_value());
  return nd;
}

TEST(Folding, IsPartOfThePlan) {
  const auto plan = plan_of(
      DType::kFloat32,
      {.reduction = Reduction::kMean, .include_self = false, .acc_dtype = AccDType::kFloat32, .alpha = kAlpha});
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->reduction(), Reduction::kMean);
  EXPECT_FALSE(plan->include_self());
  EXPECT_EQ(plan->acc_dtype(), AccDType::kFloat32);
  EXPECT_TRUE(plan->has_alpha());
  const auto usual = plan_of(DType::kFloat32, {.reduction = Reduction::kAdd});
  EXPECT_TRUE(usual->include_self());
  EXPECT_EQ(usual->acc_dtype(), AccDType::kData);
  EXPECT_FALSE(usual->has_alpha());
}

TEST(Folding, WithoutAReductionHasNoAccDType) {
  EXPECT_TRUE(plan_of(DType::kString, {.include_self = false}));
  EXPECT_TRUE(plan_of(DType::kFloat16, {.acc_dtype = AccDType::kData}));
  expect_refused(plan_of(DType::kFloat16, {.acc_dtype = AccDType::kFloat32}), ErrorCode::kInvalidArgument,
                 "scatter_nd: acc_dtype is for reductions; reduction is 'none'");
}

TEST(Folding, InFloat32IsForNarrowFloats) {
  using enum DType;
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    const bool narrow = dtype == kFloat16 || dtype == kBFloat16 || dtype == kFloat8E4M3FN ||
                        dtype == kFloat8E4M3FNUZ || dtype == kFloat8E5M2 || dtype == kFloat8E5M2FNUZ;
    for (const Reduction reduction : {Reduction::kAdd, Reduction::kDiv, Reduction::kMax, Reduction::kMean}) {
      EXPECT_EQ(plan_of(dtype, {.reduction = reduction, .acc_dtype = AccDType::kFloat32}).has_value(),
                narrow || dtype == kFloat32)
          << dtype_name(dtype);
    }
  }
  expect_refused(plan_of(kInt8, {.reduction = Reduction::kAdd, .acc_dtype = AccDType::kFloat32}),
                 ErrorCode::kInvalidType,
                 "scatter_nd: acc_dtype 'float32' is for floats of 8 and 16 bits; data is int8");
  expect_refused(plan_of(kFloat8E5M2, {.reduction = Reduction::kAdd}), ErrorCode::kInvalidType,
                 "scatter_nd: reduction 'add' is not supported for float8_e5m2; it is with acc_dtype 'float32'");
}

TEST(Folding, TakesAlphaOfOneElementForReductionsOfNumbers) {
  expect_refused(plan_of(DType::kFloat32, {.alpha = kAlpha}), ErrorCode::kInvalidArgument,
                 "scatter_nd: alpha is for reductions; reduction is 'none'");
  expect_refused(plan_of(DType::kFloat64, {.reduction = Reduction::kAdd, .alpha = kAlpha}),
                 ErrorCode::kInvalidType,
                 "scatter_nd: alpha is float32 but data is float64; both must have one type");
  const std::vector<float> two = {1, 2};
  expect_refused(plan_of(DType::kFloat32, {.reduction = Reduction::kAdd, .alpha = TensorView(two, {2})}),
                 ErrorCode::kInvalidArgument, "scatter_nd: alpha has shape [2]; it must be one element");
  const std::vector<std::string> word = {"a"};
  expect_refused(plan_of(DType::kString, {.reduction = Reduction::kAdd, .alpha = TensorView(word, {})}),
                 ErrorCode::kInvalidType, "scatter_nd: alpha is for numbers; data is string");
}

TEST(Folding, RefusesWhatIsNoEnumerator) {
  const auto no_reduction = static_cast<Reduction>(11);
  const auto no_type = static_cast<AccDType>(2);
  for (const auto& plan : {plan_of(DType::kFloat32, {.reduction = no_reduction}),
                           plan_of(DType::kFloat32, {.reduction = Reduction::kAdd, .acc_dtype = no_type})}) {
    expect_refused(plan, ErrorCode::kInvalidArgument,
                   "scatter_nd: reduction or acc_dtype have no such enumerator");
  }
}

}  // namespace
}  // namespace strew

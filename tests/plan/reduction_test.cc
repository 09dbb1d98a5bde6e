// Tests reductions in plans: their types, and the parameters of extended reductions.

#include "plan/plan_matchers.h"

namespace strew {
namespace {

const float kTwo = 2;
const TensorView kAlpha(&kTwo, DType::kFloat32, {});

Result<Plan> plan_of(DType dtype, const CallParams& params) {
  const auto nd = make_scatter_nd_plan({dtype, {4}}, int64s({2, 1}), {dtype, {2}}, params);
  const auto elements = make_scatter_elements_plan({dtype, {4}}, int64s({2}), {dtype, {2}}, params);
  EXPECT_EQ(nd.has_value(), elements.has_value()) << dtype_name(dtype);
  return nd;
}

bool accepted(DType dtype, Reduction reduction) { return plan_of(dtype, {.reduction = reduction}).has_value(); }

TEST(Reductions, ArePlainAssignmentForEveryType) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    EXPECT_TRUE(accepted(static_cast<DType>(number), Reduction::kNone)) << number;
  }
}

TEST(Reductions, DependOnTheType) {
  using enum DType;
  using enum Reduction;
  const std::vector<DType> floats = {kFloat16, kBFloat16, kFloat32, kFloat64};
  const std::vector<DType> integers = {kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64};
  const std::vector<DType> narrow = {kFloat8E4M3FN, kFloat8E4M3FNUZ, kFloat8E5M2, kFloat8E5M2FNUZ, kFloat8E8M0,
                                     kUInt4,        kInt4,           kFloat4E2M1, kUInt2,          kInt2};
  const std::tuple<std::vector<DType>, std::vector<Reduction>, std::vector<Reduction>> cases[] = {
      {floats, {kAdd, kMul, kMax, kMin, kSub, kDiv}, {kAnd}},
      {integers, {kAdd, kMul, kMax, kMin, kSub, kAnd, kOr, kXor}, {kDiv}},
      {{kBool}, {kAdd, kMul, kMax, kMin, kAnd, kOr, kXor}, {kSub, kDiv}},
      {{kComplex64, kComplex128}, {kAdd, kMul, kSub, kDiv}, {kMax, kMin, kAnd}},
      {{kString}, {kAdd}, {kMul, kMax, kSub}},
      {narrow, {}, {kAdd, kMul, kMax, kMin}}};
  for (const auto& [dtypes, some, others] : cases) {
    for (const DType dtype : dtypes) {
      SCOPED_TRACE(dtype_name(dtype));
      for (const Reduction reduction : some) EXPECT_TRUE(accepted(dtype, reduction)) << reduction_name(reduction);
      for (const Reduction reduction : others)
        EXPECT_FALSE(accepted(dtype, reduction)) << reduction_name(reduction);
    }
  }
}

TEST(Reductions, BeyondOnnxNameTheReductionsOfTheType) {
  const auto refused = [](DType dtype, Reduction reduction, const std::string& message) {
    expect_refused(plan_of(dtype, {.reduction = reduction}), ErrorCode::kInvalidType, message);
  };
  refused(DType::kString, Reduction::kMax, "scatter_nd: reduction 'max' is not supported for string");
  refused(DType::kString, Reduction::kXor,
          "scatter_nd: reduction 'xor' is not supported for string; string has 'add'");
  refused(DType::kComplex64, Reduction::kAnd,
          "scatter_nd: reduction 'and' is not supported for complex64; complex64 has 'add', 'mul', 'sub', 'div', "
          "'mean'");
}

TEST(Folding, IsPartOfThePlan) {
  const auto plan =
      plan_of(
          DType::kFloat32,
          {.reduction = Reduction::kMean, .include_self = false, .acc_dtype = AccDType::kFloat32, .alpha = kAlpha})
          .value();
  EXPECT_EQ(plan.reduction(), Reduction::kMean);
  EXPECT_FALSE(plan.include_self());
  EXPECT_EQ(plan.acc_dtype(), AccDType::kFloat32);
  EXPECT_TRUE(plan.has_alpha());
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
                 "scatter_nd: reduction 'add' is not supported for float8_e5m2; use acc_dtype 'float32'");
}

TEST(Folding, AcceptsAlphaOfOneElementForReductionsOfNumbers) {
  expect_refused(plan_of(DType::kFloat32, {.alpha = kAlpha}), ErrorCode::kInvalidArgument,
                 "scatter_nd: alpha is for reductions; reduction is 'none'");
  expect_refused(plan_of(DType::kFloat64, {.reduction = Reduction::kAdd, .alpha = kAlpha}),
                 ErrorCode::kInvalidType,
                 "scatter_nd: alpha is float32 but data is float64; both must have the same type");
  const std::vector<float> two = {1, 2};
  expect_refused(plan_of(DType::kFloat32, {.reduction = Reduction::kAdd, .alpha = TensorView(two, {2})}),
                 ErrorCode::kInvalidArgument, "scatter_nd: alpha has shape [2]; it must be one element");
  const std::vector<std::string> word = {"a"};
  expect_refused(plan_of(DType::kString, {.reduction = Reduction::kAdd, .alpha = TensorView(word, {})}),
                 ErrorCode::kInvalidType, "scatter_nd: alpha is for numbers; data is string");
}

TEST(Folding, RejectsWhatIsNoEnumerator) {
  const auto no_reduction = static_cast<Reduction>(11);
  const auto no_type = static_cast<AccDType>(2);
  expect_refused(plan_of(DType::kFloat32, {.reduction = no_reduction}), ErrorCode::kInvalidArgument,
                 "scatter_nd: reduction number 11 does not exist; the highest is 10");
  expect_refused(plan_of(DType::kFloat32, {.reduction = Reduction::kAdd, .acc_dtype = no_type}),
                 ErrorCode::kInvalidArgument, "scatter_nd: acc_dtype number 2 does not exist; the highest is 1");
}

}  // namespace
}  // namespace strew

// Tests extended reductions (without data, mean, alpha), in cases that the random comparison does not reach.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "core/scratch.h"
#include "strew/explain.h"
#include "strew/ops.h"
#include "support/call.h"
#include "support/compare.h"

namespace strew::support {
namespace {

using enum Reduction;

template <class T>
Tensor tensor(const Shape& shape, std::initializer_list<T> values) {
  return Tensor::of<T>(values, shape).value();
}
Tensor ints(const Shape& shape, std::initializer_list<std::int64_t> values) { return tensor(shape, values); }
Tensor floats(const Shape& shape, std::initializer_list<float> values) { return tensor(shape, values); }

// Expects these bits from the library and from the oracle. The random comparison runs such calls in every way.
void expect_result(const Call& call, const CallOperands& operands, const TensorView& expected) {
  SCOPED_TRACE(to_string(call));
  EXPECT_TRUE(same_bits(expected, run_reference(call, operands).value->view())) << "the oracle is wrong";
  EXPECT_TRUE(same_bits(expected, run(call, operands, {}).value()));
}

Call nd(Reduction reduction, bool include_self = true, AccDType acc_dtype = AccDType::kData) {
  return {.op = OpKind::kScatterND, .reduction = reduction, .include_self = include_self, .acc_dtype = acc_dtype};
}

TEST(Fold, WithoutDataBeginsWithTheFirstUpdate) {
  const Tensor data = floats({4}, {10, 20, 30, 40});
  const Tensor indices = ints({5, 1}, {1, 3, 1, -1, 1});
  const Tensor updates = floats({5}, {8, 2, 4, 5, 2});
  const Operands operands{data, indices, updates};
  expect_result(nd(kNone, false), operands, floats({4}, {10, 2, 30, 5}));
  expect_result(nd(kAdd, false), operands, floats({4}, {10, 14, 30, 7}));
  expect_result(nd(kSub, false), operands, floats({4}, {10, 2, 30, -3}));
  expect_result(nd(kMul, false), operands, floats({4}, {10, 64, 30, 10}));
  expect_result(nd(kDiv, false), operands, floats({4}, {10, 1, 30, 0.4f}));
  expect_result(nd(kMax, false), operands, floats({4}, {10, 8, 30, 5}));
  expect_result(nd(kMin, false), operands, floats({4}, {10, 2, 30, 2}));
  expect_result(nd(kMean, false), operands, floats({4}, {10, 14.0f / 3, 30, 3.5f}));
}

TEST(Fold, MeanCountsDataOnce) {
  const Tensor data = ints({3}, {10, -4, 6});
  const Tensor indices = ints({3, 1}, {1, 1, 2});
  const Tensor updates = ints({3}, {-2, -1, -7});
  expect_result(nd(kMean), {data, indices, updates}, ints({3}, {10, -3, -1}));
  expect_result(nd(kMean, false), {data, indices, updates}, ints({3}, {10, -2, -7}));
}

TEST(Fold, OneUpdateWithoutDataKeepsItsBits) {
  const float payload = std::bit_cast<float>(0xFFC12345u);
  const Tensor updates = floats({3}, {-0.0f, payload, 1});
  const auto result = scatter_nd(floats({3}, {1, 2, 3}), ints({3, 1}, {0, 1, 2}), updates,
                                 {.reduction = kAdd, .include_self = false});
  EXPECT_TRUE(std::signbit(result->values<float>()[0])) << "not 0 + -0";
  EXPECT_EQ(std::bit_cast<std::uint32_t>(result->values<float>()[1]), 0xFFC12345u);
}

TEST(Fold, StringsWithoutDataAreTheirUpdates) {
  const Tensor data = tensor<std::string>({2}, {"x", "y"});
  const Tensor updates = tensor<std::string>({2}, {"a", "b"});
  expect_result(nd(kAdd, false), {data, ints({2, 1}, {1, 1}), updates}, tensor<std::string>({2}, {"x", "ab"}));
}

TEST(Fold, AlphaMultipliesUpdatesFirst) {
  const Tensor data = floats({3}, {1, 2, 3});
  const Tensor indices = ints({3, 1}, {2, 0, 2});
  const Tensor updates = floats({3}, {1, 2, 4});
  const Tensor alpha = floats({}, {0.5f});
  CallOperands operands(data, indices, updates);
  operands.alpha = alpha;
  expect_result(nd(kAdd), operands, floats({3}, {2, 2, 5.5f}));
  expect_result(nd(kSub), operands, floats({3}, {0, 2, 0.5f}));
  expect_result(nd(kMax), operands, floats({3}, {1, 2, 3}));
  expect_result(nd(kMean, false), operands, floats({3}, {1, 2, 1.25f}));
}

TEST(Fold, InFloat32IsRoundedOnceAtTheEnd) {
  const auto halves = [](std::initializer_list<float> values) {
    std::vector<Float16> all;
    for (const float value : values) all.push_back(to_float16(value));
    return Tensor::of<Float16>(all, {static_cast<std::int64_t>(all.size())}).value();
  };
  const Tensor data = halves({2048, 1, 60000});
  const Tensor indices = ints({4, 1}, {0, 0, 2, 2});
  const Tensor updates = halves({1, 1, 60000, -60000});
  expect_result(nd(kAdd), {data, indices, updates}, halves({2048, 1, INFINITY}));
  expect_result(nd(kAdd, true, AccDType::kFloat32), {data, indices, updates}, halves({2050, 1, 60000}));
  expect_result(nd(kMean, false, AccDType::kFloat32), {data, indices, updates}, halves({1, 1, 0}));
}

TEST(Fold, FloatsOf8BitsAreFoldedInFloat32) {
  const auto bytes = [](DType dtype, std::initializer_list<std::uint8_t> codes) {
    Tensor tensor = Tensor::zeros(dtype, {static_cast<std::int64_t>(codes.size())}).value();
    std::copy(codes.begin(), codes.end(), static_cast<std::uint8_t*>(tensor.mutable_data()));
    return tensor;
  };
  const Tensor indices = ints({2, 1}, {0, 1});
  // Sums: 1.0 + 0.5, and the largest number plus its half.
  expect_result(
      nd(kAdd, true, AccDType::kFloat32),
      {bytes(DType::kFloat8E4M3FN, {0x38, 0x7E, 0xFF}), indices, bytes(DType::kFloat8E4M3FN, {0x30, 0x76})},
      bytes(DType::kFloat8E4M3FN, {0x3C, 0x7F, 0xFF}));
  expect_result(nd(kAdd, true, AccDType::kFloat32),
                {bytes(DType::kFloat8E5M2, {0x3C, 0x7B, 0xFE}), indices, bytes(DType::kFloat8E5M2, {0x38, 0x77})},
                bytes(DType::kFloat8E5M2, {0x3E, 0x7C, 0xFE}));
}

TEST(Fold, DoesNotCountDroppedUpdates) {
  Call call = nd(kMean, false);
  call.rules.out_of_bounds = OutOfBounds::kDrop;
  expect_result(call, {floats({2}, {5, 6}), ints({3, 1}, {1, 7, 1}), floats({3}, {1, 2, 4})},
                floats({2}, {5, 2.5f}));
}

TEST(Fold, SplitsLongRows) {
  constexpr std::int64_t kRow = 5000;
  std::vector<BFloat16> updates(2 * kRow);
  for (std::size_t i = 0; i < updates.size(); ++i) updates[i] = to_bfloat16(static_cast<float>(i % 7));
  const BFloat16 two = to_bfloat16(2);
  std::vector<BFloat16> data(3 * kRow, to_bfloat16(1));
  const auto result =
      scatter_nd(
          TensorView(data, {3, kRow}), ints({2, 1}, {2, 2}), TensorView(updates, {2, kRow}),
          {.reduction = kAdd, .acc_dtype = AccDType::kFloat32, .alpha = TensorView(&two, DType::kBFloat16, {})})
          .value();
  for (std::size_t i = 0; i < 3 * kRow; ++i) {
    const std::size_t column = i % kRow;
    const float sum = 1 + 2 * static_cast<float>(column % 7) + 2 * static_cast<float>((column + kRow) % 7);
    ASSERT_EQ(to_float(result.values<BFloat16>()[i]), i < 2 * kRow ? 1 : sum) << i;
  }
}

TEST(Fold, DividesEachUpdatedRowOnce) {
  std::vector<Float16> data(100'000, to_float16(1));
  const std::vector<Float16> updates = {to_float16(3), to_float16(5), to_float16(8)};
  const auto status = scatter_nd_into(TensorView(data, {100'000}), ints({3, 1}, {99'999, 50'000, 99'999}),
                                      TensorView(updates, {3}), MutableTensorView(data, {100'000}),
                                      {.reduction = kMean, .acc_dtype = AccDType::kFloat32});
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(to_float(data[99'999]), 4);
  EXPECT_EQ(to_float(data[50'000]), 3);
  EXPECT_EQ(to_float(data[49'999]), 1);
}

TEST(Fold, ReportsItsScratchMemory) {
  std::vector<float> data(100'000);
  std::vector<float> updates(200'000, 1);
  std::vector<std::int64_t> ids(200'000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i * 7919 % data.size());
  const TensorView indices(ids, {200'000, 1});
  const Operands operands{TensorView(data, {100'000}), indices, TensorView(updates, {200'000})};
  const auto plan = make_scatter_nd_plan(operands.data, indices, *operands.updates, {.reduction = kMean});
  const MutableTensorView output(data, {100'000});
  take_scratch_peak();
  ASSERT_TRUE(run(*plan, operands, output));
  const auto explanation = explain(*plan, operands, output);
  EXPECT_EQ(explanation->scratch_bytes, take_scratch_peak());
  EXPECT_EQ(explanation->call, "scatter_nd: float32 [100000], indices int64 [200000, 1], reduction=mean");
}

TEST(Fold, APlanHoldsItsOwnAlpha) {
  std::vector<float> data = {1, 2};
  const std::vector<std::int64_t> ids = {1};
  const std::vector<float> updates = {3};
  std::vector<float> alpha = {2};
  const TensorView indices(ids, {1, 1});
  const TensorView one(updates, {1});
  std::optional<Plan> made = *make_scatter_nd_plan(TensorView(data, {2}), indices, one,
                                                   {.reduction = kAdd, .alpha = TensorView(alpha, {})});
  const Plan plan = *made;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  made.reset();
  alpha[0] = 100;
  EXPECT_TRUE(plan.has_alpha());
  EXPECT_EQ(*static_cast<const float*>(plan.alpha()->data()), 2);
  const MutableTensorView output(data, {2});
  EXPECT_TRUE(run(plan, {TensorView(data, {2}), indices, one}, output));
  EXPECT_EQ(data[1], 8);
  EXPECT_TRUE(run_dense(plan, {data.data(), ids.data(), updates.data()}, data.data()));
  EXPECT_EQ(data[1], 14) << "small calls multiply as well";
}

}  // namespace
}  // namespace strew::support

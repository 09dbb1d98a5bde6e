// Tests checked indices on a device: calls use them if and only if they apply.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "cuda/host_device.h"
#include "strew/experimental/cuda.h"
#include "support/refusal.h"

namespace strew::cuda {
namespace {

constexpr std::int64_t kRows = 8;

// The call data[8, columns] += updates[4, columns] at rows 1, 3, 1, 7, and the gather of these rows.
struct KeptIndices : public testing::Test {
  std::vector<std::int64_t> rows{1, 3, 1, 7};
  DeviceView indices{rows.data(), DType::kInt64, {4, 1}};

  static Result<Plan> add(std::int64_t columns, DType dtype = DType::kFloat32, std::int64_t count = kRows) {
    return make_scatter_nd_plan({dtype, {count, columns}}, {DType::kInt64, {4, 1}}, {dtype, {4, columns}},
                                {.reduction = Reduction::kAdd});
  }
  static Result<Plan> assign() {
    return make_scatter_nd_plan({DType::kFloat32, {kRows}}, {DType::kInt64, {4, 1}}, {DType::kFloat32, {4}});
  }
  CheckedIndices kept_for(const Result<Plan>& plan) const { return check_indices(*plan, indices).value(); }

  void TearDown() override { host_device() = {}; }
};

TEST_F(KeptIndices, ServeRowsOfEveryLengthAndType) {
  const CheckedIndices kept = kept_for(add(1));
  EXPECT_GT(kept.device_bytes(), 0);
  EXPECT_TRUE(kept.applies_to(*add(5), indices));
  EXPECT_TRUE(kept.applies_to(*add(3, DType::kFloat64), indices));
  rows.assign(4, 1000);  // later calls must not read them
  std::vector<double> data(kRows * 3, 1.0);
  std::vector<double> updates(4 * 3);
  std::iota(updates.begin(), updates.end(), 0.0);
  const MutableDeviceView output(data.data(), DType::kFloat64, {kRows, 3});
  const Operands operands{output, indices, DeviceView(updates.data(), DType::kFloat64, {4, 3})};
  ASSERT_EQ(message_of(run(*add(3, DType::kFloat64), operands, output, {.checked_indices = &kept})), "");
  EXPECT_EQ(data[1 * 3 + 2], 1.0 + 2 + 8);
  EXPECT_EQ(data[7 * 3], 1.0 + 9);
  EXPECT_EQ(data[0], 1.0);
}

TEST_F(KeptIndices, OfAScatterServeTheGatherOfTheSameRows) {
  const CheckedIndices kept = kept_for(add(2));
  const Plan gathers = make_gather_nd_plan({DType::kInt16, {kRows, 6}}, {DType::kInt64, {4, 1}}).value();
  EXPECT_TRUE(kept.applies_to(gathers, indices));
  rows.assign(4, -1000);
  std::vector<std::int16_t> data(kRows * 6);
  std::iota(data.begin(), data.end(), std::int16_t{0});
  std::vector<std::int16_t> output(4 * 6);
  const Operands operands{{data.data(), DType::kInt16, {kRows, 6}}, indices};
  const MutableDeviceView to(output.data(), DType::kInt16, {4, 6});
  ASSERT_EQ(message_of(run(gathers, operands, to, {.checked_indices = &kept})), "");
  EXPECT_EQ(output[1 * 6 + 5], 3 * 6 + 5);
  EXPECT_EQ(output[3 * 6], 7 * 6);
}

TEST_F(KeptIndices, ApplyToRowsWithGaps) {
  const CheckedIndices kept = kept_for(add(2));
  std::vector<float> data(kRows * 5, 1.0f);
  const std::vector<float> updates(4 * 2, 10.0f);
  const MutableDeviceView output(data.data(), DType::kFloat32, {kRows, 2}, {5, 1});
  const Operands operands{output, indices, DeviceView(updates.data(), DType::kFloat32, {4, 2})};
  const DeviceOptions options{.checked_indices = &kept};
  EXPECT_TRUE(explain(*add(2), operands, output, options)->uses_checked_indices);
  ASSERT_EQ(message_of(run(*add(2), operands, output, options)), "");
  EXPECT_EQ(data[1 * 5 + 1], 21.0f);
  EXPECT_EQ(data[1 * 5 + 2], 1.0f);
}

TEST_F(KeptIndices, AreIgnoredIfTheyDoNotApply) {
  const CheckedIndices kept = kept_for(add(1));
  EXPECT_FALSE(kept.applies_to(*add(1, DType::kFloat32, kRows - 1), indices));
  EXPECT_FALSE(kept.applies_to(*add(1), {rows.data(), DType::kInt64, {4, 1}, {0, 1}}));
  const std::vector<std::int64_t> others(rows);
  EXPECT_FALSE(kept.applies_to(*add(1), {others.data(), DType::kInt64, {4, 1}}));

  std::vector<float> data(kRows - 1, 1.0f);
  const std::vector<float> updates(4, 1.0f);
  const MutableDeviceView output(data.data(), DType::kFloat32, {kRows - 1, 1});
  const Operands operands{output, indices, DeviceView(updates.data(), DType::kFloat32, {4, 1})};
  const DeviceOptions options{.checked_indices = &kept};
  EXPECT_EQ(message_of(run(*add(1, DType::kFloat32, kRows - 1), operands, output, options)),
            "scatter_nd: indices[3, 0] = 7 is outside [-7, 6] for axis 0 of data with shape [7, 1]");
  EXPECT_EQ(data, std::vector<float>(kRows - 1, 1.0f));
}

TEST_F(KeptIndices, ReduceScratchMemoryToTheStateOfTheCall) {
  const CheckedIndices kept = kept_for(add(1));
  alignas(16) std::vector<float> data(kRows, 1.0f);
  const std::vector<float> updates(4, 1.0f);
  const MutableDeviceView output(data.data(), DType::kFloat32, {kRows, 1});
  const Operands operands{output, indices, DeviceView(updates.data(), DType::kFloat32, {4, 1})};
  DeviceOptions options;
  const std::int64_t alone = explain(*add(1), operands, output, options)->scratch_bytes;
  options.checked_indices = &kept;
  const auto explained = explain(*add(1), operands, output, options);
  EXPECT_TRUE(explained->uses_checked_indices);
  EXPECT_EQ(explained->scratch_bytes, 256);
  EXPECT_GT(alone, 256);
}

TEST_F(KeptIndices, AreRejectedIfARunWouldRejectThem) {
  rows[2] = -9;
  expect_refused(check_indices(*add(1), indices), ErrorCode::kIndexOutOfRange,
                 "scatter_nd: indices[2, 0] = -9 is outside [-8, 7] for axis 0 of data with shape [8, 1]");
  EXPECT_EQ(message_of(check_indices(*add(1), {rows.data(), DType::kInt64, {2}})),
            "scatter_nd: indices are int64 [2]; the plan is for int64 [4, 1]");
}

TEST_F(KeptIndices, AreSearchedForDuplicatesOnce) {
  DeviceOptions options{.reject_duplicates = true};
  EXPECT_EQ(
      message_of(check_indices(*assign(), indices, options)),
      "scatter_nd: updates[2] has the same destination as updates[0] (indices[2] and indices[0]), and duplicates "
      "are rejected");
  rows[2] = 2;
  const auto once = check_indices(*assign(), indices, options);
  ASSERT_TRUE(once);
  std::vector<float> data(kRows);
  const std::vector<float> updates{10, 20, 30, 40};
  const MutableDeviceView output(data.data(), DType::kFloat32, {kRows});
  const Operands operands{output, indices, DeviceView(updates.data(), DType::kFloat32, {4})};
  options.checked_indices = &*once;
  EXPECT_EQ(explain(*assign(), operands, output, options)->scratch_bytes, 256);
  ASSERT_EQ(message_of(run(*assign(), operands, output, options)), "");
  EXPECT_EQ(data, (std::vector<float>{0, 10, 30, 20, 0, 0, 0, 40}));
}

TEST_F(KeptIndices, OfACacheAreOnlyChecked) {
  const TensorSpec cache(DType::kFloat32, {1, 8, 2});
  const TensorSpec update(DType::kFloat32, {1, 2, 2});
  const auto plan = make_tensor_scatter_plan(cache, update, TensorSpec(DType::kInt64, {1}));
  std::int64_t at = 6;
  const DeviceView view(&at, DType::kInt64, {1});
  const auto checked = check_indices(*plan, view).value();
  EXPECT_FALSE(checked.applies_to(*plan, view));
  at = 7;
  EXPECT_FALSE(check_indices(*plan, view));
}

}  // namespace
}  // namespace strew::cuda

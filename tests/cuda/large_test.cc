// Tests tensors with more than 2^32 elements in emulated device memory, which is reserved but hardly accessed.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "cuda/host_device.h"
#include "strew/experimental/cuda.h"
#include "support/refusal.h"
#include "support/reserved.h"

namespace strew::cuda {
namespace {

constexpr std::int64_t kTwoTo32 = std::int64_t{1} << 32;
constexpr std::int64_t kSize = kTwoTo32 + 4096;

class CudaLarge : public testing::Test {
 protected:
  void SetUp() override {
    if (memory_.data() == nullptr) GTEST_SKIP() << "no address space";
    host_device() = {};
  }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(memory_.data());
  }
  support::Reserved memory_{kSize * 4};
};

TEST_F(CudaLarge, GathersReachPastTwoToThe32) {
  data<std::uint8_t>()[kTwoTo32 + 5] = 42;
  data<std::uint8_t>()[7] = 9;
  const std::array<std::int64_t, 3> indices{kTwoTo32 + 5, 7 - kSize, -1};
  const Plan plan = make_gather_plan({DType::kUInt8, {kSize}}, {DType::kInt64, {3}}).value();
  const Operands operands{{memory_.data(), DType::kUInt8, {kSize}},
                          DeviceView(indices.data(), DType::kInt64, {3})};
  for (const bool is_new : {false, true}) {
    std::array<std::uint8_t, 3> output{1, 1, 1};
    DeviceOptions options{.output_is_new = is_new};
    ASSERT_EQ(message_of(run(plan, operands, {output.data(), DType::kUInt8, {3}}, options)), "");
    EXPECT_EQ(output, (std::array<std::uint8_t, 3>{42, 9, 0}));
  }
}

// Each strategy, with and without checked indices, updates elements above 2^32, below 2^32, and at the very end.
TEST_F(CudaLarge, ReductionsReachPastTwoToThe32) {
  const std::array<std::int64_t, 4> indices{kTwoTo32 + 9, 5, -1, kTwoTo32 + 9};
  const std::array<float, 4> floats{1, 2, 3, 4};
  const std::array<std::int32_t, 4> integers{1, 2, 3, 4};
  const auto check = [&](DType dtype, const void* updates, DeviceStrategy strategy, bool keeps) {
    SCOPED_TRACE(device_strategy_name(strategy));
    const Plan plan = make_scatter_nd_plan({dtype, {kSize}}, {DType::kInt64, {4, 1}}, {dtype, {4}},
                                           {.reduction = Reduction::kAdd})
                          .value();
    const MutableDeviceView output(memory_.data(), dtype, {kSize});
    const DeviceView at(indices.data(), DType::kInt64, {4, 1});
    const Operands operands{output, at, DeviceView(updates, dtype, {4})};
    DeviceOptions options{.force_strategy = strategy};
    std::optional<CheckedIndices> kept;
    if (keeps) {
      kept.emplace(check_indices(plan, at, options).value());
      options.checked_indices = &*kept;
      EXPECT_TRUE(explain(plan, operands, output, options)->uses_checked_indices);
    }
    ASSERT_EQ(message_of(run(plan, operands, output, options)), "");
  };
  for (const bool keeps : {false, true}) {
    check(DType::kFloat32, floats.data(), DeviceStrategy::kSortFold, keeps);
    check(DType::kFloat32, floats.data(), DeviceStrategy::kColumns, keeps);
  }
  EXPECT_EQ(data<float>()[kTwoTo32 + 9], 20);
  EXPECT_EQ(data<float>()[5], 8);
  EXPECT_EQ(data<float>()[kSize - 1], 12);
  data<float>()[5] = data<float>()[kTwoTo32 + 9] = 0;
  for (const bool keeps : {false, true}) check(DType::kInt32, integers.data(), DeviceStrategy::kAtomic, keeps);
  EXPECT_EQ(data<std::int32_t>()[kTwoTo32 + 9], 10);
  EXPECT_EQ(data<std::int32_t>()[5], 4);
  EXPECT_EQ(data<std::int32_t>()[9], 0);  // the destination if offsets had 32 bits
}

TEST_F(CudaLarge, RowsLieBeyondTwoToThe32) {
  constexpr std::int64_t kRow = std::int64_t{1} << 16;
  const std::array<std::int32_t, 3> indices{-1, 2, -1};
  std::vector<std::uint8_t> updates(3 * kRow, 6);
  updates[2 * kRow + 1] = 7;
  const Shape shape{kSize / kRow + 1, kRow};
  const Plan plan =
      make_scatter_nd_plan({DType::kUInt8, shape}, {DType::kInt32, {3, 1}}, {DType::kUInt8, {3, kRow}}).value();
  const MutableDeviceView output(memory_.data(), DType::kUInt8, shape);
  const Operands operands{output, DeviceView(indices.data(), DType::kInt32, {3, 1}),
                          DeviceView(updates.data(), DType::kUInt8, {3, kRow})};
  ASSERT_EQ(message_of(run(plan, operands, output)), "");
  const std::uint8_t* last = data<std::uint8_t>() + (shape[0] - 1) * kRow;
  EXPECT_GT(last - data<std::uint8_t>(), kTwoTo32 - 1);
  EXPECT_EQ(last[0], 6);
  EXPECT_EQ(last[1], 7);
  EXPECT_EQ(data<std::uint8_t>()[2 * kRow + 1], 6);
  EXPECT_EQ(data<std::uint8_t>()[kRow], 0);
}

TEST_F(CudaLarge, ABadIndexIsNamedAndNothingWritten) {
  const std::array<std::int64_t, 2> indices{kTwoTo32, kSize};
  const std::array<float, 2> updates{1, 1};
  const Plan plan = make_scatter_nd_plan({DType::kFloat32, {kSize}}, {DType::kInt64, {2, 1}},
                                         {DType::kFloat32, {2}}, {.reduction = Reduction::kAdd})
                        .value();
  const MutableDeviceView output(memory_.data(), DType::kFloat32, {kSize});
  const Operands operands{output, DeviceView(indices.data(), DType::kInt64, {2, 1}),
                          DeviceView(updates.data(), DType::kFloat32, {2})};
  EXPECT_EQ(
      message_of(run(plan, operands, output)),
      "scatter_nd: indices[1, 0] = 4294971392 is outside [-4294971392, 4294971391] for axis 0 of data with shape "
      "[4294971392]");
  EXPECT_EQ(data<float>()[kTwoTo32], 0);
}

// Tests scratch memory of calls that are too large to run. From 2^32 - 2 positions on, their numbers have 8 bytes.
TEST_F(CudaLarge, MorePositionsThan32BitsCountHaveWideNumbers) {
  const auto bytes = [](std::int64_t count) {
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };  // not accessed
    const Plan plan = make_scatter_nd_plan({DType::kFloat32, {8}}, {DType::kInt64, {count, 1}},
                                           {DType::kFloat32, {count}}, {.reduction = Reduction::kMax})
                          .value();
    const MutableDeviceView output(at(1 << 12), DType::kFloat32, {8});
    const Operands operands{output, DeviceView(at(std::uintptr_t{1} << 40), DType::kInt64, {count, 1}),
                            DeviceView(at(std::uintptr_t{1} << 41), DType::kFloat32, {count})};
    DeviceOptions options{.limits = {.scratch_bytes = INT64_MAX}};
    return explain(plan, operands, output, options)->scratch_bytes;
  };
  EXPECT_LT(bytes(kTwoTo32 - 3), kTwoTo32 * 4 + 1024);
  EXPECT_GT(bytes(kTwoTo32 - 2), (kTwoTo32 - 2) * 8);
}

}  // namespace
}  // namespace strew::cuda

// Small calls on the direct road: they take no memory, and refuse what the general road refuses.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "strew/ops.h"

namespace {
std::int64_t allocations = 0;
}

// Not inline: compilers would warn of memory from new that free gets.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace strew {
namespace {

struct SmallCall : public testing::Test {
  std::vector<float> data{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::int64_t> indices{4, 3, 1, -1, 4};
  std::vector<float> updates{9, 10, 11, 12, 13};
  std::vector<float> output = std::vector<float>(8, 0.0f);

  Status scatter(Reduction reduction) {
    return scatter_nd_into({output, {8}}, TensorView(data, {8}), TensorView(indices, {5, 1}),
                           TensorView(updates, {5}), {reduction});
  }
};

TEST_F(SmallCall, TakesNoMemory) {
  const std::int64_t before = allocations;
  const bool done = scatter(Reduction::kNone).has_value();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(done);
  EXPECT_EQ(output, (std::vector<float>{1, 11, 3, 10, 13, 6, 7, 12}));
}

TEST_F(SmallCall, FoldsInOrder) {
  ASSERT_TRUE(scatter(Reduction::kAdd));
  EXPECT_EQ(output, (std::vector<float>{1, 13, 3, 14, 27, 6, 7, 20}));
}

TEST_F(SmallCall, NamesABadIndexAndLeavesTheOutput) {
  indices[2] = 8;
  const Status status = scatter(Reduction::kAdd);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "scatter_nd: indices[2, 0] = 8 is outside [-8, 7] for axis 0 of data with shape [8]");
  EXPECT_EQ(output, std::vector<float>(8, 0.0f));
}

TEST_F(SmallCall, ChecksEveryComponentOfATuple) {
  const TensorView table(data, {2, 2, 2});
  std::vector<std::int32_t> tuples{1, -1, 0, 1};
  MutableTensorView rows(output.data(), DType::kFloat32, {2, 2});
  ASSERT_TRUE(gather_nd_into(rows, table, TensorView(tuples, {2, 2})));
  EXPECT_EQ(output, (std::vector<float>{7, 8, 3, 4, 0, 0, 0, 0}));
  tuples[1] = 2;
  const Status status = gather_nd_into(rows, table, TensorView(tuples, {2, 2}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "gather_nd: indices[0, 1] = 2 is outside [-2, 1] for axis 1 of data with shape [2, 2, 2]");
}

TEST_F(SmallCall, RefusesAnOverlap) {
  const MutableTensorView shifted(data.data() + 1, DType::kFloat32, {4});
  EXPECT_FALSE(gather_into(shifted, TensorView(data, {8}), TensorView(indices.data(), DType::kInt64, {4})));
}

TEST_F(SmallCall, RefusesAnOutputThatOverlapsTheLastElementsOfData) {
  std::vector<float> both(15);
  for (const std::int64_t distance : {1, 4, 7}) {
    const MutableTensorView later(both.data() + distance, DType::kFloat32, {8});
    EXPECT_FALSE(scatter_nd_into(later, TensorView(both.data(), DType::kFloat32, {8}), TensorView(indices, {5, 1}),
                                 TensorView(updates, {5})));
  }
}

TEST_F(SmallCall, OfAddressesAloneIsTheSame) {
  const auto plan = make_scatter_nd_plan({DType::kFloat32, {8}}, {DType::kInt64, {5, 1}}, {DType::kFloat32, {5}});
  const DenseOperands operands{data.data(), indices.data(), updates.data()};
  const std::int64_t before = allocations;
  const bool done = run_dense(*plan, operands, output.data()).has_value();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(done);
  EXPECT_EQ(output, (std::vector<float>{1, 11, 3, 10, 13, 6, 7, 12}));
  ASSERT_TRUE(run_dense(*plan, operands, data.data()));  // in place
  EXPECT_EQ(data, output);
}

TEST_F(SmallCall, OfAddressesRefusesWhatTheOtherDoes) {
  const auto plan = make_gather_plan({DType::kFloat32, {8}}, {DType::kInt64, {5}});
  EXPECT_FALSE(run_dense(*plan, {data.data(), indices.data()}, data.data() + 1));
  EXPECT_FALSE(run_dense(*plan, {data.data(), nullptr}, output.data()));
  EXPECT_FALSE(run_dense(*plan, {nullptr, indices.data()}, output.data()));
  indices[2] = 8;
  const Status status = run_dense(*plan, {data.data(), indices.data()}, output.data());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "gather: indices[2] = 8 is outside [-8, 7] for axis 0 of data with shape [8]");
  EXPECT_EQ(output, std::vector<float>(8, 0.0f));
}

TEST(DenseCall, OfAnySizeIsRun) {
  const std::vector<std::int32_t> data(100000, 7);
  const std::vector<std::int64_t> indices(100000, -1);
  std::vector<std::int32_t> output(100000, 0);
  const auto plan = make_gather_plan({DType::kInt32, {100000}}, {DType::kInt64, {100000}});
  ASSERT_TRUE(run_dense(*plan, {data.data(), indices.data()}, output.data()));
  EXPECT_EQ(output, data);
}

}  // namespace
}  // namespace strew

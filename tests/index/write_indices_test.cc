// Expanding write_indices into positions.
#include "index/write_indices.h"

#include <gtest/gtest.h>

namespace strew {
namespace {

using Positions = std::vector<std::int64_t>;

Result<Positions> expand(std::vector<std::int64_t> starts, std::int64_t capacity, std::int64_t length,
                         WriteMode mode) {
  const auto batch = static_cast<std::int64_t>(starts.size());
  const TensorView view(starts, {batch});
  const auto plan =
      make_tensor_scatter_plan({DType::kFloat32, {batch, capacity, 1}}, {DType::kFloat32, {batch, length, 1}},
                               TensorSpec(view), {.mode = mode});
  return expand_write_indices(plan.value(), view);
}

TEST(WriteIndices, CountUpFromTheirStart) {
  EXPECT_EQ(expand({1, 0}, 4, 2, WriteMode::kLinear), (Positions{1, 2, 0, 1}));
}

TEST(WriteIndices, GoOnAtZeroInCircularMode) {
  EXPECT_EQ(expand({3}, 4, 3, WriteMode::kCircular), (Positions{3, 0, 1}));
  EXPECT_EQ(expand({9}, 4, 1, WriteMode::kCircular), (Positions{1}));
  EXPECT_EQ(expand({INT64_MAX}, 4, 2, WriteMode::kCircular), (Positions{3, 0})) << "INT64_MAX % 4 is 3";
}

TEST(WriteIndices, RejectAnUpdateThatPassesTheEndInLinearMode) {
  EXPECT_EQ(expand({2}, 4, 2, WriteMode::kLinear), (Positions{2, 3}));
  const auto refused = expand({0, 3}, 4, 2, WriteMode::kLinear);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(
      refused.error().message(),
      "tensor_scatter: write_indices[1] = 3 leaves no room for an update of length 2 on axis 1 of past_cache "
      "with shape [2, 4, 1]; the highest is 2");
  EXPECT_FALSE(expand({INT64_MAX}, 4, 2, WriteMode::kLinear));
}

TEST(WriteIndices, RejectNegativeValuesInBothModes) {
  for (WriteMode mode : {WriteMode::kLinear, WriteMode::kCircular}) {
    const auto refused = expand({-1}, 4, 2, mode);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(),
              "tensor_scatter: write_indices[0] = -1 is negative; positions count from 0");
  }
}

TEST(WriteIndices, AreCheckedEvenWhereNothingIsWritten) {
  EXPECT_EQ(expand({4}, 4, 0, WriteMode::kLinear), Positions{});
  EXPECT_FALSE(expand({5}, 4, 0, WriteMode::kLinear));
}

TEST(WriteIndices, AreZeroWhereLeftOut) {
  const auto plan =
      make_tensor_scatter_plan({DType::kFloat32, {2, 4, 1}}, {DType::kFloat32, {2, 2, 1}}, std::nullopt);
  EXPECT_EQ(expand_write_indices(plan.value(), std::nullopt), (Positions{0, 1, 0, 1}));
}

}  // namespace
}  // namespace strew

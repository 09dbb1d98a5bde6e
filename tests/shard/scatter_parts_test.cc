// Updates in parts: the bits of one call with all of them, or nothing written.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "strew/ops.h"
#include "strew/shard.h"

namespace strew {
namespace {

TEST(ScatterParts, GivesTheBitsOfOneCall) {
  const std::vector<float> begin = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint32_t> rows = {2, 0, 2, 2, 1};
  const std::vector<float> updates = {1e8f, 1, 1, 2, 3, 3, -1e8f, 4, 5, 5};
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd, Reduction::kMul, Reduction::kMax}) {
    std::vector<float> parted = begin;
    const std::vector<ScatterPart> parts = {
        {TensorView(rows.data(), DType::kUInt32, {3}), TensorView(updates.data(), DType::kFloat32, {3, 2})},
        {TensorView(rows.data(), DType::kUInt32, {0}), TensorView(updates.data(), DType::kFloat32, {0, 2})},
        {TensorView(rows.data() + 4, DType::kUInt32, {2}, {-1}),
         TensorView(updates.data() + 8, DType::kFloat32, {2, 2}, {-2, 1})},
    };
    // The last part is read from its end, so the whole with its last two rows exchanged must come out.
    const std::vector<std::uint32_t> turned_rows = {2, 0, 2, 1, 2};
    const std::vector<float> turned = {1e8f, 1, 1, 2, 3, 3, 5, 5, -1e8f, 4};
    const auto wanted = scatter_nd(TensorView(begin, {3, 2}), TensorView(turned_rows, {5, 1}),
                                   TensorView(turned, {5, 2}), {.reduction = reduction});
    ASSERT_TRUE(scatter_parts(parts, MutableTensorView(parted, {3, 2}), {.reduction = reduction}));
    const auto values = wanted->values<float>();
    EXPECT_EQ(parted, std::vector<float>(values.begin(), values.end()));
  }
}

TEST(ScatterParts, WriteNothingWhereAnyPartIsRefused) {
  std::vector<std::int32_t> rows = {1, 2, 3};
  const std::vector<std::int32_t> before = rows;
  const std::vector<std::uint32_t> good = {0, 1};
  const std::vector<std::uint32_t> bad = {0, 3};
  const std::vector<std::int32_t> values = {7, 8};
  const auto refusal = [&](const ScatterPart& second) {
    const std::vector<ScatterPart> parts = {{TensorView(good, {2}), TensorView(values, {2})}, second};
    const auto status = scatter_parts(parts, MutableTensorView(rows, {3}));
    EXPECT_EQ(rows, before);
    return status ? "" : status.error().message();
  };
  EXPECT_EQ(
      refusal({TensorView(bad, {2}), TensorView(values, {2})}),
      "scatter_parts: part 1: scatter_nd: indices[1, 0] = 3 is outside [-3, 2] for axis 0 of data with shape "
      "[3]");
  EXPECT_EQ(refusal({TensorView(good, {2, 1}), TensorView(values, {2})}),
            "scatter_parts: part 1: offsets must have rank 1, not shape [2, 1]");
  EXPECT_EQ(refusal({TensorView(good, {2}), TensorView(rows.data() + 1, DType::kInt32, {2})}),
            "scatter_parts: part 1: the rows overlap a part");
  EXPECT_NE(refusal({TensorView(good, {2}), TensorView(values, {1})}), "");
}

TEST(ScatterParts, NeedAllUpdatesInOneWhereTheResultDependsOnAllAtOnce) {
  std::vector<float> rows = {1, 2};
  const std::vector<std::uint32_t> offsets = {0, 1};
  const std::vector<float> values = {7, 8};
  const ScatterPart part{TensorView(offsets, {2}), TensorView(values, {2})};
  CallParams mean, replacing;
  mean.reduction = Reduction::kMean;
  replacing.reduction = Reduction::kAdd;
  replacing.include_self = false;
  for (const CallParams& params : {mean, replacing}) {
    const std::vector<ScatterPart> two = {part, part};
    const auto status = scatter_parts(two, MutableTensorView(rows, {2}), params);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message(),
              "scatter_parts: 2 parts, but mean, include_self and acc_dtype need all updates in one");
    EXPECT_EQ(rows, (std::vector<float>{1, 2}));
  }
}

}  // namespace
}  // namespace strew

// Checks of views: ranks, strides, addresses, overlap.
#include "core/view_check.h"

#include <gtest/gtest.h>

#include <array>
#include <list>
#include <string>
#include <type_traits>
#include <vector>

namespace strew {
namespace {

// Ranges that a view cannot look at do not compile, whether a constructor is deleted or there is none.
template <class View, class Range>
constexpr bool kCompiles = std::is_constructible_v<View, Range, Shape>;
static_assert(kCompiles<TensorView, std::vector<float>&> && kCompiles<TensorView, const std::vector<float>&>);
static_assert(kCompiles<MutableTensorView, std::vector<float>&> && kCompiles<MutableTensorView, std::span<float>>);
static_assert(!kCompiles<TensorView, std::vector<float>> && !kCompiles<TensorView, std::list<float>&>);
static_assert(!kCompiles<TensorView, std::vector<bool>&> && !kCompiles<MutableTensorView, std::list<float>&>);
static_assert(!kCompiles<MutableTensorView, const std::vector<float>&>);
static_assert(std::is_constructible_v<Shape, std::vector<std::int64_t>>);
static_assert(!std::is_constructible_v<Shape, std::vector<int>>);

std::string refusal(const TensorView& view) {
  const auto checked = check_view("", "v", view);
  return checked ? "" : checked.error().message();
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ViewCheck : public testing::Test {
 protected:
  std::array<float, 64> values_{};
  const TensorView view(Shape shape, Shape strides) const {
    return {values_.data(), DType::kFloat32, std::move(shape), std::move(strides)};
  }
};

TEST_F(ViewCheck, AcceptsAnyStridesAndCountsElements) {
  EXPECT_EQ(check_view("", "v", view({3, 4}, {0, -1})).value(), 12);
  EXPECT_EQ(check_view("", "v", view({}, {})).value(), 1);
  EXPECT_EQ(check_view("", "v", TensorView(nullptr, DType::kFloat32, {0, 3})).value(), 0);
}

TEST_F(ViewCheck, RefusesANullAddressOfElements) {
  EXPECT_TRUE(mentions(refusal(TensorView(nullptr, DType::kFloat32, {2})), "address is null"));
}

TEST_F(ViewCheck, RefusesAWrongNumberOfStrides) {
  EXPECT_TRUE(mentions(refusal(view({3, 4}, {1})), "1 strides for the 2 dimensions"));
}

TEST_F(ViewCheck, RefusesASpanOfAnotherLength) {
  const TensorView short_span(std::span<const float>(values_.data(), 5), {2, 3});
  EXPECT_TRUE(mentions(refusal(short_span), "which is 6 elements, but was made from 5"));
}

TEST_F(ViewCheck, RefusesStridesThatReachPastTheAddressSpace) {
  EXPECT_TRUE(mentions(refusal(view({3}, {INT64_MAX / 2})), "reach past"));
  EXPECT_TRUE(mentions(refusal(view({2}, {INT64_MIN})), "reach past"));
  EXPECT_TRUE(mentions(refusal(view({2}, {INT64_MAX / 4})), "reach past"));
  EXPECT_TRUE(mentions(refusal(TensorView(values_.data(), DType::kUInt8, {2}, {INT64_MAX})), "reach past"));
  EXPECT_TRUE(mentions(refusal(view({2, 2}, {INT64_MIN / 4, INT64_MIN / 4})), "reach past"));
  EXPECT_TRUE(mentions(refusal(view({2, 2}, {INT64_MAX / 5, INT64_MAX / 5})), "reach past"));
}

TEST_F(ViewCheck, RefusesStridedPackedViews) {
  const TensorView packed(values_.data(), DType::kInt4, {4}, {2});
  EXPECT_TRUE(mentions(refusal(packed), "packed types must be dense"));
  EXPECT_EQ(refusal(TensorView(values_.data(), DType::kInt4, {4}, {1})), "");
}

TEST_F(ViewCheck, RefusesUnalignedStrings) {
  const std::array<std::string, 2> strings;
  const auto* odd = reinterpret_cast<const char*>(strings.data()) + 1;
  EXPECT_TRUE(mentions(refusal(TensorView(odd, DType::kString, {1})), "unaligned"));
}

TEST_F(ViewCheck, RefusesMoreThanTheHighestRank) {
  Shape shape;
  for (int axis = 0; axis < 65; ++axis) shape.push_back(1);
  EXPECT_TRUE(mentions(refusal(TensorView(values_.data(), DType::kFloat32, shape)), "rank 65"));
}

TEST_F(ViewCheck, OutputElementsMustBeDistinct) {
  EXPECT_TRUE(check_distinct_elements("", "o", view({3, 4}, {4, 1})));
  EXPECT_TRUE(check_distinct_elements("", "o", view({3, 4}, {-1, 3})));
  EXPECT_TRUE(check_distinct_elements("", "o", view({1, 4}, {0, 1})));
  EXPECT_FALSE(check_distinct_elements("", "o", view({3, 4}, {0, 1})));
  EXPECT_FALSE(check_distinct_elements("", "o", view({3, 4}, {3, 1})));
  EXPECT_FALSE(check_distinct_elements("", "o", view({2, 2}, {1, -1})));
  EXPECT_TRUE(check_distinct_elements("", "o", view({0, 4}, {0, 0})));
}

TEST_F(ViewCheck, ByteRangesCoverAllElements) {
  const auto base = reinterpret_cast<std::uintptr_t>(values_.data() + 32);
  const TensorView backwards(values_.data() + 32, DType::kFloat32, {3, 2}, {-4, 1});
  EXPECT_EQ(byte_range(backwards).begin, base - 32);
  EXPECT_EQ(byte_range(backwards).end, base + 8);
  const TensorView nibbles(values_.data() + 32, DType::kInt4, {3});
  EXPECT_EQ(byte_range(nibbles).end - byte_range(nibbles).begin, 2u);
  EXPECT_FALSE(byte_range(TensorView(values_.data(), DType::kFloat32, {0})).overlaps(byte_range(backwards)));
}

TEST_F(ViewCheck, TheSameTensorMayBeWrittenInTwoWays) {
  const TensorView dense(values_.data(), DType::kFloat32, {3, 4});
  EXPECT_TRUE(same_tensor(dense, view({3, 4}, {4, 1})));
  EXPECT_FALSE(same_tensor(dense, view({3, 4}, {1, 3})));
  EXPECT_FALSE(same_tensor(dense, TensorView(values_.data(), DType::kInt32, {3, 4})));
  EXPECT_FALSE(same_tensor(dense, TensorView(values_.data() + 1, DType::kFloat32, {3, 4})));
}

}  // namespace
}  // namespace strew

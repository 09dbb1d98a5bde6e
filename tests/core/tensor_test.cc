// Tests tensors and rejected views.
#include "strew/tensor.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <list>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "core/machine.h"
#include "core/view_check.h"
#include "support/compare.h"
#include "support/refusal.h"

namespace strew {
namespace {

TEST(TensorMemory, ZerosAreZeroForEveryType) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    const auto tensor = Tensor::zeros(dtype, {3, 5}).value();
    EXPECT_EQ(tensor.element_count(), 15);
    EXPECT_EQ(tensor.size_bytes(), (15 * bit_width(dtype) + 7) / 8);
    if (dtype == DType::kString) continue;
    const auto* bytes = static_cast<const unsigned char*>(tensor.data());
    for (std::int64_t i = 0; i < tensor.size_bytes(); ++i) ASSERT_EQ(bytes[i], 0);
  }
}

TEST(TensorText, ShowsTypeShapeAndElements) {
  std::ostringstream text;
  text << *Tensor::of<float>({1, 20.5, 3, 4}, {2, 2});
  EXPECT_EQ(text.str(), "float32 [2, 2] [[   1, 20.5],\n [   3,    4]]");
}

TEST(TensorValues, OfAnotherTypeAreRejectedByTheCompilerOrEndTheProgram) {
  const auto tensor = Tensor::of<float>({1, 2}, {2});
  EXPECT_EQ(tensor->values<float>().size(), 2U);
  EXPECT_DEATH((void)tensor->values<double>(), "values of float64 were requested from a tensor of float32");
}

TEST(TensorMemory, ImpossibleShapesAreRejectedAndMoreThanTheMachineHasIsOutOfMemory) {
  expect_refused(Tensor::zeros(DType::kUInt8, {-1}), ErrorCode::kInvalidArgument);
  expect_refused(Tensor::zeros(DType::kFloat64, {INT64_MAX}), ErrorCode::kInvalidArgument);
  expect_refused(Tensor::uninitialized(DType::kUInt8, {std::int64_t{1} << 60}), ErrorCode::kOutOfMemory);
  expect_refused(Tensor::uninitialized(DType::kString, {std::int64_t{1} << 54}), ErrorCode::kOutOfMemory);
}

TEST(TensorMemory, ASizeThatDoesNotFitIsRejectedBeforeAnAllocation) {
  const ScopedMachine small(Machine{.memory_bytes = 1 << 20, .max_memory_bytes = 1 << 20});
  EXPECT_TRUE(Tensor::zeros(DType::kFloat32, {1 << 18}));
  for (const auto& tensor : {Tensor::zeros(DType::kFloat32, {(1 << 18) + 1}),
                             Tensor::uninitialized(DType::kFloat32, {(1 << 18) + 1})}) {
    expect_refused(
        tensor, ErrorCode::kOutOfMemory,
        "a tensor of float32 [262145] takes 1048580 bytes; memory and swap together have 1048576 bytes");
  }
}

TEST(TensorMemory, TheNumberOfValuesMustMatchTheShape) {
  EXPECT_FALSE(Tensor::of<float>({1, 2, 3}, {2, 2}));
  const auto tensor = Tensor::of<float>({1, 2, 3, 4}, {2, 2}).value();
  EXPECT_EQ(tensor.values<float>()[3], 4);
}

TEST(TensorMemory, AMovedTensorIsEmpty) {
  auto first = Tensor::of<const char*>({"a", "b"}, {2}).value();
  const Tensor second = std::move(first);
  EXPECT_EQ(second.values<std::string>()[1], "b");
  EXPECT_EQ(first.element_count(), 0);
  EXPECT_EQ(first.shape(), Shape{0});
}

TEST(TensorMemory, BorrowedMemoryIsKeptAliveAndNotWritable) {
  auto owner = std::make_shared<std::vector<float>>(4, 2.5f);
  const std::weak_ptr<std::vector<float>> watch = owner;
  {
    auto tensor = Tensor::borrow(owner, owner->data(), DType::kFloat32, {4}).value();
    owner.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_TRUE(tensor.read_only());
    EXPECT_EQ(tensor.mutable_data(), nullptr);
    EXPECT_EQ(tensor.mutable_view().data(), nullptr);
    auto clone = tensor.clone().value();
    EXPECT_FALSE(clone.read_only());
    EXPECT_EQ(clone.values<float>()[3], 2.5f);
  }
  EXPECT_TRUE(watch.expired());
  EXPECT_FALSE(Tensor::borrow(nullptr, nullptr, DType::kString, {0}));
}

TEST(TensorMemory, CopiesMisalignedMemory) {
  const auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  const auto* odd = reinterpret_cast<const std::byte*>(owner->data()) + 1;
  const Tensor floats = Tensor::borrow(owner, odd, DType::kFloat32, {2}).value();
  EXPECT_FALSE(floats.read_only());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(floats.data()) % alignof(float), 0u);
  EXPECT_EQ(std::memcmp(floats.data(), odd, 8), 0);
  EXPECT_TRUE(Tensor::borrow(owner, odd, DType::kUInt8, {8}).value().read_only());
}

// A view of an unsuitable range must not compile: its constructor is deleted or does not exist.
template <class View, class Range>
constexpr bool kCompiles = std::is_constructible_v<View, Range, Shape>;
static_assert(kCompiles<TensorView, std::vector<float>&> && kCompiles<TensorView, const std::vector<float>&>);
static_assert(kCompiles<MutableTensorView, std::vector<float>&> && kCompiles<MutableTensorView, std::span<float>>);
static_assert(!kCompiles<TensorView, std::vector<float>> && !kCompiles<TensorView, std::list<float>&>);
static_assert(!kCompiles<TensorView, std::vector<bool>&> && !kCompiles<MutableTensorView, std::list<float>&>);
static_assert(!kCompiles<MutableTensorView, const std::vector<float>&>);
static_assert(std::is_constructible_v<Shape, std::vector<std::int64_t>>);
static_assert(!std::is_constructible_v<Shape, std::vector<int>>);

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

TEST_F(ViewCheck, RejectsViewsThatCannotBeRead) {
  const std::array<std::string, 2> strings;
  const auto* odd = reinterpret_cast<const char*>(strings.data()) + 1;
  const std::pair<TensorView, const char*> cases[] = {
      {TensorView(nullptr, DType::kFloat32, {2}), "but a null address"},
      {view({3, 4}, {1}), "1 stride for the 2 dimensions"},
      {TensorView(std::span<const float>(values_.data(), 5), {2, 3}), "6 elements, but the given range has 5"},
      {view({3}, {INT64_MAX / 2}), "reach past"},
      {view({2}, {INT64_MIN}), "reach past"},
      {view({2}, {INT64_MAX / 4}), "reach past"},
      {TensorView(values_.data(), DType::kUInt8, {2}, {INT64_MAX}), "reach past"},
      {view({2, 2}, {INT64_MIN / 4, INT64_MIN / 4}), "reach past"},
      {view({2, 2}, {INT64_MAX / 5, INT64_MAX / 5}), "reach past"},
      {TensorView(values_.data(), DType::kInt4, {4}, {2}), "packed types must be dense"},
      {TensorView(odd, DType::kString, {1}), "unaligned"},
      {TensorView(values_.data(), DType::kFloat32, Shape(std::vector<std::int64_t>(65, 1))), "rank 65"}};
  for (const auto& [bad, reason] : cases) {
    EXPECT_THAT(message_of(check_view("", "v", bad)), testing::HasSubstr(reason));
  }
  EXPECT_TRUE(check_view("", "v", TensorView(values_.data(), DType::kInt4, {4}, {1})));
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

TEST_F(ViewCheck, TheSameTensorMayHaveTwoForms) {
  const TensorView dense(values_.data(), DType::kFloat32, {3, 4});
  EXPECT_TRUE(same_tensor(dense, view({3, 4}, {4, 1})));
  EXPECT_FALSE(same_tensor(dense, view({3, 4}, {1, 3})));
  EXPECT_FALSE(same_tensor(dense, TensorView(values_.data(), DType::kInt32, {3, 4})));
  EXPECT_FALSE(same_tensor(dense, TensorView(values_.data() + 1, DType::kFloat32, {3, 4})));
}

}  // namespace
}  // namespace strew

// Tensors: making, copying, borrowing and moving.
#include "strew/tensor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/machine.h"
#include "support/compare.h"

namespace strew {
namespace {

TEST(TensorMemory, ZerosAreZeroForEveryType) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    const auto tensor = Tensor::zeros(dtype, {3, 5});
    ASSERT_TRUE(tensor) << tensor.error().message();
    EXPECT_EQ(tensor->element_count(), 15);
    EXPECT_EQ(tensor->size_bytes(), (15 * bit_width(dtype) + 7) / 8);
    if (dtype == DType::kString) continue;
    const auto* bytes = static_cast<const unsigned char*>(tensor->data());
    for (std::int64_t i = 0; i < tensor->size_bytes(); ++i) ASSERT_EQ(bytes[i], 0);
  }
}

TEST(TensorText, SaysTypeShapeAndElements) {
  std::ostringstream text;
  text << *Tensor::of<float>({1, 20.5, 3, 4}, {2, 2});
  EXPECT_EQ(text.str(), "float32 [2, 2] [[   1, 20.5],\n [   3,    4]]");
}

TEST(TensorValues, OfAnotherTypeAreRefusedByTheCompilerOrEndTheProgram) {
  const auto tensor = Tensor::of<float>({1, 2}, {2});
  EXPECT_EQ(tensor->values<float>().size(), 2U);
  EXPECT_DEATH((void)tensor->values<double>(), "values of float64 were asked of a tensor of float32");
}

TEST(TensorMemory, ImpossibleShapesAreRefused) {
  EXPECT_EQ(Tensor::zeros(DType::kUInt8, {-1}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Tensor::zeros(DType::kFloat64, {INT64_MAX}).error().code, ErrorCode::kInvalidArgument);
}

TEST(TensorMemory, MoreThanTheMachineHasIsOutOfMemory) {
  const std::int64_t far = std::int64_t{1} << 60;
  for (const DType dtype : {DType::kUInt8, DType::kString}) {
    const auto tensor = Tensor::uninitialized(dtype, {dtype == DType::kString ? far / 64 : far});
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.error().code, ErrorCode::kOutOfMemory) << tensor.error().message();
  }
}

TEST(TensorMemory, WhatDoesNotFitIsRefusedWithItsSizeBeforeItIsAsked) {
  const ScopedMachine small(Machine{.memory = 1 << 20, .most_memory = 1 << 20});
  EXPECT_TRUE(Tensor::zeros(DType::kFloat32, {1 << 18}));
  for (const auto& tensor : {Tensor::zeros(DType::kFloat32, {(1 << 18) + 1}),
                             Tensor::uninitialized(DType::kFloat32, {(1 << 18) + 1})}) {
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.error().code, ErrorCode::kOutOfMemory);
    EXPECT_EQ(tensor.error().message(),
              "a tensor of float32 [262145] takes 1048580 bytes; with swap there are 1048576");
  }
}

TEST(TensorMemory, ValuesMustBeAsManyAsTheShapeSays) {
  EXPECT_FALSE(Tensor::of<float>({1, 2, 3}, {2, 2}));
  const auto tensor = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->values<float>()[3], 4);
}

TEST(TensorMemory, CopiesOfStridedViewsAreDense) {
  const std::vector<std::int16_t> values{0, 1, 2, 3, 4, 5};
  const auto turned = Tensor::copy_of(TensorView(values.data(), DType::kInt16, {3, 2}, {1, 3}));
  ASSERT_TRUE(turned);
  EXPECT_TRUE(support::same_bits(Tensor::of<std::int16_t>({0, 3, 1, 4, 2, 5}, {3, 2}).value(), *turned));
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

TEST(TensorMemory, CopiesWhatItCannotBorrowAligned) {
  const auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  const auto* odd = reinterpret_cast<const std::byte*>(owner->data()) + 1;
  const Tensor floats = Tensor::borrow(owner, odd, DType::kFloat32, {2}).value();
  EXPECT_FALSE(floats.read_only());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(floats.data()) % alignof(float), 0u);
  EXPECT_EQ(std::memcmp(floats.data(), odd, 8), 0);
  EXPECT_TRUE(Tensor::borrow(owner, odd, DType::kUInt8, {8}).value().read_only());
}

}  // namespace
}  // namespace strew

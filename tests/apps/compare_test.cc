// Tests tolerances, and the text for a difference.
#include "compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strew::app {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
std::string said(std::initializer_list<T> got, std::initializer_list<T> expected, Tolerance tolerance = {}) {
  const Shape shape{static_cast<std::int64_t>(got.size())};
  return difference(*Tensor::of(got, shape), *Tensor::of(expected, shape), tolerance).value_or("");
}

TEST(Compare, AcceptsWhatIsWithinTheTolerances) {
  EXPECT_EQ(said<float>({1.0009f, 9e-8f}, {1, 0}), "");
  EXPECT_NE(said<float>({1.0011f}, {1}), "");
  EXPECT_NE(said<float>({2e-7f}, {0}), "");
}

TEST(Compare, MeasuresAgainstTheExpectedValue) {
  EXPECT_EQ(said<double>({1}, {2}, {.rtol = 0.5, .atol = 0}), "");
  EXPECT_NE(said<double>({2}, {1}, {.rtol = 0.5, .atol = 0}), "");
}

TEST(Compare, TreatsNanAsEqualToNanOnly) {
  EXPECT_EQ(said<float>({kNaN}, {-kNaN}), "");
  EXPECT_NE(said<float>({kNaN}, {1}), "");
  EXPECT_NE(said<float>({1}, {kNaN}), "");
}

TEST(Compare, RequiresTheSameInfinity) {
  EXPECT_EQ(said<float>({kInf, -kInf}, {kInf, -kInf}), "");
  EXPECT_NE(said<float>({kInf}, {-kInf}), "");
  EXPECT_NE(said<float>({3e38f}, {kInf}), "");
  EXPECT_NE(said<float>({kInf}, {3e38f}), "");
}

TEST(Compare, RequiresEqualIntegersOfAnySize) {
  EXPECT_EQ(said<std::int64_t>({(1LL << 60) + 1}, {(1LL << 60) + 1}), "");
  EXPECT_NE(said<std::int64_t>({(1LL << 60) + 1}, {1LL << 60}), "");
  EXPECT_NE(said<bool>({true}, {false}), "");
}

TEST(Compare, RequiresEqualStrings) {
  EXPECT_EQ(said<const char*>({"a"}, {"a"}), "");
  EXPECT_EQ(said<const char*>({"a", "b"}, {"a", "c"}),
            "1 of 2 values differ, first [1]: got \"b\", expected \"c\"");
}

TEST(Compare, ExactRequiresTheSameBits) {
  EXPECT_EQ(said<float>({0.0f}, {-0.0f}), "");
  EXPECT_NE(said<float>({0.0f}, {-0.0f}, {.exact = true}), "");
  EXPECT_NE(said<float>({std::nextafter(1.0f, 2.0f)}, {1}, {.exact = true}), "");
  EXPECT_EQ(said<float>({kNaN}, {-kNaN}, {.exact = true}), "");
  EXPECT_EQ(said<Float16>({{0x7E00}}, {{0xFE01}}, {.exact = true}), "");
  EXPECT_NE(said<Float16>({{0x7C00}}, {{0x7E00}}, {.exact = true}), "");
}

TEST(Compare, ComparesComplexNumbersByTheirDistance) {
  using Complex = std::complex<float>;
  EXPECT_EQ(said<Complex>({{1000, 0.9f}}, {{1000, 0}}), "");
  EXPECT_NE(said<Complex>({{1, 0.9f}}, {{1, 0}}), "");
  EXPECT_EQ(said<Complex>({{kNaN, 1}}, {{-kNaN, 1}}, {.exact = true}), "");
  EXPECT_NE(said<Complex>({{1, 1}}, {{1, std::nextafter(1.0f, 2.0f)}}, {.exact = true}), "");
}

TEST(Compare, ComparesPackedTypesElementByElement) {
  const std::uint8_t a[] = {0x21, 0x03};
  const std::uint8_t b[] = {0x21, 0xF3};  // differs only in unused bits
  const std::uint8_t c[] = {0x21, 0x04};
  const auto tensor = [](const std::uint8_t* bytes) {
    return *Tensor::borrow(nullptr, bytes, DType::kUInt4, {3});
  };
  EXPECT_EQ(difference(tensor(a), tensor(b), {}), std::nullopt);
  EXPECT_THAT(*difference(tensor(a), tensor(c), {}),
              ::testing::HasSubstr("1 of 3 values differ, first [2]: got 3, expected 4"));
}

TEST(Compare, RequiresTheSameTypeAndShape) {
  const Tensor one = *Tensor::of<float>({1}, {1});
  EXPECT_EQ(*difference(one, *Tensor::of<double>({1}, {1}), {}), "type is float32, expected float64");
  EXPECT_EQ(*difference(one, *Tensor::of<float>({1}, {}), {}), "shape is [1], expected []");
}

TEST(Compare, NamesThePlaceAndTheDifference) {
  const Tensor got = *Tensor::of<float>({1, 2, 3, 4.5f}, {2, 2});
  const Tensor expected = *Tensor::of<float>({1, 2, 2, 4}, {2, 2});
  EXPECT_EQ(*difference(got, expected, {}),
            "2 of 4 values differ, first [1, 0]: got 3, expected 2; largest error 1 absolute, 0.5 relative");
}

TEST(Compare, FindsNothingInEmptyTensors) {
  EXPECT_EQ(difference(*Tensor::zeros(DType::kFloat32, {0, 3}), *Tensor::zeros(DType::kFloat32, {0, 3}), {}),
            std::nullopt);
}

}  // namespace
}  // namespace strew::app

// Sums divided by the number of their terms.
#include "kernel/mean.h"

#include <gtest/gtest.h>

#include "reference/combine.h"
#include "reference/element.h"
#include "support/compare.h"
#include "support/random_tensor.h"

namespace strew {
namespace {

template <class T>
T divided(T sum, std::uint64_t terms) {
  divide_by_terms(dtype_of<T>)(&sum, 1, terms);
  return sum;
}

TEST(Mean, OfIntegersIsRoundedTowardMinusInfinity) {
  EXPECT_EQ(divided<std::int32_t>(-7, 2), -4);
  EXPECT_EQ(divided<std::int32_t>(7, 2), 3);
  EXPECT_EQ(divided<std::int8_t>(-128, 1), -128);
  EXPECT_EQ(divided<std::int8_t>(-1, 1000), -1);
  EXPECT_EQ(divided<std::int64_t>(INT64_MIN, 3), INT64_MIN / 3 - 1);
  EXPECT_EQ(divided<std::uint64_t>(UINT64_MAX, 2), UINT64_MAX / 2);
}

TEST(Mean, OfFloatsIsRoundedOnce) {
  EXPECT_EQ(divided<float>(1, 3), 1.0f / 3);
  EXPECT_EQ(divided<float>(1, (1u << 24) + 1), static_cast<float>(1.0 / ((1 << 24) + 1)));
  EXPECT_EQ(divided<double>(-1, 3), -1.0 / 3);
  EXPECT_EQ(divided<Float16>(to_float16(1), 3).bits, 0x3555);
}

TEST(Mean, HasTheBitsOfTheOracle) {
  support::Random random(3);
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(divide_by_terms(dtype) != nullptr, reference::reduction_defined(dtype, Reduction::kMean));
    if (divide_by_terms(dtype) == nullptr) continue;
    for (const std::int64_t terms : {1, 2, 3, 7, 255, 256, 1000, 65'537}) {
      Tensor sums = support::random_tensor(random, dtype, {500});
      Tensor expected = sums.clone().value();
      for (std::int64_t i = 0; i < 500; ++i) {
        const auto quotient =
            reference::divided(dtype, reference::read(sums.view(), {i}), static_cast<std::size_t>(terms));
        reference::write(expected.mutable_view(), {i}, quotient);
      }
      divide_by_terms(dtype)(sums.mutable_data(), 500, static_cast<std::uint64_t>(terms));
      EXPECT_TRUE(support::same_bits(expected.view(), sums.view())) << dtype_name(dtype) << " by " << terms;
    }
  }
}

}  // namespace
}  // namespace strew

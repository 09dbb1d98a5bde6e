// Sums divided by the number of their terms.
#include "kernel/mean.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "reference/combine.h"
#include "reference/element.h"
#include "support/compare.h"
#include "support/instruction_sets.h"
#include "support/random.h"
#include "support/random_tensor.h"

namespace strew {
namespace {

template <class T>
T divided(T sum, std::uint64_t terms) {
  divide_by_terms(dtype_of<T>)->many({&sum, 1, 1, 1}, &terms, false);
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

// The sums of `tensor`, whose rows lie `step` elements apart, divided by the oracle.
Tensor expected_quotients(const Tensor& tensor, const std::vector<std::uint32_t>& updates, std::int64_t step,
                          std::int64_t row, bool data) {
  Tensor expected = tensor.clone().value();
  for (std::size_t i = 0; i < updates.size(); ++i) {
    for (std::int64_t j = 0; j < row && updates[i] > 0; ++j) {
      const std::int64_t at = static_cast<std::int64_t>(i) * step + j;
      const auto quotient =
          reference::divided(tensor.dtype(), reference::read(tensor.view(), {at}), updates[i] + (data ? 1 : 0));
      reference::write(expected.mutable_view(), {at}, quotient);
    }
  }
  return expected;
}

TEST(Mean, HasTheBitsOfTheOracle) {
  constexpr std::int64_t kSums = 100;
  support::Random random(3);
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(divide_by_terms(dtype) != nullptr, reference::reduction_defined(dtype, Reduction::kMean));
    if (divide_by_terms(dtype) == nullptr) continue;
    std::vector<std::uint32_t> updates(kSums);
    for (auto& count : updates) {
      count = std::array{0u, 1u, 2u, 3u, 255u, 65'536u, (1u << 24) + 1}[static_cast<std::size_t>(random.below(7))];
    }
    for (const auto& [step, row] : {std::pair{8, 8}, {4, 3}, {64, 33}, {1, 1}, {1, 3}}) {
      for (std::size_t i = 0; i < kSums; ++i) {
        if (row > step && (i % 3 != 0 || i == kSums - 1)) updates[i] = 0;  // in the middle of a row
      }
      const std::vector<std::uint64_t> many(updates.begin(), updates.end());
      const bool data = random.below(2) == 0;
      SCOPED_TRACE(std::string(dtype_name(dtype)) + ", rows of " + std::to_string(row));
      const Tensor sums = support::random_tensor(random, dtype, {kSums * step});
      const Tensor expected = expected_quotients(sums, updates, step, row, data);
      for (const std::int64_t set : support::instruction_sets()) {
        const support::ForcedInstructionSet forced(set);
        Tensor few = sums.clone().value();
        divide_by_terms(dtype)->few({few.mutable_data(), kSums, step, row}, updates.data(), data);
        EXPECT_TRUE(support::same_bits(expected.view(), few.view()));
        Tensor others = sums.clone().value();
        divide_by_terms(dtype)->many({others.mutable_data(), kSums, step, row}, many.data(), data);
        EXPECT_TRUE(support::same_bits(expected.view(), others.view()));
      }
    }
  }
}

}  // namespace
}  // namespace strew

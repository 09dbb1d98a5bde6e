// Tests the division of sums by the number of their terms, and the widening of narrow floats.
#include "kernel/mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kernel/kernel.h"
#include "reference/combine.h"
#include "reference/element.h"
#include "reference/narrow.h"
#include "support/compare.h"
#include "support/instruction_sets.h"
#include "support/random.h"
#include "support/random_tensor.h"

namespace strew {
namespace {

template <class T>
T divide(T sum, std::uint64_t terms) {
  divide_by_terms(dtype_of<T>)->many({&sum, 1, 1, 1}, &terms, false);
  return sum;
}

TEST(Mean, OfIntegersIsRoundedTowardMinusInfinity) {
  EXPECT_EQ(divide<std::int32_t>(-7, 2), -4);
  EXPECT_EQ(divide<std::int32_t>(7, 2), 3);
  EXPECT_EQ(divide<std::int8_t>(-128, 1), -128);
  EXPECT_EQ(divide<std::int8_t>(-1, 1000), -1);
  EXPECT_EQ(divide<std::int64_t>(INT64_MIN, 3), INT64_MIN / 3 - 1);
  EXPECT_EQ(divide<std::uint64_t>(UINT64_MAX, 2), UINT64_MAX / 2);
}

TEST(Mean, OfFloatsIsRoundedOnce) {
  EXPECT_EQ(divide<float>(1, 3), 1.0f / 3);
  EXPECT_EQ(divide<float>(1, (1u << 24) + 1), static_cast<float>(1.0 / ((1 << 24) + 1)));
  EXPECT_EQ(divide<double>(-1, 3), -1.0 / 3);
  EXPECT_EQ(divide<Float16>(to_float16(1), 3).bits, 0x3555);
}

// Returns the oracle's quotients of the sums in `tensor`, whose rows lie `step` elements apart.
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
        if (row > step && (i % 3 != 0 || i == kSums - 1)) updates[i] = 0;  // inside another row
      }
      const std::vector<std::uint64_t> many(updates.begin(), updates.end());
      const bool data = random.below(2) == 0;
      SCOPED_TRACE(std::string(dtype_name(dtype)) + ", rows of " + std::to_string(row));
      const Tensor sums = support::random_tensor(random, dtype, {kSums * step});
      const Tensor expected = expected_quotients(sums, updates, step, row, data);
      for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
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

const std::vector<DType> kNarrow = {DType::kFloat16,        DType::kBFloat16,   DType::kFloat8E4M3FN,
                                    DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ};

std::vector<float> all_values(DType dtype) {
  const std::uint32_t codes = 1u << bit_width(dtype);
  std::vector<float> values(codes);
  for (std::uint32_t code = 0; code < codes; ++code) widening(dtype)->widen(&code, &values[code], 1);
  return values;
}

TEST(Widening, HasEveryValueOfTheType) {
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (const DType dtype : kNarrow) {
      const std::vector<float> values = all_values(dtype);
      for (std::uint32_t code = 0; code < values.size(); ++code) {
        const auto expected = reference::value_of<float>(reference::widened(dtype, reference::element_of(code)));
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(values[code])) << dtype_name(dtype) << ' ' << code;
        } else {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(values[code]), std::bit_cast<std::uint32_t>(expected))
              << dtype_name(dtype) << ' ' << code;
        }
      }
    }
  }
}

// Tests every value, midpoints and their neighbours, numbers beyond the largest value, and random numbers.
TEST(Widening, RoundsBackToTheNearestValue) {
  support::Random random(7);
  for (const DType dtype : kNarrow) {
    std::vector<float> values = all_values(dtype);
    std::vector<float> tried = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, -NAN, 3e38f, -3e38f, 1e-45f, -1e-45f};
    std::erase_if(values, [](float value) { return !std::isfinite(value); });
    std::ranges::sort(values);
    values.push_back(2 * values.back() - values[values.size() - 2]);
    values.insert(values.begin(), -values.back());
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      const float middle = values[i] / 2 + values[i + 1] / 2;
      for (const float value : {values[i], middle}) {
        tried.insert(tried.end(), {value, std::nextafter(value, INFINITY), std::nextafter(value, -INFINITY)});
      }
    }
    for (int i = 0; i < 20'000; ++i)
      tried.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random.bits())));
    const auto width = static_cast<std::size_t>(bit_width(dtype) / 8);
    std::vector<unsigned char> expected(tried.size() * width);
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const auto nearest = reference::narrowed(dtype, reference::element_of(tried[i]));
      std::memcpy(expected.data() + i * width, nearest.bytes.data(), width);
    }
    for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
      std::vector<unsigned char> narrowed(expected.size());
      widening(dtype)->narrow(tried.data(), narrowed.data(), static_cast<std::int64_t>(tried.size()));
      const auto differ = std::ranges::mismatch(expected, narrowed).in1 - expected.begin();
      const auto at = static_cast<std::size_t>(differ) / width;
      EXPECT_EQ(static_cast<std::size_t>(differ), expected.size())
          << dtype_name(dtype) << " of " << (at < tried.size() ? tried[at] : 0);
    }
  }
}

TEST(Widening, IsUndefinedForOtherTypes) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(widening(dtype) != nullptr, reference::is_narrow(dtype)) << dtype_name(dtype);
  }
}

}  // namespace
}  // namespace strew

// Narrow floats as float32 and back, every value and every tie.
#include "kernel/widen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "reference/narrow.h"
#include "support/instruction_sets.h"
#include "support/random.h"

namespace strew {
namespace {

const std::vector<DType> kNarrow = {DType::kFloat16,        DType::kBFloat16,   DType::kFloat8E4M3FN,
                                    DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ};

reference::Element element_of(std::uint32_t bits) {
  reference::Element element;
  std::memcpy(element.bytes.data(), &bits, sizeof bits);
  return element;
}

template <class T>
T value_of(const reference::Element& element) {
  T value;
  std::memcpy(&value, element.bytes.data(), sizeof value);
  return value;
}

std::vector<float> all_values(DType dtype) {
  const std::uint32_t codes = 1u << bit_width(dtype);
  std::vector<float> values(codes);
  for (std::uint32_t code = 0; code < codes; ++code) {
    widening(dtype)->widen(&code, &values[code], 1);
  }
  return values;
}

TEST(Widening, HasEveryValueOfTheType) {
  for (const std::int64_t set : support::instruction_sets()) {
    const support::ForcedInstructionSet forced(set);
    for (const DType dtype : kNarrow) {
      const std::vector<float> values = all_values(dtype);
      for (std::uint32_t code = 0; code < values.size(); ++code) {
        const auto expected = value_of<float>(reference::widened(dtype, element_of(code)));
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

// Every value, the middle of each two, what lies beside them, beyond the last, and any other.
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
      const auto nearest = reference::narrowed(dtype, element_of(std::bit_cast<std::uint32_t>(tried[i])));
      std::memcpy(expected.data() + i * width, nearest.bytes.data(), width);
    }
    for (const std::int64_t set : support::instruction_sets()) {
      const support::ForcedInstructionSet forced(set);
      std::vector<unsigned char> narrowed(expected.size());
      widening(dtype)->narrow(tried.data(), narrowed.data(), static_cast<std::int64_t>(tried.size()));
      const auto differ = std::ranges::mismatch(expected, narrowed).in1 - expected.begin();
      const auto at = static_cast<std::size_t>(differ) / width;
      EXPECT_EQ(static_cast<std::size_t>(differ), expected.size())
          << dtype_name(dtype) << " of " << (at < tried.size() ? tried[at] : 0);
    }
  }
}

TEST(Widening, IsThereForNoOtherType) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(widening(dtype) != nullptr, reference::is_narrow(dtype)) << dtype_name(dtype);
  }
}

}  // namespace
}  // namespace strew

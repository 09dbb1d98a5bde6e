// Compares float16 and bfloat16 with exact arithmetic for all bit patterns.
#include "strew/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/half_math.h"
#include "reference/exact_half.h"
#include "support/random.h"

namespace strew {
namespace {

using reference::decode;
using reference::encode;
using reference::HalfFormat;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class Half>
struct Traits;
template <>
struct Traits<Float16> {
  static constexpr HalfFormat format = reference::kFloat16Format;
  static Float16 from(float value) { return to_float16(value); }
};
template <>
struct Traits<BFloat16> {
  static constexpr HalfFormat format = reference::kBFloat16Format;
  static BFloat16 from(float value) { return to_bfloat16(value); }
};

template <class Half>
class HalfTypes : public testing::Test {
 protected:
  static constexpr HalfFormat kFormat = Traits<Half>::format;

  static bool is_nan(std::uint16_t bits) { return (bits & 0x7FFF) > kFormat.infinity; }

  static void expect_rounded(float value) {
    ASSERT_EQ(Traits<Half>::from(value).bits, encode(kFormat, value)) << std::hexfloat << value;
  }
};
using Both = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfTypes, Both);

template <class Body>
void for_each_pattern(Body body) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) body(static_cast<std::uint16_t>(bits));
}

TYPED_TEST(HalfTypes, EveryPatternIsDecodedAndEncoded) {
  for_each_pattern([](std::uint16_t bits) {
    const float value = to_float(TypeParam{bits});
    if (TestFixture::is_nan(bits)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_NE(std::bit_cast<std::uint32_t>(value) & 0x00400000u, 0u) << "a NaN that is not quiet: " << bits;
      ASSERT_EQ(Traits<TypeParam>::from(value).bits, TestFixture::kFormat.quiet_nan);
      return;
    }
    ASSERT_EQ(std::bit_cast<std::uint64_t>(double{value}),
              std::bit_cast<std::uint64_t>(decode(TestFixture::kFormat, bits)));
    ASSERT_EQ(Traits<TypeParam>::from(value).bits, bits);
  });
}

TYPED_TEST(HalfTypes, FloatsNearPatternsAndMidpointsRoundToNearestEven) {
  for_each_pattern([](std::uint16_t bits) {
    if ((bits & 0x7FFF) >= TestFixture::kFormat.infinity) return;
    const double value = decode(TestFixture::kFormat, bits);
    double next = decode(TestFixture::kFormat, static_cast<std::uint16_t>(bits + 1));
    // The largest number's upper midpoint is computed as if the next number were finite.
    if (std::isinf(next)) next = 2 * value - decode(TestFixture::kFormat, static_cast<std::uint16_t>(bits - 1));
    for (const float center : {static_cast<float>(value), static_cast<float>(value + (next - value) / 2)}) {
      TestFixture::expect_rounded(center);
      TestFixture::expect_rounded(std::nextafterf(center, kInfinity));
      TestFixture::expect_rounded(std::nextafterf(center, -kInfinity));
    }
  });
}

TYPED_TEST(HalfTypes, FloatsOfTheWholeRangeRoundToNearestEven) {
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
    TestFixture::expect_rounded(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

std::vector<std::uint16_t> partners(const HalfFormat& format) {
  std::vector<std::uint16_t> bits;
  const int one = format.exponent_bias << format.fraction_bits;
  for (const int center :
       {0, 1 << format.fraction_bits, one, one + (1 << format.fraction_bits), int{format.infinity}}) {
    for (int step = -6; step <= 6; ++step) {
      const int pattern = center + step;
      if (pattern < 0 || pattern > 0x7FFF) continue;
      bits.push_back(static_cast<std::uint16_t>(pattern));
      bits.push_back(static_cast<std::uint16_t>(pattern | 0x8000));
    }
  }
  support::Random random(3);
  while (bits.size() < 200) bits.push_back(static_cast<std::uint16_t>(random.bits()));
  return bits;
}

TYPED_TEST(HalfTypes, SumsAndProductsAreRoundedOnce) {
  for (const std::uint16_t partner : partners(TestFixture::kFormat)) {
    for_each_pattern([partner](std::uint16_t bits) {
      ASSERT_EQ(add(TypeParam{bits}, TypeParam{partner}).bits,
                reference::exact_sum(TestFixture::kFormat, bits, partner))
          << bits << " + " << partner;
      ASSERT_EQ(multiply(TypeParam{bits}, TypeParam{partner}).bits,
                reference::exact_product(TestFixture::kFormat, bits, partner))
          << bits << " * " << partner;
    });
  }
}

TEST(ExactHalf, HasAFewKnownValues) {
  const std::pair<double, int> known[] = {{1.0, 0x3C00},       {65504.0, 0x7BFF}, {65519.0, 0x7BFF},
                                          {65520.0, 0x7C00},   {0x1p-24, 0x0001}, {-0x1p-25, 0x8000},
                                          {0x1.8p-25, 0x0001}, {2049.0, 0x6800},  {2051.0, 0x6802}};
  for (const auto& [value, bits] : known) EXPECT_EQ(encode(reference::kFloat16Format, value), bits) << value;
  // 1 + 2^-8 is a tie of bfloat16. A much smaller term breaks the tie.
  const HalfFormat& brain = reference::kBFloat16Format;
  EXPECT_EQ(encode(brain, 1.0 + 0x1p-8), 0x3F80);
  EXPECT_EQ(reference::exact_sum(brain, 0x3F80, 0x3B80), 0x3F80);
  EXPECT_EQ(reference::exact_sum(brain, 0x3F81, 0x3B80), 0x3F82);
  EXPECT_EQ(reference::exact_sum(brain, 0x7F7F, 0x0001), 0x7F7F);
}

}  // namespace
}  // namespace strew

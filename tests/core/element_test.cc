// Tests values and text of elements of all types.
#include "strew/element.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "strew/half.h"

namespace strew {
namespace {

double decode(DType dtype, std::uint8_t bits) { return to_double(dtype, &bits, 0); }

template <class T>
std::string text_of(T value) {
  return element_text(dtype_of<T>, &value, 0);
}

TEST(Values, DecodesFloatsOf8Bits) {
  using enum DType;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::tuple<DType, std::uint8_t, double> values[] = {
      {kFloat8E4M3FN, 0x38, 1},       {kFloat8E4M3FN, 0x7E, 448},
      {kFloat8E4M3FN, 0xFE, -448},    {kFloat8E4M3FN, 0x01, 0x1p-9},
      {kFloat8E4M3FN, 0x08, 0x1p-6},  {kFloat8E4M3FNUZ, 0x40, 1},
      {kFloat8E4M3FNUZ, 0x7F, 240},   {kFloat8E4M3FNUZ, 0x01, 0x1p-10},
      {kFloat8E5M2, 0x3C, 1},         {kFloat8E5M2, 0x7B, 57344},
      {kFloat8E5M2, 0x01, 0x1p-16},   {kFloat8E5M2, 0x7C, infinity},
      {kFloat8E5M2, 0xFC, -infinity}, {kFloat8E5M2FNUZ, 0x40, 1},
      {kFloat8E5M2FNUZ, 0x7F, 57344}, {kFloat8E5M2FNUZ, 0x01, 0x1p-17},
      {kFloat8E8M0, 127, 1},          {kFloat8E8M0, 0, 0x1p-127},
      {kFloat8E8M0, 254, 0x1p127}};
  for (const auto& [dtype, bits, value] : values) EXPECT_EQ(decode(dtype, bits), value) << dtype_name(dtype);
  const std::pair<DType, std::uint8_t> nans[] = {{kFloat8E4M3FN, 0x7F},   {kFloat8E4M3FN, 0xFF},
                                                 {kFloat8E4M3FNUZ, 0x80}, {kFloat8E5M2, 0x7D},
                                                 {kFloat8E5M2FNUZ, 0x80}, {kFloat8E8M0, 255}};
  for (const auto& [dtype, bits] : nans) EXPECT_TRUE(std::isnan(decode(dtype, bits))) << dtype_name(dtype);
}

TEST(Values, DecodesAllSixteenFloat4Values) {
  const std::vector<double> magnitudes = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint8_t bits = 0; bits < 8; ++bits) {
    EXPECT_EQ(decode(DType::kFloat4E2M1, bits), magnitudes[bits]);
    EXPECT_EQ(decode(DType::kFloat4E2M1, static_cast<std::uint8_t>(bits | 8)), -magnitudes[bits]);
  }
}

TEST(Values, UnpacksFromTheLowBits) {
  using enum DType;
  const std::array<std::uint8_t, 2> bytes = {0x8F, 0xE4};
  const std::tuple<DType, int, double> values[] = {
      {kInt4, 0, -1}, {kInt4, 1, -8}, {kUInt4, 0, 15}, {kUInt4, 3, 14}, {kUInt2, 4, 0},
      {kUInt2, 5, 1}, {kUInt2, 6, 2}, {kUInt2, 7, 3},  {kInt2, 6, -2},  {kInt2, 7, -1}};
  for (const auto& [dtype, at, value] : values) {
    EXPECT_EQ(to_double(dtype, bytes.data(), at), value) << dtype_name(dtype) << ' ' << at;
  }
}

TEST(Values, ReadsIntegersOfEveryWidth) {
  const auto read = []<class T>(T value) { return to_double(dtype_of<T>, &value, 0); };
  EXPECT_EQ(read(std::int8_t{-128}), -128);
  EXPECT_EQ(read(std::uint16_t{65535}), 65535);
  EXPECT_EQ(read(std::int32_t{-7}), -7);
}

TEST(ElementText, ShowsIntegersExactly) {
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(ElementText, UsesTheFewestDigitsThatKeepTheValue) {
  EXPECT_EQ(text_of(0.1f), "0.1");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(to_float16(0.1f)), "0.1");
  EXPECT_EQ(text_of(to_bfloat16(3.14f)), "3.14");
  EXPECT_EQ(text_of(1.0f), "1");
  EXPECT_EQ(text_of(-0.0f), "-0");
}

TEST(ElementText, RoundsToTheRequestedDigits) {
  const std::vector<double> values = {2.0 / 3, 123456, 9.9999, -1e-9 / 3, 5e-324, 1e300};
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < 6; ++i) texts.push_back(element_text(DType::kFloat64, values.data(), i, 3));
  EXPECT_EQ(texts, (std::vector<std::string>{"0.667", "123000", "10", "-3.33e-10", "5e-324", "1e+300"}));
}

TEST(ElementText, WritesPowersInsteadOfManyZeros) {
  EXPECT_EQ(text_of(1e15), "1000000000000000");
  EXPECT_EQ(text_of(1e16), "1e+16");
  EXPECT_EQ(text_of(-0.0001), "-0.0001");
  EXPECT_EQ(text_of(0.00001f), "1e-05");
  EXPECT_EQ(text_of(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(text_of(std::numeric_limits<float>::denorm_min()), "1e-45");
}

TEST(ElementText, KeepsEveryRandomFloatAndDouble) {
  std::mt19937_64 random(20240702);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    const auto wide = std::bit_cast<double>(bits);
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!std::isnan(wide)) {
      ASSERT_EQ(std::strtod(text_of(wide).c_str(), nullptr), wide);
    }
    if (!std::isnan(narrow)) {
      ASSERT_EQ(std::strtof(text_of(narrow).c_str(), nullptr), narrow);
    }
  }
}

TEST(ElementText, DoesNotDependOnTheLocale) {
  const char* const comma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  if (comma == nullptr) GTEST_SKIP() << "no locale with a decimal comma here";
  const std::string text = text_of(1.5);
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(text, "1.5");
}

TEST(ElementText, KeepsEveryFloat16) {
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const Float16 value{static_cast<std::uint16_t>(bits)};
    const float read = std::strtof(text_of(value).c_str(), nullptr);
    ASSERT_EQ(to_float16(read), value) << bits;
  }
}

TEST(ElementText, NamesInfinitiesAndNans) {
  EXPECT_EQ(text_of(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text_of(-std::numeric_limits<float>::quiet_NaN()), "nan");
}

TEST(ElementText, ShowsBothPartsOfAComplexNumber) {
  EXPECT_EQ(text_of(std::complex<float>(1.5f, -2)), "1.5-2j");
  EXPECT_EQ(text_of(std::complex<double>(0, 1)), "0+1j");
  EXPECT_EQ(text_of(std::complex<double>(0, std::nan(""))), "0+nanj");
}

TEST(ElementText, EscapesControlCharacters) {
  EXPECT_EQ(text_of(std::string("a\"b\\c\n")), R"("a\"b\\c\n")");
  EXPECT_EQ(text_of(std::string("\x1b[31m\0", 6)), R"("\x1b[31m\x00")");
  EXPECT_EQ(text_of(std::string("bé €")), "\"bé €\"");
  EXPECT_EQ(text_of(std::string(3000000, 'x')), '"' + std::string(1000, 'x') + "\"\u2026 (3000000 bytes)");
  EXPECT_EQ(text_of(std::string("\xC2\x9B")), R"("\xc2\x9b")") << "a control character in UTF-8";
  EXPECT_EQ(text_of(std::string("\xC3")), R"("\xc3")") << "cut off";
  EXPECT_EQ(text_of(std::string("\xE0\x80\x80")), R"("\xe0\x80\x80")") << "overlong";
  EXPECT_EQ(text_of(std::string("\xED\xA0\x80")), R"("\xed\xa0\x80")") << "a surrogate";
}

TEST(ElementText, SupportsAllTypes) {
  const std::array<std::uint8_t, 16> zeros{};
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype == DType::kString) continue;
    const std::string expected = dtype == DType::kBool                      ? "false"
                                 : dtype == DType::kFloat8E8M0              ? "5.877471754111438e-39"
                                 : value_kind(dtype) == ValueKind::kComplex ? "0+0j"
                                                                            : "0";
    EXPECT_EQ(element_text(dtype, zeros.data(), 0), expected) << dtype_name(dtype);
  }
}

}  // namespace
}  // namespace strew

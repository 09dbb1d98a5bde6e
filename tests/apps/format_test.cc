// Tests the program's text for elements, shapes and files.
#include "format.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "console.h"
#include "parse_element.h"
#include "strew/element.h"

namespace strew::app {
namespace {

Tensor counting(Shape shape) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0);
  return *Tensor::of(std::span<const std::int64_t>(values), std::move(shape));
}

TEST(ArrayText, ShowsArraysOfEveryShape) {
  Shape deep(std::vector<std::int64_t>(30, 2));
  deep.push_back(0);  // 2^30 lists
  const std::tuple<const char*, Shape, const char*> cases[] = {
      {"a scalar has no brackets", {}, "0"},
      {"an empty array", {0}, "[]"},
      {"an empty array of two lists", {2, 0}, "[[],\n []]"},
      {"few lists of an empty array", {100, 0}, "[[],\n [],\n [],\n ...,\n [],\n [],\n []]"},
      {"no list of an empty array with very many", deep, "[]"},
      {"numbers of a row are aligned", {3, 4}, "[[ 0,  1,  2,  3],\n [ 4,  5,  6,  7],\n [ 8,  9, 10, 11]]"},
      {"an empty line separates matrices", {2, 2, 2}, "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]"},
      {"the ends of a long vector", {65}, "[ 0,  1,  2, ..., 62, 63, 64]"},
      {"every long axis is cut",
       {100, 2},
       "[[  0,   1],\n [  2,   3],\n [  4,   5],\n ...,\n [194, 195],\n [196, 197],\n [198, 199]]"},
      {"six values of a high rank", {2, 2, 2, 2, 2, 2, 2}, "0, 1, 2, ..., 125, 126, 127 (in row-major order)"}};
  for (const auto& [what, shape, text] : cases) EXPECT_EQ(to_string(counting(shape)), text) << what;
  EXPECT_EQ(to_string(counting({64})).find("..."), std::string::npos);
}

TEST(ArrayText, ShowsStringsAsTheyAre) {
  const Tensor strings = *Tensor::of({"a", "long"}, {2});
  EXPECT_EQ(to_string(strings), R"(["a", "long"])");
}

TEST(ArrayText, BreaksLongRows) {
  const Tensor row = *Tensor::zeros(DType::kFloat64, {1, 40});
  EXPECT_EQ(
      to_string(row), "[[" + [] {
        std::string text;
        for (int i = 0; i < 40; ++i) text += i == 0 ? "0" : i == 33 ? ",\n  0" : ", 0";
        return text;
      }() + "]]");
}

TEST(SizeText, KeepsThreeDigits) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(256 << 20), "256 MiB");
  EXPECT_EQ(size_text((1 << 20) - 1), "1 MiB");
  EXPECT_EQ(size_text(std::int64_t{1} << 40), "1 TiB");
}

TEST(TimeText, ChoosesTheUnit) {
  EXPECT_EQ(time_text(0.0333), "33.3 ms");
  EXPECT_EQ(time_text(1.25), "1.25 s");
  EXPECT_EQ(time_text(870e-6), "870 us");
  EXPECT_EQ(time_text(0.9999), "1 s");
  EXPECT_EQ(time_text(0), "0 us");
}

TEST(RateText, CountsInUnitsOfTenToTheNine) {
  EXPECT_EQ(rate_text(15'900'000'000, 1), "15.9 GB/s");
  EXPECT_EQ(rate_text(80, 40e-6), "2 MB/s");
  EXPECT_EQ(rate_text(1, 0), "0 kB/s");
}

TEST(ColumnsText, AlignsAndEndsLinesWithoutSpaces) {
  EXPECT_EQ(columns_text({{"a", "bb"}, {"ccc", "d"}, {"e", ""}}, 1), " a    bb\n ccc  d\n e\n");
}

TEST(ElementJson, KeepsNumbersBooleansAndStringsApart) {
  const float number = 0.1f;
  const bool flag = true;
  const std::string text = "x";
  const std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  const std::complex<float> complex(1, -2);
  const double infinite = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(element_json(DType::kFloat32, &number, 0).dump(), "0.1");
  EXPECT_EQ(element_json(DType::kBool, &flag, 0).dump(), "true");
  EXPECT_EQ(element_json(DType::kString, &text, 0).dump(), "\"x\"");
  const std::int8_t negative = -3;
  EXPECT_EQ(element_json(DType::kInt8, &negative, 0).dump(), "-3");
  EXPECT_EQ(element_json(DType::kUInt64, &large, 0).dump(), "18446744073709551615");
  EXPECT_EQ(element_json(DType::kComplex64, &complex, 0).dump(), "[1.0,-2.0]");
  EXPECT_EQ(element_json(DType::kFloat64, &infinite, 0).dump(), "\"-inf\"");
}

TEST(ContentHash, IsFnv1aOfTypeShapeAndElements) {
  // FNV-1a of "uint8 [3]\n" and the bytes 1, 2, 3, by the definition of the function.
  std::uint64_t expected = 0xCBF29CE484222325u;
  for (const unsigned char byte : std::string("uint8 [3]\n\1\2\3")) expected = (expected ^ byte) * 0x100000001B3u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(expected));
  EXPECT_EQ(content_hash(*Tensor::of<std::uint8_t>({1, 2, 3}, {3})), text);
}

TEST(ContentHash, DependsOnTypeShapeAndValues) {
  const std::string hash = content_hash(*Tensor::of<std::int32_t>({1, 2}, {2}));
  EXPECT_NE(hash, content_hash(*Tensor::of<std::int32_t>({1, 3}, {2})));
  EXPECT_NE(hash, content_hash(*Tensor::of<std::int32_t>({1, 2}, {1, 2})));
  EXPECT_NE(hash, content_hash(*Tensor::of<std::uint32_t>({1, 2}, {2})));
}

TEST(ContentHash, DependsOnTheBoundariesOfStrings) {
  EXPECT_NE(content_hash(*Tensor::of({"ab", "c"}, {2})), content_hash(*Tensor::of({"a", "bc"}, {2})));
}

TEST(ContentHash, IgnoresUnusedBitsOfAPackedType) {
  const std::uint8_t zero_above[] = {0x21, 0x03};
  const std::uint8_t ones_above[] = {0x21, 0xF3};
  EXPECT_EQ(content_hash(*Tensor::borrow(nullptr, zero_above, DType::kInt4, {3})),
            content_hash(*Tensor::borrow(nullptr, ones_above, DType::kInt4, {3})));
}

TEST(ParseElement, ReadsWhatItWrites) {
  for (std::uint8_t number = 1; number < 64; ++number) {
    const auto dtype = dtype_from_onnx(number);
    if (!dtype || *dtype == DType::kString || bit_width(*dtype) > 16) continue;
    for (std::uint32_t bits = 0; bits < 1u << bit_width(*dtype); bits += bit_width(*dtype) == 16 ? 37 : 1) {
      if (*dtype == DType::kBool && bits > 1) break;
      const std::string text = element_text(*dtype, &bits, 0);
      const auto read = parse_element(*dtype, text);
      ASSERT_TRUE(read) << text;
      EXPECT_EQ(read->shape(), Shape{});
      const std::uint64_t again = element_bits(*dtype, read->data(), 0);
      EXPECT_EQ(element_text(*dtype, read->data(), 0), text) << dtype_name(*dtype);
      if (text != "nan") {
        EXPECT_EQ(again, bits) << dtype_name(*dtype) << " " << text;
      }
    }
  }
  EXPECT_EQ(parse_element(DType::kInt64, "-9223372036854775808")->values<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_element(DType::kUInt64, "18446744073709551615")->values<std::uint64_t>()[0], ~std::uint64_t{0});
  EXPECT_EQ(parse_element(DType::kFloat32, "0.1")->values<float>()[0], 0.1f);
  EXPECT_EQ(parse_element(DType::kString, "a b")->values<std::string>()[0], "a b");
  EXPECT_EQ(parse_element(DType::kComplex64, "1-2.5j")->values<std::complex<float>>()[0],
            std::complex<float>(1, -2.5f));
  EXPECT_EQ(parse_element(DType::kComplex128, "2j")->values<std::complex<double>>()[0],
            std::complex<double>(0, 2));
  EXPECT_EQ(parse_element(DType::kComplex128, "-3")->values<std::complex<double>>()[0],
            std::complex<double>(-3, 0));
}

TEST(ParseElement, RejectsTextThatIsNoElement) {
  using enum DType;
  const std::pair<DType, std::string> cases[] = {
      {kInt8, "128"}, {kInt4, "-9"},    {kUInt2, "4"},     {kUInt8, "-1"},      {kInt64, "1.5"},     {kInt64, ""},
      {kBool, "2"},   {kFloat32, "1x"}, {kFloat64, "one"}, {kComplex64, "1+2"}, {kComplex64, "1 2j"}};
  for (const auto& [dtype, text] : cases) {
    const auto read = parse_element(dtype, text);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message().starts_with("'" + text + "' is not a value of ")) << read.error().message();
  }
}

}  // namespace
}  // namespace strew::app

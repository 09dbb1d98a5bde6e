// Elements from text, of all types.
#include "parse_element.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "strew/element.h"

namespace strew::app {
namespace {

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

TEST(ParseElement, RefusesTextThatIsNoElement) {
  for (const auto& [dtype, text] : std::vector<std::pair<DType, std::string>>{{DType::kInt8, "128"},
                                                                              {DType::kInt4, "-9"},
                                                                              {DType::kUInt2, "4"},
                                                                              {DType::kUInt8, "-1"},
                                                                              {DType::kInt64, "1.5"},
                                                                              {DType::kInt64, ""},
                                                                              {DType::kBool, "2"},
                                                                              {DType::kFloat32, "1x"},
                                                                              {DType::kFloat64, "one"},
                                                                              {DType::kComplex64, "1+2"},
                                                                              {DType::kComplex64, "1 2j"}}) {
    const auto read = parse_element(dtype, text);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message().starts_with("'" + text + "' is no ")) << read.error().message();
  }
}

}  // namespace
}  // namespace strew::app

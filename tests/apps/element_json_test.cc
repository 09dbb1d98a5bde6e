// JSON of elements of all types.
#include "element_json.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace strew::app {
namespace {

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

}  // namespace
}  // namespace strew::app

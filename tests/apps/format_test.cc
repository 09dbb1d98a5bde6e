// Text for people: arrays, sizes, times, columns.
#include "format.h"

#include <gtest/gtest.h>

#include <numeric>

namespace strew::app {
namespace {

Tensor counting(Shape shape) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0);
  return *Tensor::of(std::span<const std::int64_t>(values), std::move(shape));
}

TEST(ArrayText, ShowsAScalarWithoutBrackets) { EXPECT_EQ(to_string(counting({})), "0"); }

TEST(ArrayText, ShowsEmptyArraysByTheirBrackets) {
  EXPECT_EQ(to_string(counting({0})), "[]");
  EXPECT_EQ(to_string(counting({2, 0})), "[[],\n []]");
}

TEST(ArrayText, ShowsFewOfTheListsOfAnArrayWithoutElements) {
  EXPECT_EQ(to_string(counting({100, 0})), "[[],\n [],\n [],\n ...,\n [],\n [],\n []]");
  Shape shape;
  for (int axis = 0; axis < 30; ++axis) shape.push_back(2);
  shape.push_back(0);  // 2^30 lists
  EXPECT_EQ(to_string(counting(shape)), "[]");
}

TEST(ArrayText, AlignsNumbersOfARow) {
  EXPECT_EQ(to_string(counting({3, 4})), "[[ 0,  1,  2,  3],\n [ 4,  5,  6,  7],\n [ 8,  9, 10, 11]]");
}

TEST(ArrayText, PartsMatricesByAnEmptyLine) {
  EXPECT_EQ(to_string(counting({2, 2, 2})), "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]");
}

TEST(ArrayText, ShowsStringsAsTheyAre) {
  const Tensor strings = *Tensor::of({"a", "long"}, {2});
  EXPECT_EQ(to_string(strings), R"(["a", "long"])");
}

TEST(ArrayText, ShowsTheEndsOfALongVector) {
  EXPECT_EQ(to_string(counting({64})).find("..."), std::string::npos);
  EXPECT_EQ(to_string(counting({65})), "[ 0,  1,  2, ..., 62, 63, 64]");
}

TEST(ArrayText, CutsEveryLongAxis) {
  EXPECT_EQ(to_string(counting({100, 2})),
            "[[  0,   1],\n [  2,   3],\n [  4,   5],\n ...,\n [194, 195],\n [196, 197],\n [198, 199]]");
}

TEST(ArrayText, ShowsSixValuesOfAHighRank) {
  EXPECT_EQ(to_string(counting({2, 2, 2, 2, 2, 2, 2})), "0, 1, 2, ..., 125, 126, 127 (in row-major order)");
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

TEST(RateText, CountsTenToTheNine) {
  EXPECT_EQ(rate_text(15'900'000'000, 1), "15.9 GB/s");
  EXPECT_EQ(rate_text(80, 40e-6), "2 MB/s");
  EXPECT_EQ(rate_text(1, 0), "0 kB/s");
}

TEST(ColumnsText, AlignsAndEndsLinesWithoutSpaces) {
  EXPECT_EQ(columns_text({{"a", "bb"}, {"ccc", "d"}, {"e", ""}}, 1), " a    bb\n ccc  d\n e\n");
}

}  // namespace
}  // namespace strew::app

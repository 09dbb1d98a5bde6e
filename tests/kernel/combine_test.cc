// Tests reductions: integer wrap, order, NaN, signed zeros, and rounding at each step.
#include "reference/combine.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kernel/run_kernel.h"
#include "support/compare.h"
#include "support/instruction_sets.h"
#include "support/random_tensor.h"

namespace strew {
namespace {

// Folds all updates into one element.
template <class T>
T fold(DType dtype, Reduction reduction, T start, std::vector<T> updates) {
  const std::vector<std::int64_t> at(updates.size(), 0);
  return run_kernel<T>(combine_kernel(dtype, reduction), {start}, updates, at).front();
}

// All pairs of a type and a reduction that is defined for the type, except strings.
const std::vector<std::pair<DType, Reduction>> kReductions = [] {
  std::vector<std::pair<DType, Reduction>> all;
  for (int type = kDTypeMin; type <= kDTypeMax; ++type) {
    const auto dtype = static_cast<DType>(type);
    for (int number = 1; number <= static_cast<int>(Reduction::kXor); ++number) {
      const auto reduction = static_cast<Reduction>(number);
      if (dtype != DType::kString && combine_kernel(dtype, reduction)) all.emplace_back(dtype, reduction);
    }
  }
  return all;
}();

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(CombineKernel, IsDefinedForEveryTypeWithAReduction) {
  for (int type = kDTypeMin; type <= kDTypeMax; ++type) {
    for (int number = 1; number <= static_cast<int>(Reduction::kXor); ++number) {
      const auto dtype = static_cast<DType>(type);
      const auto reduction = static_cast<Reduction>(number);
      EXPECT_EQ(combine_kernel(dtype, reduction) != nullptr, reference::reduction_defined(dtype, reduction))
          << dtype_name(dtype) << ' ' << reduction_name(reduction);
    }
  }
}

TEST(CombineKernel, SubtractsAndDivides) {
  EXPECT_EQ(fold<std::int8_t>(DType::kInt8, Reduction::kSub, -128, {1}), 127);
  EXPECT_EQ(fold<std::uint64_t>(DType::kUInt64, Reduction::kSub, 0, {1}), UINT64_MAX);
  EXPECT_EQ(fold<float>(DType::kFloat32, Reduction::kSub, 1, {2, 4}), -5);
  EXPECT_EQ(fold<double>(DType::kFloat64, Reduction::kDiv, 1, {2, 4}), 0.125);
  EXPECT_EQ(fold<float>(DType::kFloat32, Reduction::kDiv, -1, {0}), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(fold<Float16>(DType::kFloat16, Reduction::kDiv, to_float16(1), {to_float16(3)}).bits, 0x3555);
  using C = std::complex<float>;
  EXPECT_EQ(fold<C>(DType::kComplex64, Reduction::kSub, C(1, 1), {C(2, 3)}), C(-1, -2));
  EXPECT_EQ(fold<C>(DType::kComplex64, Reduction::kDiv, C(4, 2), {C(1, 1)}), C(3, -1));
  EXPECT_EQ(fold<C>(DType::kComplex64, Reduction::kDiv, C(0x1p100f, 0), {C(0x1p100f, 0)}), C(1, 0))
      << "no overflow";
}

TEST(CombineKernel, CombinesBitsOfIntegersAndTruthOfBools) {
  EXPECT_EQ(fold<std::uint8_t>(DType::kUInt8, Reduction::kAnd, 0b1110, {0b0111}), 0b0110);
  EXPECT_EQ(fold<std::int64_t>(DType::kInt64, Reduction::kOr, 5, {-8}), -3);
  EXPECT_EQ(fold<std::int16_t>(DType::kInt16, Reduction::kXor, -1, {1, 2}), -4);
  for (const std::uint8_t x : {0, 1, 2, 255}) {
    for (const std::uint8_t y : {0, 1, 128}) {
      EXPECT_EQ(fold<std::uint8_t>(DType::kBool, Reduction::kXor, x, {y}), (x != 0) != (y != 0));
      EXPECT_EQ(fold<std::uint8_t>(DType::kBool, Reduction::kAnd, x, {y}), x != 0 && y != 0);
      EXPECT_EQ(fold<std::uint8_t>(DType::kBool, Reduction::kOr, x, {y}), x != 0 || y != 0);
    }
  }
}

TEST(CombineKernel, WrapsIntegers) {
  EXPECT_EQ(fold<std::int8_t>(DType::kInt8, Reduction::kAdd, 127, {1}), -128);
  EXPECT_EQ(fold<std::int8_t>(DType::kInt8, Reduction::kAdd, -128, {-1}), 127);
  EXPECT_EQ(fold<std::uint16_t>(DType::kUInt16, Reduction::kMul, 65535, {65535}), 1);
  EXPECT_EQ(fold<std::int32_t>(DType::kInt32, Reduction::kMul, 65536, {65536}), 0);
  EXPECT_EQ(fold<std::int64_t>(DType::kInt64, Reduction::kAdd, INT64_MAX, {1}), INT64_MIN);
  EXPECT_EQ(fold<std::int64_t>(DType::kInt64, Reduction::kMul, INT64_MIN, {-1}), INT64_MIN);
}

TEST(CombineKernel, ComparesIntegersBySignAndExactly) {
  EXPECT_EQ(fold<std::int8_t>(DType::kInt8, Reduction::kMax, -1, {1}), 1);
  EXPECT_EQ(fold<std::uint8_t>(DType::kUInt8, Reduction::kMax, 255, {1}), 255);
  const std::int64_t large = (std::int64_t{1} << 53) + 1;  // not representable as a double
  EXPECT_EQ(fold<std::int64_t>(DType::kInt64, Reduction::kMax, large - 1, {large}), large);
  EXPECT_EQ(fold<std::uint64_t>(DType::kUInt64, Reduction::kMin, UINT64_MAX, {UINT64_MAX - 1}), UINT64_MAX - 1);
}

TEST(CombineKernel, TreatsAnyNonZeroByteAsTrue) {
  for (int a : {0, 1, 2}) {
    for (int b : {0, 1, 4}) {
      const auto x = static_cast<std::uint8_t>(a);
      const auto y = static_cast<std::uint8_t>(b);
      const int either = (a != 0 || b != 0) ? 1 : 0;
      const int both = (a != 0 && b != 0) ? 1 : 0;
      EXPECT_EQ(fold<std::uint8_t>(DType::kBool, Reduction::kAdd, x, {y}), either);
      EXPECT_EQ(fold<std::uint8_t>(DType::kBool, Reduction::kMax, x, {y}), either);
      EXPECT_EQ(fold<std::uint8_t>(DType::kBool, Reduction::kMul, x, {y}), both);
      EXPECT_EQ(fold<std::uint8_t>(DType::kBool, Reduction::kMin, x, {y}), both);
    }
  }
}

TEST(CombineKernel, FoldsFromTheLeftAndRoundsEachStep) {
  EXPECT_EQ(fold<float>(DType::kFloat32, Reduction::kAdd, 1e8f, {1.0f, -1e8f, 1.0f}), 1.0f);
  EXPECT_EQ(fold<Float16>(DType::kFloat16, Reduction::kAdd, to_float16(2048), {to_float16(1), to_float16(1)}),
            to_float16(2048));
  EXPECT_EQ(fold<BFloat16>(DType::kBFloat16, Reduction::kAdd, to_bfloat16(256), {to_bfloat16(1), to_bfloat16(1)}),
            to_bfloat16(256));
  EXPECT_EQ(fold<Float16>(DType::kFloat16, Reduction::kMul, to_float16(60000), {to_float16(2)}).bits, 0x7C00);
}

TEST(CombineKernel, ReturnsNanFromMaxAndMinOfNan) {
  for (Reduction reduction : {Reduction::kMax, Reduction::kMin}) {
    EXPECT_TRUE(std::isnan(fold<float>(DType::kFloat32, reduction, kNan, {1.0f})));
    EXPECT_TRUE(std::isnan(fold<float>(DType::kFloat32, reduction, 1.0f, {kNan})));
    EXPECT_TRUE(std::isnan(fold<float>(DType::kFloat32, reduction, 1.0f, {kNan, 3.0f})));
    EXPECT_EQ(fold<Float16>(DType::kFloat16, reduction, Float16{0x7D01}, {to_float16(1)}).bits, 0x7E00);
    EXPECT_EQ(fold<BFloat16>(DType::kBFloat16, reduction, to_bfloat16(1), {BFloat16{0xFF81}}).bits, 0x7FC0);
  }
}

TEST(CombineKernel, ReturnsTheCanonicalNan) {
  const float payload = std::bit_cast<float>(0xFFC12345u);
  const float infinity = std::numeric_limits<float>::infinity();
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  EXPECT_EQ(bits(fold<float>(DType::kFloat32, Reduction::kAdd, payload, {1.0f})), 0x7FC00000u);
  EXPECT_EQ(bits(fold<float>(DType::kFloat32, Reduction::kMul, 1.0f, {payload})), 0x7FC00000u);
  EXPECT_EQ(bits(fold<float>(DType::kFloat32, Reduction::kMax, 1.0f, {payload})), 0x7FC00000u);
  EXPECT_EQ(bits(fold<float>(DType::kFloat32, Reduction::kAdd, infinity, {-infinity})), 0x7FC00000u);
}

TEST(CombineKernel, ReturnsTheCanonicalNanAtEveryPlaceInABlock) {
  constexpr std::size_t kCount = 19;
  std::vector<std::int64_t> places(kCount);
  std::iota(places.begin(), places.end(), 0);
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(forced.set()));
    for (const Reduction reduction : {Reduction::kAdd, Reduction::kSub, Reduction::kMul, Reduction::kMin}) {
      for (std::size_t i = 0; i < kCount; ++i) {
        std::vector<float> updates(kCount, 1);
        updates[i] = std::bit_cast<float>(0xFFC12345u);
        const auto folded = run_kernel<float>(combine_kernel(DType::kFloat32, reduction),
                                              std::vector<float>(kCount, 1), updates, places);
        for (std::size_t j = 0; j < kCount; ++j) EXPECT_EQ(std::isnan(folded[j]), j == i);
        EXPECT_EQ(std::bit_cast<std::uint32_t>(folded[i]), 0x7FC00000u) << i;
      }
    }
  }
}

TEST(CombineKernel, PutsPlusZeroAboveMinusZero) {
  EXPECT_FALSE(std::signbit(fold<float>(DType::kFloat32, Reduction::kMax, -0.0f, {0.0f})));
  EXPECT_FALSE(std::signbit(fold<float>(DType::kFloat32, Reduction::kMax, 0.0f, {-0.0f})));
  EXPECT_TRUE(std::signbit(fold<double>(DType::kFloat64, Reduction::kMin, 0.0, {-0.0})));
  EXPECT_TRUE(std::signbit(fold<double>(DType::kFloat64, Reduction::kMin, -0.0, {0.0})));
}

TEST(CombineKernel, MultipliesComplexNumbers) {
  using C = std::complex<float>;
  EXPECT_EQ(fold<C>(DType::kComplex64, Reduction::kMul, C(1, 1), {C(2, 0), C(0, 1)}), C(-2, 2));
  using D = std::complex<double>;
  EXPECT_EQ(fold<D>(DType::kComplex128, Reduction::kAdd, D(1, 1), {D(2, 3)}), D(3, 4));
}

TEST(CombineKernel, AppendsStringsInOrder) {
  std::vector<std::string> target{"a", "b"};
  const std::vector<std::string> source{"x", "y"};
  const std::int64_t to[] = {0, 0};
  const std::int64_t from[] = {0, 1};
  combine_kernel(DType::kString, Reduction::kAdd)(target.data(), source.data(), to, from, 2, 1);
  EXPECT_EQ(target, (std::vector<std::string>{"axy", "b"}));
}

TEST(CombineKernel, CombinesRowsElementByElement) {
  EXPECT_EQ(run_kernel<std::int32_t>(combine_kernel(DType::kInt32, Reduction::kAdd), {1, 2, 3, 4},
                                     {10, 20, 30, 40}, {1, 2}, 2),
            (std::vector<std::int32_t>{1, 12, 53, 44}));
}

// Combines each 16-bit pattern with another one. A row must have the bits of its elements folded one by one.
TEST(CombineKernel, FoldsRowsOfHalvesAsItFoldsElements) {
  constexpr std::int64_t kAll = 1 << 16;
  constexpr std::int64_t kOdd = kAll - 3;  // so that rows end inside a vector
  std::vector<std::uint16_t> current(kAll);
  std::vector<std::uint16_t> updates(kAll);
  for (std::size_t i = 0; i < kAll; ++i) {
    current[i] = static_cast<std::uint16_t>(i);
    updates[i] = static_cast<std::uint16_t>(i * 40'503 + 77);
  }
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    for (const auto& [dtype, reduction] : kReductions) {
      if (dtype != DType::kFloat16 && dtype != DType::kBFloat16) continue;
      const Kernel kernel = combine_kernel(dtype, reduction);
      std::vector<std::uint16_t> rows = current;
      std::vector<std::uint16_t> elements = current;
      const std::int64_t start = 0;
      kernel(rows.data(), updates.data(), &start, &start, 1, kOdd);
      for (std::int64_t i = 0; i < kOdd; ++i) kernel(elements.data(), updates.data(), &i, &i, 1, 1);
      for (std::size_t i = 0; i < kAll; ++i) {
        ASSERT_EQ(rows[i], elements[i])
            << reduction_name(reduction) << " of " << current[i] << " and " << updates[i] << ", "
            << dtype_name(dtype) << ", " << hwy::TargetName(forced.set());
      }
    }
  }
}

// Returns offsets in runs of equal values of various lengths.
std::vector<std::int64_t> offsets_in_runs(support::Random& random, std::int64_t count, std::int64_t places) {
  std::vector<std::int64_t> offsets;
  while (static_cast<std::int64_t>(offsets.size()) < count) {
    const std::int64_t length = random.pick({1, 1, 2, 7, 8, 9, 40});
    offsets.insert(offsets.end(), static_cast<std::size_t>(length), random.below(places));
  }
  offsets.resize(static_cast<std::size_t>(count));
  return offsets;
}

// Folds rows of `row` elements at offsets in runs with a kernel, and expects the bits of the oracle.
void expect_bits_of_the_oracle(support::Random& random, DType dtype, Reduction reduction, std::int64_t row) {
  constexpr std::int64_t kPlaces = 5;
  constexpr std::int64_t kCount = 90;
  Tensor target = support::random_tensor(random, dtype, {kPlaces * row});
  const Tensor updates = support::random_tensor(random, dtype, {kCount * row});
  std::vector<std::int64_t> offsets = offsets_in_runs(random, kCount, kPlaces);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < kCount; ++i) positions.push_back(random.below(kCount));
  const bool in_turn = random.one_in(2);
  Tensor expected = target.clone().value();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] *= row;
    positions[i] = (in_turn ? static_cast<std::int64_t>(i) : positions[i]) * row;
    for (std::int64_t j = 0; j < row; ++j) {
      const auto current = reference::read(expected.view(), {offsets[i] + j});
      const auto update = reference::read(updates.view(), {positions[i] + j});
      reference::write(expected.mutable_view(), {offsets[i] + j},
                       reference::combine(dtype, reduction, current, update));
    }
  }
  combine_kernel(dtype, reduction)(target.mutable_data(), updates.data(), offsets.data(),
                                   in_turn ? nullptr : positions.data(), kCount, row);
  EXPECT_TRUE(support::same_bits(expected.view(), target.view()))
      << dtype_name(dtype) << ' ' << reduction_name(reduction) << ", rows of " << row;
}

TEST(CombineKernel, HasTheBitsOfTheOracleInEveryInstructionSet) {
  for (const support::ForcedInstructionSet forced : support::instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(forced.set()));
    support::Random random(20260);
    for (const auto& [dtype, reduction] : kReductions) {
      for (int i = 0; i < 10; ++i) expect_bits_of_the_oracle(random, dtype, reduction, 1);
      for (std::int64_t row = 2; row < 40; ++row) expect_bits_of_the_oracle(random, dtype, reduction, row);
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace strew

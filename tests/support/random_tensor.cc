#include "support/random_tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "reference/element.h"

namespace strew::support {
namespace {

// Bit patterns of float32, float64, float16 and bfloat16: zeros, subnormals, one, extremes, infinities, and NaNs
// that are quiet, signalling, negative and with payloads.
constexpr std::array<std::uint32_t, 14> kFloat32 = {
    0u,          0x80000000u, 1u,          0x807FFFFFu, 0x3F800000u, 0x00800000u, 0x7F7FFFFFu,
    0xFF7FFFFFu, 0x7F800000u, 0xFF800000u, 0x7FC00000u, 0x7F800001u, 0xFFC12345u, 0x4B800000u};
constexpr std::array<std::uint64_t, 12> kFloat64 = {0u,
                                                    0x8000000000000000u,
                                                    1u,
                                                    0x3FF0000000000000u,
                                                    0x0010000000000000u,
                                                    0x7FEFFFFFFFFFFFFFu,
                                                    0x7FF0000000000000u,
                                                    0xFFF0000000000000u,
                                                    0x7FF8000000000000u,
                                                    0x7FF0000000000001u,
                                                    0xFFF8123456789ABCu,
                                                    0x4340000000000000u};
constexpr std::array<std::uint16_t, 14> kFloat16 = {0,      0x8000, 1,      0x83FF, 0x3C00, 0x0400, 0x7BFF,
                                                    0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE12, 0x6800};
constexpr std::array<std::uint16_t, 14> kBFloat16 = {0,      0x8000, 1,      0x807F, 0x3F80, 0x0080, 0x7F7F,
                                                     0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFFC3, 0x4380};

template <class Bits, std::size_t N>
Bits special(Random& random, const std::array<Bits, N>& patterns) {
  return random.one_in(8) ? static_cast<Bits>(random.bits()) : patterns[static_cast<std::size_t>(random.below(N))];
}

float random_float(Random& random) {
  if (random.one_in(3)) return std::bit_cast<float>(special(random, kFloat32));
  return static_cast<float>(random.between(-1000, 1000)) / 7.0f;
}

double random_double(Random& random) {
  if (random.one_in(3)) return std::bit_cast<double>(special(random, kFloat64));
  return static_cast<double>(random.between(-1000, 1000)) / 7.0;
}

std::string random_string(Random& random) {
  static const std::array<std::string, 6> kSpecial = {"",          std::string(1, '\0'), std::string("x\0", 2),
                                                      "b\xC3\xA9", "\xFF\xFE",           std::string(100, 'L')};
  if (random.one_in(3)) return kSpecial[static_cast<std::size_t>(random.below(6))];
  return std::to_string(random.below(1000));
}

template <class T, class Make>
void fill(Tensor& tensor, Make make) {
  auto* values = static_cast<T*>(tensor.mutable_data());
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) values[i] = static_cast<T>(make());
}

void fill_integers(Random& random, Tensor& tensor) {
  reference::with_integer(tensor.dtype(), [&]<class T>(T) {
    fill<T>(tensor, [&]() -> T {
      const std::int64_t die = random.below(4);
      if (die > 1) return static_cast<T>(random.below(50));
      if (die == 1) return static_cast<T>(random.bits());
      return random.one_in(2) ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    });
  });
}

}  // namespace

Tensor random_tensor(Random& random, DType dtype, const Shape& shape) {
  Tensor tensor = Tensor::zeros(dtype, shape).value();
  const auto number = [&] { return static_cast<float>(random.between(-1000, 1000)) / 7.0f; };
  if (dtype == DType::kFloat32) fill<float>(tensor, [&] { return random_float(random); });
  if (dtype == DType::kFloat64) fill<double>(tensor, [&] { return random_double(random); });
  if (dtype == DType::kBool) fill<std::uint8_t>(tensor, [&] { return random.below(2); });
  if (dtype == DType::kString) fill<std::string>(tensor, [&] { return random_string(random); });
  if (is_index_type(dtype)) fill_integers(random, tensor);
  const auto fill_halves = [&](const auto& patterns, const auto& round) {
    fill<std::uint16_t>(tensor,
                        [&] { return random.one_in(3) ? special(random, patterns) : round(number()).bits; });
  };
  if (dtype == DType::kFloat16) fill_halves(kFloat16, [](float value) { return to_float16(value); });
  if (dtype == DType::kBFloat16) fill_halves(kBFloat16, [](float value) { return to_bfloat16(value); });
  const auto fill_complex = [&]<class T>(T (*part)(Random&)) {
    fill<std::complex<T>>(tensor, [&] {
      const T real = part(random);
      return std::complex<T>(real, part(random));
    });
  };
  if (dtype == DType::kComplex64) fill_complex(random_float);
  if (dtype == DType::kComplex128) fill_complex(random_double);
  // 8-bit floats and packed types get any bytes.
  if (is_packed(dtype) || (bit_width(dtype) == 8 && dtype != DType::kBool && !is_index_type(dtype))) {
    auto* bytes = static_cast<std::uint8_t*>(tensor.mutable_data());
    for (std::int64_t i = 0; i < tensor.size_bytes(); ++i) bytes[i] = static_cast<std::uint8_t>(random.bits());
  }
  return tensor;
}

std::int64_t lowest_of(DType dtype) {
  const bool is_signed =
      dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32 || dtype == DType::kInt64;
  return is_signed ? INT64_MIN >> (64 - bit_width(dtype)) : 0;
}

std::int64_t highest_of(DType dtype) {
  if (lowest_of(dtype) < 0) return -1 - lowest_of(dtype);
  return dtype == DType::kUInt64 ? INT64_MAX : (std::int64_t{1} << bit_width(dtype)) - 1;
}

std::vector<std::int64_t> index_values(Random& random, IndexPattern pattern, std::int64_t count, std::int64_t size,
                                       DType dtype) {
  const std::int64_t highest = std::min(size - 1, highest_of(dtype));
  const std::int64_t lowest = std::max(-size, lowest_of(dtype));
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  if (pattern == IndexPattern::kPermutation) {
    std::iota(values.begin(), values.end(), std::int64_t{0});
    for (auto& value : values) value %= highest + 1;
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
    return values;
  }
  const std::int64_t equal = random.between(lowest, highest);
  std::int64_t run_value = 0;
  std::int64_t run_left = 0;
  for (auto& value : values) {
    if (pattern == IndexPattern::kAllEqual) value = equal;
    if (pattern == IndexPattern::kNegative) value = random.between(lowest, std::max<std::int64_t>(lowest, -1));
    if (pattern == IndexPattern::kSorted) value = random.between(0, highest);
    if (pattern == IndexPattern::kRandom) value = random.between(lowest, highest);
    if (pattern != IndexPattern::kRuns) continue;
    if (run_left-- == 0) {
      run_left = random.below(40);
      run_value = random.between(0, highest);
    } else if (run_value < highest && random.below(8) != 0) {
      ++run_value;
    }
    value = run_value;
  }
  if (pattern == IndexPattern::kSorted) std::sort(values.begin(), values.end());
  return values;
}

Tensor index_tensor(DType dtype, const std::vector<std::int64_t>& values, const Shape& shape) {
  Tensor tensor = Tensor::zeros(dtype, shape).value();
  const auto width = static_cast<std::size_t>(bit_width(dtype) / 8);
  auto* bytes = static_cast<unsigned char*>(tensor.mutable_data());
  // On a little-endian machine the first bytes of a number are the number in a narrower type.
  static_assert(std::endian::native == std::endian::little);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(bytes + i * width, &values[i], width);
  return tensor;
}

}  // namespace strew::support

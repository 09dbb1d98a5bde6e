// Plain loops, compiled once for each instruction set: the compiler turns them into vectors.
#include "kernel/widen.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/widen.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>

#include "core/half_math.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

struct Half16 {
  using Bits = std::uint16_t;
  static float wide(Bits bits) { return float_from_bits(float16_to_float_bits(bits)); }
  static Bits narrow(float value) { return float16_from_float(value); }
};

struct BHalf16 {
  using Bits = std::uint16_t;
  static float wide(Bits bits) { return float_from_bits(bfloat16_to_float_bits(bits)); }
  static Bits narrow(float value) { return bfloat16_from_float(value); }
};

// What a type of 8 bits has for values that are no finite numbers.
enum class Special : std::uint8_t {
  kInfinity,  // infinities, and NaNs above them, as IEEE 754 has it
  kOneNan,    // no infinity; all bits but the sign are set in NaN
  kNoSign,    // no infinity and no -0, whose bits are NaN
};

// A sign, an exponent and kFraction bits. `kBias` is that of the exponent.
template <int kFraction, int kBias, Special kSpecial>
struct Float8 {
  using Bits = std::uint8_t;

  static constexpr std::uint32_t kAll = 0x7F;  // but for the sign
  static constexpr std::uint32_t kInfinite = kAll >> kFraction << kFraction;
  // The first magnitude that is no finite number.
  static constexpr std::uint32_t kTooLarge = kSpecial == Special::kInfinity ? kInfinite
                                             : kSpecial == Special::kOneNan ? kAll
                                                                            : kAll + 1;
  static constexpr std::uint32_t kNan =
      kSpecial == Special::kInfinity ? kInfinite | 1u << (kFraction - 1) : kTooLarge;

  static constexpr float value_of(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & kAll;
    const float sign = bits > kAll ? -1.0f : 1.0f;
    if (kSpecial == Special::kInfinity && magnitude == kInfinite) return sign * std::bit_cast<float>(0x7F800000u);
    if (kSpecial == Special::kNoSign ? bits == kNan : magnitude >= kTooLarge) {
      return std::bit_cast<float>(0x7FC00000u);
    }
    const std::uint32_t exponent = magnitude >> kFraction;
    const std::uint32_t fraction = magnitude & ((1u << kFraction) - 1);
    const std::uint32_t digits = exponent == 0 ? fraction : fraction | 1u << kFraction;
    const std::uint32_t scale = (exponent == 0 ? 1 : exponent) + 127 - kBias - kFraction;
    return sign * static_cast<float>(digits) * std::bit_cast<float>(scale << 23);
  }
  static constexpr std::array<float, 256> kValues = [] {
    std::array<float, 256> values{};
    for (std::uint32_t bits = 0; bits < 256; ++bits) values[bits] = value_of(bits);
    return values;
  }();

  static float wide(Bits bits) { return kValues[bits]; }

  static Bits narrow(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    const std::uint32_t sign = bits >> 24 & 0x80u;
    constexpr std::uint32_t kNormal = (128u - kBias) << 23;  // the bits of the smallest
    // Below, the result counts units: adding a number whose last bit is a unit lets the addition round.
    constexpr float kUnits = std::bit_cast<float>((128u - kBias + 23 - kFraction) << 23);
    const auto shifted = std::bit_cast<std::uint32_t>(float_from_bits(magnitude) + kUnits);
    const std::uint32_t tiny = shifted - std::bit_cast<std::uint32_t>(kUnits);
    constexpr int kCut = 23 - kFraction;
    const std::uint32_t rounded = magnitude + (1u << (kCut - 1)) - 1 + (magnitude >> kCut & 1u);
    const std::uint32_t normal = (rounded - ((127u - kBias) << 23)) >> kCut;
    const std::uint32_t finite = select_bits(magnitude < kNormal, tiny, normal);
    const bool too_large = magnitude >= 0x7F800000u || finite >= kTooLarge;
    if constexpr (kSpecial == Special::kInfinity) {
      const std::uint32_t code = sign | select_bits(too_large, kInfinite, finite);
      return static_cast<Bits>(select_bits(magnitude > 0x7F800000u, kNan, code));
    } else {
      const bool unsigned_zero = kSpecial == Special::kNoSign && finite == 0;
      const std::uint32_t code = select_bits(unsigned_zero, 0u, sign | finite);
      return static_cast<Bits>(select_bits(too_large, kNan, code));
    }
  }
};

template <class Narrow>
void widen_all(const void* from, float* to, std::int64_t count) {
  const auto* bytes = static_cast<const std::byte*>(from);
  for (std::int64_t i = 0; i < count; ++i) {
    typename Narrow::Bits bits;
    std::memcpy(&bits, bytes + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    to[i] = Narrow::wide(bits);
  }
}

template <class Narrow>
void narrow_all(const float* from, void* to, std::int64_t count) {
  auto* bytes = static_cast<std::byte*>(to);
  for (std::int64_t i = 0; i < count; ++i) {
    const typename Narrow::Bits bits = Narrow::narrow(from[i]);
    std::memcpy(bytes + i * static_cast<std::int64_t>(sizeof bits), &bits, sizeof bits);
  }
}

template <class Narrow>
constexpr Widening kWidening{&widen_all<Narrow>, &narrow_all<Narrow>};

const Widening* choose_widening(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return &kWidening<Half16>;
    case DType::kBFloat16:
      return &kWidening<BHalf16>;
    case DType::kFloat8E4M3FN:
      return &kWidening<Float8<3, 7, Special::kOneNan>>;
    case DType::kFloat8E4M3FNUZ:
      return &kWidening<Float8<3, 8, Special::kNoSign>>;
    case DType::kFloat8E5M2:
      return &kWidening<Float8<2, 15, Special::kInfinity>>;
    case DType::kFloat8E5M2FNUZ:
      return &kWidening<Float8<2, 16, Special::kNoSign>>;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_widening);
const Widening* widening(DType dtype) noexcept { return HWY_DYNAMIC_DISPATCH(choose_widening)(dtype); }
}  // namespace strew
#endif

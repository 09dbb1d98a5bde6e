// Conversions between narrow floats and float32, compiled and vectorised once for each instruction set.
#include "kernel/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/widen.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <array>
#include <cstring>

#include "kernel/element_math.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// The float32 value of each 8-bit code. Builds without vectors (WebAssembly) compute it instead, to stay small.
template <class Narrow>
[[maybe_unused]] constexpr std::array<float, 256> kValues = [] {
  std::array<float, 256> values{};
  for (unsigned bits = 0; bits < 256; ++bits) values[bits] = Narrow::wide(static_cast<std::uint8_t>(bits));
  return values;
}();

template <class Narrow>
float wide(typename Narrow::Bits bits) {
  if constexpr (sizeof bits == 1 && HWY_TARGET != HWY_SCALAR) return kValues<Narrow>[bits];
  return Narrow::wide(bits);
}

template <class Narrow>
void widen_all(const void* from, float* to, std::int64_t count) {
  const auto* bytes = static_cast<const std::byte*>(from);
  for (std::int64_t i = 0; i < count; ++i) {
    typename Narrow::Bits bits;
    std::memcpy(&bits, bytes + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    to[i] = wide<Narrow>(bits);
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

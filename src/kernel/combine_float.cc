// Reductions of float, double, float16 and bfloat16, each step rounded to the type.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/combine_float.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <type_traits>

#include "core/half_math.h"
#include "kernel/canonical_nan.h"
#include "kernel/combine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
struct Add {
  T operator()(T a, T b) const noexcept { return canonical(a + b); }
};
template <class T>
struct Mul {
  T operator()(T a, T b) const noexcept { return canonical(a * b); }
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// maximum and minimum of IEEE 754-2019: NaN wins, and +0 is above -0. Equal operands differ in the sign of zero at
// most.
template <class T, bool kMaximum>
HWY_INLINE T extremum(T a, T b) noexcept {
  const auto left = std::bit_cast<BitsOf<T>>(a);
  const auto right = std::bit_cast<BitsOf<T>>(b);
  const BitsOf<T> equal = kMaximum ? left & right : left | right;
  const BitsOf<T> other = select_bits(kMaximum ? a > b : a < b, left, right);
  const auto nan = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::quiet_NaN());
  // NOLINTNEXTLINE(misc-redundant-expression): only a NaN differs from itself
  return std::bit_cast<T>(select_bits((a != a) | (b != b), nan, select_bits(a == b, equal, other)));
}
template <class T>
struct Max {
  T operator()(T a, T b) const noexcept { return extremum<T, true>(a, b); }
};
template <class T>
struct Min {
  T operator()(T a, T b) const noexcept { return extremum<T, false>(a, b); }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // converts in vectors, each number as half_math.h does

namespace hn = hwy::HWY_NAMESPACE;
const hn::ScalableTag<float> kFloats;
const hn::Rebind<hwy::float16_t, hn::ScalableTag<float>> kHalves;

HWY_INLINE std::int64_t widen_vectors(const std::byte* from, float* to, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kFloats));
  const auto* halves = reinterpret_cast<const hwy::float16_t*>(from);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::PromoteTo(kFloats, hn::LoadU(kHalves, halves + i)), kFloats, to + i);
  }
  return i;
}

HWY_INLINE std::int64_t narrow_vectors(const float* from, std::byte* to, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kFloats));
  auto* halves = reinterpret_cast<hwy::float16_t*>(to);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::DemoteTo(kHalves, hn::LoadU(kFloats, from + i)), kHalves, halves + i);
  }
  return i;
}

HWY_INLINE float as_float(Float16 half) { return _cvtsh_ss(half.bits); }
HWY_INLINE Float16 rounded(float value, Float16) { return {_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)}; }

#else

HWY_INLINE std::int64_t widen_vectors(const std::byte*, float*, std::int64_t) { return 0; }
HWY_INLINE std::int64_t narrow_vectors(const float*, std::byte*, std::int64_t) { return 0; }
HWY_INLINE float as_float(Float16 half) { return widen(half); }
HWY_INLINE Float16 rounded(float value, Float16) { return {float16_from_float(value)}; }

#endif

HWY_INLINE float as_float(BFloat16 half) { return widen(half); }
HWY_INLINE BFloat16 rounded(float value, BFloat16) { return {bfloat16_from_float(value)}; }

// An operation on floats, rounded to T.
template <class T, class Operation>
struct Rounded {
  T operator()(T a, T b) const noexcept { return rounded(Operation{}(as_float(a), as_float(b)), T{}); }
};

// The same steps as combine_rows, on pieces of a row: all are widened, then combined, then rounded.
template <class Operation>
void combine_float16(void* target, const void* source, const std::int64_t* target_offset,
                     const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  constexpr std::int64_t kPiece = 256;
  constexpr std::int64_t kFewest = 16;  // elements of a row that is worth it
  if (row < kFewest) {
    return combine_rows<Float16, Rounded<Float16, Operation>>(target, source, target_offset, source_offset, count,
                                                              row);
  }
  std::array<float, kPiece> left;
  std::array<float, kPiece> right;
  const auto widen_piece = [](const std::byte* from, float* to, std::int64_t length) HWY_ATTR {
    for (std::int64_t j = widen_vectors(from, to, length); j < length; ++j)
      to[j] = widen(load<Float16>(from + 2 * j));
  };
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* place = static_cast<std::byte*>(target) + target_offset[i] * 2;
    const std::byte* update =
        static_cast<const std::byte*>(source) + (source_offset != nullptr ? source_offset[i] : i * row) * 2;
    for (std::int64_t begin = 0; begin < row; begin += kPiece) {
      const std::int64_t length = std::min(kPiece, row - begin);
      widen_piece(place + 2 * begin, left.data(), length);
      widen_piece(update + 2 * begin, right.data(), length);
      for (std::int64_t j = 0; j < length; ++j) {
        const auto at = static_cast<std::size_t>(j);
        left[at] = Operation{}(left[at], right[at]);
      }
      for (std::int64_t j = narrow_vectors(left.data(), place + 2 * begin, length); j < length; ++j) {
        store(place + 2 * (begin + j), float16_from_float(left[static_cast<std::size_t>(j)]));
      }
    }
  }
}

Kernel float16(Reduction reduction) noexcept {
  switch (reduction) {
    case Reduction::kNone:
      return nullptr;
    case Reduction::kAdd:
      return &combine_float16<Add<float>>;
    case Reduction::kMul:
      return &combine_float16<Mul<float>>;
    case Reduction::kMax:
      return &combine_float16<Max<float>>;
    case Reduction::kMin:
      return &combine_float16<Min<float>>;
  }
  return nullptr;
}

template <class T>
Kernel native(Reduction reduction) noexcept {
  return choose_combine<T, Add<T>, Mul<T>, Max<T>, Min<T>>(reduction);
}
Kernel bfloat16(Reduction reduction) noexcept {
  using T = BFloat16;
  return choose_combine<T, Rounded<T, std::plus<float>>, Rounded<T, std::multiplies<float>>,
                        Rounded<T, Max<float>>, Rounded<T, Min<float>>>(reduction);
}

Kernel choose_float(DType dtype, Reduction reduction) {
  switch (dtype) {
    case DType::kFloat32:
      return native<float>(reduction);
    case DType::kFloat64:
      return native<double>(reduction);
    case DType::kFloat16:
      return float16(reduction);
    case DType::kBFloat16:
      return bfloat16(reduction);
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_float);
Kernel combine_float_kernel(DType dtype, Reduction reduction) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_float)(dtype, reduction);
}
}  // namespace strew
#endif

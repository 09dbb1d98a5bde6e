// Reductions of float, double, float16 and bfloat16. Each step is rounded to the type. Also chooses the kernel for
// any type and reduction.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/combine_float.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/half_math.h"
#include "kernel/combine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Arithmetic with canonical NaNs. step() need not canonicalise: a NaN stays a NaN, and end() canonicalises it.
template <class T, Reduction kReduction>
struct Arithmetic {
  using Tag = hn::ScalableTag<T>;
  static constexpr bool kRare = kReduction == Reduction::kSub || kReduction == Reduction::kDiv;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    if constexpr (kReduction == Reduction::kAdd) return canonical_vectors(d, hn::Add(a, b));
    if constexpr (kReduction == Reduction::kSub) return canonical_vectors(d, hn::Sub(a, b));
    if constexpr (kReduction == Reduction::kMul) return canonical_vectors(d, hn::Mul(a, b));
    if constexpr (kReduction == Reduction::kDiv) return canonical_vectors(d, hn::Div(a, b));
  }
  HWY_INLINE T step(T a, T b) const noexcept {
    if constexpr (kReduction == Reduction::kAdd) return a + b;
    if constexpr (kReduction == Reduction::kSub) return a - b;
    if constexpr (kReduction == Reduction::kMul) return a * b;
    if constexpr (kReduction == Reduction::kDiv) return a / b;
  }
  HWY_INLINE T end(T value) const noexcept {
    if (std::isnan(value)) [[unlikely]]
      return std::numeric_limits<T>::quiet_NaN();
    return value;
  }
  HWY_INLINE bool unfinished(T a, T b) const noexcept { return std::isunordered(a, b); }
  HWY_INLINE T operator()(T a, T b) const noexcept { return end(step(a, b)); }

 private:
  template <class D, class V>
  HWY_INLINE V canonical_vectors(D d, V value) const noexcept {
    return hn::IfThenElse(hn::IsNaN(value), hn::Set(d, std::numeric_limits<T>::quiet_NaN()), value);
  }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

// Returns `number`, or NaN if `a` or `b` is NaN, without a branch.
template <class V>
HWY_INLINE float number_or_nan(V number, V a, V b, float nan) {
  return _mm_cvtss_f32(_mm_blendv_ps(number.raw, _mm_set_ss(nan), _mm_cmp_ss(a.raw, b.raw, _CMP_UNORD_Q)));
}
template <class V>
HWY_INLINE double number_or_nan(V number, V a, V b, double nan) {
  return _mm_cvtsd_f64(_mm_blendv_pd(number.raw, _mm_set_sd(nan), _mm_cmp_sd(a.raw, b.raw, _CMP_UNORD_Q)));
}

#else

template <class V, class T>
HWY_INLINE T number_or_nan(V number, V a, V b, T nan) {
  if (std::isunordered(hn::GetLane(a), hn::GetLane(b))) [[unlikely]]
    return nan;
  return hn::GetLane(number);
}

#endif

// The operations `maximum` and `minimum` of IEEE 754-2019: NaN wins, and +0 is greater than -0.
template <class T, bool kMaximum>
struct Extremum : InAnyOrder {
  // Vectors of at most 32 bytes: GCC loads an operand again for its second use, and every load of a misaligned
  // wider vector spans two cache lines.
  using Tag = hn::CappedTag<T, 32 / sizeof(T)>;
  static constexpr bool kRare = false;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Set(d, std::numeric_limits<T>::quiet_NaN()),
                          of_numbers(a, b));
  }
  HWY_INLINE T operator()(T a, T b) const noexcept {
    const hn::CappedTag<T, 1> d;
    const auto one = hn::Set(d, a);
    const auto other = hn::Set(d, b);
    return number_or_nan(of_numbers(one, other), one, other, std::numeric_limits<T>::quiet_NaN());
  }

 private:
  // Of +0 and -0, Max and Min may return either. hn::And selects +0 for a maximum, hn::Or -0 for a minimum.
  template <class V>
  HWY_INLINE static V of_numbers(V a, V b) noexcept {
    return kMaximum ? hn::And(hn::Max(a, b), hn::Max(b, a)) : hn::Or(hn::Min(a, b), hn::Min(b, a));
  }
};

// True if the processor converts halves, with the same results as half_math.h.
#define STREW_CONVERTS_HALVES (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)

#if STREW_CONVERTS_HALVES
HWY_INLINE float as_float(Float16 half) { return _cvtsh_ss(half.bits); }
HWY_INLINE Float16 rounded(float value, Float16) { return {_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)}; }
#else
HWY_INLINE float as_float(Float16 half) { return widen(half); }
HWY_INLINE Float16 rounded(float value, Float16) { return {float16_from_float(value)}; }
#endif

// NaNs keep their payload in as_float. `rounded` makes them canonical.
HWY_INLINE float as_float(BFloat16 half) { return float_from_bits(static_cast<std::uint32_t>(half.bits) << 16); }
HWY_INLINE BFloat16 rounded(float value, BFloat16) {
  if (std::isnan(value)) [[unlikely]]
    return {0x7FC0};
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

// An operation on floats whose result is rounded to T.
template <class T, class Operation>
struct Rounded {
  T operator()(T a, T b) const noexcept { return rounded(Operation{}(as_float(a), as_float(b)), T{}); }
};

template <class Operation>
struct RoundedBFloat16 : Rounded<BFloat16, Operation> {
  using Tag = hn::Rebind<std::uint16_t, hn::ScalableTag<float>>;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    const hn::Rebind<float, D> floats;
    const hn::RebindToUnsigned<decltype(floats)> words;
    const auto widened = [&](V halves) HWY_ATTR {
      return hn::BitCast(floats, hn::ShiftLeft<16>(hn::PromoteTo(words, halves)));
    };
    // The upper half of float32's canonical NaN is the canonical NaN of bfloat16.
    const auto bits = hn::BitCast(words, Operation{}.vectors(floats, widened(a), widened(b)));
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    const auto nearest = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7FFF))));
    return hn::DemoteTo(d, hn::BitCast(hn::RebindToSigned<decltype(words)>(), nearest));
  }
};

#if STREW_CONVERTS_HALVES

template <class Operation>
struct RoundedFloat16 : Rounded<Float16, Operation> {
  using Tag = hn::Rebind<hwy::float16_t, hn::ScalableTag<float>>;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    const hn::Rebind<float, D> floats;
    return hn::DemoteTo(d, Operation{}.vectors(floats, hn::PromoteTo(floats, a), hn::PromoteTo(floats, b)));
  }
};
template <class Operation>
struct KernelOfFloat16 {
  static constexpr Kernel kValue = &combine_plainly<Float16, RoundedFloat16<Operation>>;
};

#else

// A Kernel that widens pieces of rows, combines them and rounds the results.
template <class Operation>
void combine_float16(void* target, const void* source, const std::int64_t* target_offset,
                     const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  constexpr std::int64_t kPiece = 256;
  constexpr std::int64_t kFewest = 16;  // shorter rows are combined element by element
  if (!kHasVectors || row < kFewest) {
    return combine_plainly<Float16, Rounded<Float16, Operation>>(target, source, target_offset, source_offset,
                                                                 count, row);
  }
  std::array<float, kPiece> left;
  std::array<float, kPiece> right;
  const auto widen_piece = [](const std::byte* from, float* to, std::int64_t length) HWY_ATTR {
    for (std::int64_t j = 0; j < length; ++j) to[j] = widen(load<Float16>(from + 2 * j));
  };
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* destination = static_cast<std::byte*>(target) + target_offset[i] * 2;
    const std::byte* update =
        static_cast<const std::byte*>(source) + (source_offset != nullptr ? source_offset[i] : i * row) * 2;
    for (std::int64_t begin = 0; begin < row; begin += kPiece) {
      const std::int64_t length = std::min(kPiece, row - begin);
      widen_piece(destination + 2 * begin, left.data(), length);
      widen_piece(update + 2 * begin, right.data(), length);
      fold_row<float, Operation>(reinterpret_cast<std::byte*>(left.data()),
                                 reinterpret_cast<const std::byte*>(right.data()), length);
      for (std::int64_t j = 0; j < length; ++j) {
        store(destination + 2 * (begin + j), float16_from_float(left[static_cast<std::size_t>(j)]));
      }
    }
  }
}
template <class Operation>
struct KernelOfFloat16 {
  static constexpr Kernel kValue = &combine_float16<Operation>;
};

#endif

template <class Operation>
struct KernelOfBFloat16 {
  static constexpr Kernel kValue = &combine_plainly<BFloat16, RoundedBFloat16<Operation>>;
};
template <class Operation>
struct NativeTypeKernel {
  using T = hn::TFromD<typename Operation::Tag>;
  static constexpr Kernel kValue = [] {
    if constexpr (Operation::kRare) {
      return &combine_plainly<T, Operation>;
    } else {
      return &combine_rows<T, Operation>;
    }
  }();
};

// Returns the kernel of a type whose arithmetic is in T. `Make` turns an operation into a kernel.
template <class T, template <class Operation> class Make>
Kernel choose_float(Reduction reduction) noexcept {
  using enum Reduction;
  return choose<Kernel>(reduction, {{kAdd, Make<Arithmetic<T, kAdd>>::kValue},
                                    {kSub, Make<Arithmetic<T, kSub>>::kValue},
                                    {kMul, Make<Arithmetic<T, kMul>>::kValue},
                                    {kDiv, Make<Arithmetic<T, kDiv>>::kValue},
                                    {kMax, Make<Extremum<T, true>>::kValue},
                                    {kMin, Make<Extremum<T, false>>::kValue}});
}

Kernel choose_kernel(DType dtype, Reduction reduction) {
  switch (dtype) {
    case DType::kFloat32:
      return choose_float<float, NativeTypeKernel>(reduction);
    case DType::kFloat64:
      return choose_float<double, NativeTypeKernel>(reduction);
    case DType::kFloat16:
      return choose_float<float, KernelOfFloat16>(reduction);
    case DType::kBFloat16:
      return choose_float<float, KernelOfBFloat16>(reduction);
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
#undef STREW_CONVERTS_HALVES
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_kernel);

Kernel combine_kernel(DType dtype, Reduction reduction) noexcept {
  switch (value_kind(dtype)) {
    case ValueKind::kInteger:
    case ValueKind::kBool:
      return combine_integer_kernel(dtype, reduction);
    case ValueKind::kReal:
      return HWY_DYNAMIC_DISPATCH(choose_kernel)(dtype, reduction);
    case ValueKind::kComplex:
      return combine_complex_kernel(dtype, reduction);
    case ValueKind::kString:
      return combine_string_kernel(reduction);
  }
  return nullptr;
}

}  // namespace strew
#endif

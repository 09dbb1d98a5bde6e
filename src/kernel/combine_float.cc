// Reductions of float, double, float16 and bfloat16, each step rounded to the type.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/combine_float.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <bit>
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

template <class T>
struct HalfAdd {
  T operator()(T a, T b) const noexcept { return add(a, b); }
};
template <class T>
struct HalfMul {
  T operator()(T a, T b) const noexcept { return multiply(a, b); }
};

// Comparing needs no rounding: one of the operands is the result, or the canonical NaN.
inline Float16 narrow(float value, Float16) noexcept { return {float16_from_float(value)}; }
inline BFloat16 narrow(float value, BFloat16) noexcept { return {bfloat16_from_float(value)}; }
template <class T>
struct HalfMax {
  T operator()(T a, T b) const noexcept { return narrow(Max<float>{}(widen(a), widen(b)), a); }
};
template <class T>
struct HalfMin {
  T operator()(T a, T b) const noexcept { return narrow(Min<float>{}(widen(a), widen(b)), a); }
};

template <class T>
Kernel native(Reduction reduction) noexcept {
  return choose_combine<T, Add<T>, Mul<T>, Max<T>, Min<T>>(reduction);
}
template <class T>
Kernel half(Reduction reduction) noexcept {
  return choose_combine<T, HalfAdd<T>, HalfMul<T>, HalfMax<T>, HalfMin<T>>(reduction);
}

Kernel choose_float(DType dtype, Reduction reduction) {
  switch (dtype) {
    case DType::kFloat32:
      return native<float>(reduction);
    case DType::kFloat64:
      return native<double>(reduction);
    case DType::kFloat16:
      return half<Float16>(reduction);
    case DType::kBFloat16:
      return half<BFloat16>(reduction);
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

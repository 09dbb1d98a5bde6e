// Reductions of float, double, float16 and bfloat16, each step rounded to the type.
#include <cmath>

#include "core/half_math.h"
#include "kernel/canonical_nan.h"
#include "kernel/combine.h"

namespace strew {
namespace {

template <class T>
struct Add {
  T operator()(T a, T b) const noexcept { return canonical(a + b); }
};
template <class T>
struct Mul {
  T operator()(T a, T b) const noexcept { return canonical(a * b); }
};

// maximum and minimum of IEEE 754-2019: NaN wins, and +0 is above -0.
template <class T>
struct Max {
  T operator()(T a, T b) const noexcept {
    if (a == b) return std::signbit(a) ? b : a;
    return canonical(a > b || std::isnan(a) ? a : b);
  }
};
template <class T>
struct Min {
  T operator()(T a, T b) const noexcept {
    if (a == b) return std::signbit(a) ? a : b;
    return canonical(a < b || std::isnan(a) ? a : b);
  }
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

}  // namespace

Kernel combine_float_kernel(DType dtype, Reduction reduction) noexcept {
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

}  // namespace strew

// Reductions of complex numbers: add, sub, mul and div. Each part of each step is rounded; a part that is NaN is
// canonical. For the least instruction set only: GCC 12 makes fused multiply-adds of complex products where the
// set has them, in spite of -ffp-contract=off.
#include "kernel/canonical_nan.h"
#include "kernel/combine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class Part>
struct Complex {
  Part re;
  Part im;
};

template <class Part>
struct Add {
  Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re + b.re), canonical(a.im + b.im)};
  }
};

template <class Part>
struct Sub {
  Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re - b.re), canonical(a.im - b.im)};
  }
};

// The school formula, without the recovery of infinities in Annex G of the C standard, as NumPy has it.
template <class Part>
struct Mul {
  Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re * b.re - a.im * b.im), canonical(a.re * b.im + a.im * b.re)};
  }
};

// Smith's formula, which does not overflow where the quotient does not, as NumPy has it.
template <class Part>
struct Div {
  Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    const Part re = std::abs(b.re);
    const Part im = std::abs(b.im);
    if (re == 0 && im == 0) return {canonical(a.re / re), canonical(a.im / re)};
    if (re >= im) {
      const Part ratio = b.im / b.re;
      const Part scale = 1 / (b.re + b.im * ratio);
      return {canonical((a.re + a.im * ratio) * scale), canonical((a.im - a.re * ratio) * scale)};
    }
    const Part ratio = b.re / b.im;
    const Part scale = 1 / (b.im + b.re * ratio);
    return {canonical((a.re * ratio + a.im) * scale), canonical((a.im * ratio - a.re) * scale)};
  }
};

template <class Part>
Kernel complex(Reduction reduction) noexcept {
  using enum Reduction;
  using T = Complex<Part>;
  return choose(reduction, {{kAdd, &combine_rows<T, Add<Part>>},
                            {kSub, &combine_rows<T, Sub<Part>>},
                            {kMul, &combine_rows<T, Mul<Part>>},
                            {kDiv, &combine_rows<T, Div<Part>>}});
}

Kernel choose_complex(DType dtype, Reduction reduction) {
  if (dtype == DType::kComplex64) return complex<float>(reduction);
  if (dtype == DType::kComplex128) return complex<double>(reduction);
  return nullptr;
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace strew {
Kernel combine_complex_kernel(DType dtype, Reduction reduction) noexcept {
  return HWY_NAMESPACE::choose_complex(dtype, reduction);
}
}  // namespace strew

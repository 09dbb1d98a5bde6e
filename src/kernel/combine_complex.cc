// Reductions of complex numbers: add and mul. Each part of each step is rounded; a part that is NaN is canonical.
// For the least instruction set only: GCC 12 makes fused multiply-adds of complex products where the set has them,
// in spite of -ffp-contract=off.
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

// The school formula, without the recovery of infinities in Annex G of the C standard, as NumPy has it.
template <class Part>
struct Mul {
  Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re * b.re - a.im * b.im), canonical(a.re * b.im + a.im * b.re)};
  }
};

template <class Part>
Kernel complex(Reduction reduction) noexcept {
  if (reduction == Reduction::kAdd) return &combine_rows<Complex<Part>, Add<Part>>;
  if (reduction == Reduction::kMul) return &combine_rows<Complex<Part>, Mul<Part>>;
  return nullptr;
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

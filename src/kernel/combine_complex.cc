// Reductions of complex numbers: add and mul. Each part of each step is rounded; a part that is NaN is canonical.
#include "kernel/canonical_nan.h"
#include "kernel/combine.h"

namespace strew {
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

}  // namespace

Kernel combine_complex_kernel(DType dtype, Reduction reduction) noexcept {
  if (dtype == DType::kComplex64) return complex<float>(reduction);
  if (dtype == DType::kComplex128) return complex<double>(reduction);
  return nullptr;
}

}  // namespace strew

// The arithmetic of complex numbers. Each part of each step is rounded; a part that is NaN is canonical.
// Functions are constexpr, so that a device compiler accepts them.
#pragma once

#include "core/half_math.h"

namespace strew {

template <class Part>
struct Complex {
  Part re;
  Part im;
};

template <class Part>
struct ComplexAdd {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re + b.re), canonical(a.im + b.im)};
  }
};

template <class Part>
struct ComplexSub {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re - b.re), canonical(a.im - b.im)};
  }
};

// The textbook formula, as in NumPy. Unlike Annex G of the C standard, it does not recover infinities.
template <class Part>
struct ComplexMul {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    return {canonical(a.re * b.re - a.im * b.im), canonical(a.re * b.im + a.im * b.re)};
  }
};

// Smith's formula, as in NumPy. It overflows only if the quotient does.
template <class Part>
struct ComplexDiv {
  constexpr Complex<Part> operator()(Complex<Part> a, Complex<Part> b) const noexcept {
    const Part re = b.re <= 0 ? 0 - b.re : b.re;  // +0 if b.re is -0
    const Part im = b.im <= 0 ? 0 - b.im : b.im;
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

}  // namespace strew

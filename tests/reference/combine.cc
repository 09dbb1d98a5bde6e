#include "reference/combine.h"

#include <cmath>
#include <complex>
#include <limits>

#include "reference/exact_half.h"

namespace strew::reference {
namespace {

template <class T>
T canonical(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

// Returns whether `a` wins over `b`. Neither is NaN, and -0 is less than +0.
template <class T>
bool keeps_first(Reduction reduction, T a, T b) {
  const bool a_less = a < b || (a == b && std::signbit(a));
  return a_less == (reduction == Reduction::kMin);
}

template <class T>
Element combine_float(Reduction reduction, T a, T b) {
  if (reduction == Reduction::kAdd || reduction == Reduction::kMean) return element_of(canonical(a + b));
  if (reduction == Reduction::kSub) return element_of(canonical(a - b));
  if (reduction == Reduction::kMul) return element_of(canonical(a * b));
  if (reduction == Reduction::kDiv) return element_of(canonical(a / b));
  if (std::isnan(a) || std::isnan(b)) return element_of(std::numeric_limits<T>::quiet_NaN());
  return element_of(keeps_first(reduction, a, b) ? a : b);
}

Element combine_half(const HalfFormat& format, Reduction reduction, std::uint16_t a, std::uint16_t b) {
  if (reduction == Reduction::kAdd || reduction == Reduction::kMean) return element_of(exact_sum(format, a, b));
  // A subtraction flips the sign of b. A NaN remains NaN.
  if (reduction == Reduction::kSub) return element_of(exact_sum(format, a, b ^ 0x8000u));
  if (reduction == Reduction::kMul) return element_of(exact_product(format, a, b));
  if (reduction == Reduction::kDiv) return element_of(exact_quotient(format, a, b));
  const double x = decode(format, a);
  const double y = decode(format, b);
  if (std::isnan(x) || std::isnan(y)) return element_of(format.quiet_nan);
  return element_of(keeps_first(reduction, x, y) ? a : b);
}

template <class T>
Element combine_integer(Reduction reduction, T a, T b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  if (reduction == Reduction::kAdd || reduction == Reduction::kMean) return element_of(static_cast<T>(x + y));
  if (reduction == Reduction::kSub) return element_of(static_cast<T>(x - y));
  if (reduction == Reduction::kMul) return element_of(static_cast<T>(x * y));
  if (reduction == Reduction::kAnd) return element_of(static_cast<T>(x & y));
  if (reduction == Reduction::kOr) return element_of(static_cast<T>(x | y));
  if (reduction == Reduction::kXor) return element_of(static_cast<T>(x ^ y));
  return element_of((a < b) == (reduction == Reduction::kMin) ? a : b);
}

// Divides by Algorithm 116 of R. L. Smith, 1962. If b is 0, both parts of a are divided by 0, as in NumPy.
template <class T>
std::complex<T> smith_quotient(std::complex<T> a, std::complex<T> b) {
  const bool by_real = std::abs(b.real()) >= std::abs(b.imag());
  const T larger = by_real ? b.real() : b.imag();
  const T smaller = by_real ? b.imag() : b.real();
  if (larger == 0 && smaller == 0) return {canonical(a.real() / T{0}), canonical(a.imag() / T{0})};
  const T ratio = smaller / larger;
  const T inverse = T{1} / (larger + smaller * ratio);
  const T re = by_real ? a.real() + a.imag() * ratio : a.real() * ratio + a.imag();
  const T im = by_real ? a.imag() - a.real() * ratio : a.imag() * ratio - a.real();
  return {canonical(re * inverse), canonical(im * inverse)};
}

template <class T>
Element combine_complex(Reduction reduction, std::complex<T> a, std::complex<T> b) {
  if (reduction == Reduction::kAdd || reduction == Reduction::kMean) {
    return element_of(std::complex<T>(canonical(a.real() + b.real()), canonical(a.imag() + b.imag())));
  }
  if (reduction == Reduction::kSub) {
    return element_of(std::complex<T>(canonical(a.real() - b.real()), canonical(a.imag() - b.imag())));
  }
  if (reduction == Reduction::kDiv) return element_of(smith_quotient(a, b));
  const T ac = a.real() * b.real();
  const T bd = a.imag() * b.imag();
  const T ad = a.real() * b.imag();
  const T bc = a.imag() * b.real();
  return element_of(std::complex<T>(canonical(ac - bd), canonical(ad + bc)));
}

Element combine_bool(Reduction reduction, bool a, bool b) {
  if (reduction == Reduction::kXor) return element_of(static_cast<unsigned char>(a != b));
  const bool either = reduction == Reduction::kAdd || reduction == Reduction::kMax || reduction == Reduction::kOr;
  return element_of(static_cast<unsigned char>(either ? a || b : a && b));
}

}  // namespace

bool reduction_defined(DType dtype, Reduction reduction) {
  if (reduction == Reduction::kNone) return true;
  const bool arithmetic = reduction == Reduction::kAdd || reduction == Reduction::kSub ||
                          reduction == Reduction::kMul || reduction == Reduction::kDiv ||
                          reduction == Reduction::kMean;
  if (dtype == DType::kString) return reduction == Reduction::kAdd;
  if (dtype == DType::kBool) return !arithmetic || reduction == Reduction::kAdd || reduction == Reduction::kMul;
  if (dtype == DType::kComplex64 || dtype == DType::kComplex128) return arithmetic;
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16 || dtype == DType::kFloat32 ||
      dtype == DType::kFloat64) {
    return arithmetic || reduction == Reduction::kMax || reduction == Reduction::kMin;
  }
  return is_index_type(dtype) && reduction != Reduction::kDiv;
}

Element combine(DType dtype, Reduction reduction, const Element& current, const Element& update) {
  if (reduction == Reduction::kNone) return update;
  const auto numbers = [&]<class T>(T, auto function) {
    return function(reduction, value_of<T>(current), value_of<T>(update));
  };
  if (dtype == DType::kString) {
    Element sum;
    sum.text = current.text + update.text;
    return sum;
  }
  if (dtype == DType::kBool) return combine_bool(reduction, current.bytes[0] != 0, update.bytes[0] != 0);
  if (dtype == DType::kFloat32) return numbers(float{}, combine_float<float>);
  if (dtype == DType::kFloat64) return numbers(double{}, combine_float<double>);
  if (dtype == DType::kComplex64) return numbers(std::complex<float>{}, combine_complex<float>);
  if (dtype == DType::kComplex128) return numbers(std::complex<double>{}, combine_complex<double>);
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) {
    const HalfFormat& format = dtype == DType::kFloat16 ? kFloat16Format : kBFloat16Format;
    return combine_half(format, reduction, value_of<std::uint16_t>(current), value_of<std::uint16_t>(update));
  }
  return with_integer(dtype, [&]<class T>(T zero) { return numbers(zero, combine_integer<T>); });
}

Element divided(DType dtype, const Element& sum, std::size_t terms) {
  const auto quotient = [terms]<class T>(T value) {
    return canonical(static_cast<T>(static_cast<long double>(value) / static_cast<long double>(terms)));
  };
  const auto floor = [&]<class T>(T) {
    const auto n = static_cast<Integer>(terms);
    const auto value = Integer{value_of<T>(sum)};
    return element_of(static_cast<T>(value / n - (value % n < 0 ? 1 : 0)));
  };
  const auto half = [&](const HalfFormat& format) {
    const auto value = static_cast<float>(decode(format, value_of<std::uint16_t>(sum)));
    return element_of(encode(format, quotient(value)));
  };
  const auto parts = [&]<class T>(std::complex<T> value) {
    return element_of(std::complex<T>(quotient(value.real()), quotient(value.imag())));
  };
  const auto n = static_cast<double>(terms);
  if (dtype == DType::kFloat32) return element_of(quotient(value_of<float>(sum)));
  if (dtype == DType::kFloat64) return element_of(canonical(value_of<double>(sum) / n));
  if (dtype == DType::kFloat16) return half(kFloat16Format);
  if (dtype == DType::kBFloat16) return half(kBFloat16Format);
  if (dtype == DType::kComplex64) return parts(value_of<std::complex<float>>(sum));
  if (dtype == DType::kComplex128) {
    const auto value = value_of<std::complex<double>>(sum);
    return element_of(std::complex<double>(canonical(value.real() / n), canonical(value.imag() / n)));
  }
  return with_integer(dtype, floor);
}

}  // namespace strew::reference

// Reductions of two elements, type by type.
#include "reference/combine.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "reference/exact_half.h"

namespace strew::reference {
namespace {

template <class T>
T value_of(const Element& element) {
  T value;
  std::memcpy(&value, element.bytes.data(), sizeof value);
  return value;
}

template <class T>
Element element_of(const T& value) {
  Element element;
  std::memcpy(element.bytes.data(), &value, sizeof value);
  return element;
}

template <class T>
T canonical(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

// True if `a` is to be kept, not `b`; neither is NaN, and -0 is less than +0.
template <class T>
bool keeps_first(Reduction reduction, T a, T b) {
  const bool a_less = a < b || (a == b && std::signbit(a));
  return a_less == (reduction == Reduction::kMin);
}

template <class T>
Element combine_float(Reduction reduction, T a, T b) {
  if (reduction == Reduction::kAdd) return element_of(canonical(a + b));
  if (reduction == Reduction::kMul) return element_of(canonical(a * b));
  if (std::isnan(a) || std::isnan(b)) return element_of(std::numeric_limits<T>::quiet_NaN());
  return element_of(keeps_first(reduction, a, b) ? a : b);
}

Element combine_half(const HalfFormat& format, Reduction reduction, std::uint16_t a, std::uint16_t b) {
  if (reduction == Reduction::kAdd) return element_of(exact_sum(format, a, b));
  if (reduction == Reduction::kMul) return element_of(exact_product(format, a, b));
  const double x = decode(format, a);
  const double y = decode(format, b);
  if (std::isnan(x) || std::isnan(y)) return element_of(format.quiet_nan);
  return element_of(keeps_first(reduction, x, y) ? a : b);
}

template <class T>
Element combine_integer(Reduction reduction, T a, T b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  if (reduction == Reduction::kAdd) return element_of(static_cast<T>(x + y));
  if (reduction == Reduction::kMul) return element_of(static_cast<T>(x * y));
  return element_of((a < b) == (reduction == Reduction::kMin) ? a : b);
}

template <class T>
Element combine_complex(Reduction reduction, std::complex<T> a, std::complex<T> b) {
  if (reduction == Reduction::kAdd) {
    return element_of(std::complex<T>(canonical(a.real() + b.real()), canonical(a.imag() + b.imag())));
  }
  const T ac = a.real() * b.real();
  const T bd = a.imag() * b.imag();
  const T ad = a.real() * b.imag();
  const T bc = a.imag() * b.real();
  return element_of(std::complex<T>(canonical(ac - bd), canonical(ad + bc)));
}

Element combine_bool(Reduction reduction, bool a, bool b) {
  const bool either = reduction == Reduction::kAdd || reduction == Reduction::kMax;
  return element_of(static_cast<unsigned char>(either ? a || b : a && b));
}

}  // namespace

bool reduction_defined(DType dtype, Reduction reduction) {
  if (reduction == Reduction::kNone) return true;
  switch (dtype) {
    case DType::kString:
      return reduction == Reduction::kAdd;
    case DType::kComplex64:
    case DType::kComplex128:
      return reduction == Reduction::kAdd || reduction == Reduction::kMul;
    default:
      return static_cast<int>(dtype) <= static_cast<int>(DType::kBFloat16);
  }
}

Element combine(DType dtype, Reduction reduction, const Element& current, const Element& update) {
  if (reduction == Reduction::kNone) return update;
  const auto numbers = [&]<class T>(T, auto function) {
    return function(reduction, value_of<T>(current), value_of<T>(update));
  };
  const auto integers = [&]<class T>(T zero) { return numbers(zero, combine_integer<T>); };
  switch (dtype) {
    case DType::kString: {
      Element sum;
      sum.text = current.text + update.text;
      return sum;
    }
    case DType::kBool:
      return combine_bool(reduction, current.bytes[0] != 0, update.bytes[0] != 0);
    case DType::kFloat32:
      return numbers(float{}, combine_float<float>);
    case DType::kFloat64:
      return numbers(double{}, combine_float<double>);
    case DType::kComplex64:
      return numbers(std::complex<float>{}, combine_complex<float>);
    case DType::kComplex128:
      return numbers(std::complex<double>{}, combine_complex<double>);
    case DType::kFloat16:
      return combine_half(kFloat16Format, reduction, value_of<std::uint16_t>(current),
                          value_of<std::uint16_t>(update));
    case DType::kBFloat16:
      return combine_half(kBFloat16Format, reduction, value_of<std::uint16_t>(current),
                          value_of<std::uint16_t>(update));
    case DType::kInt8:
      return integers(std::int8_t{});
    case DType::kInt16:
      return integers(std::int16_t{});
    case DType::kInt32:
      return integers(std::int32_t{});
    case DType::kInt64:
      return integers(std::int64_t{});
    case DType::kUInt8:
      return integers(std::uint8_t{});
    case DType::kUInt16:
      return integers(std::uint16_t{});
    case DType::kUInt32:
      return integers(std::uint32_t{});
    default:
      return integers(std::uint64_t{});
  }
}

}  // namespace strew::reference

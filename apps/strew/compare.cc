#include "compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "strew/element.h"
#include "strew/shape.h"

namespace strew::app {
namespace {

bool is_nan(std::complex<double> value) noexcept { return std::isnan(value.real()) || std::isnan(value.imag()); }

bool is_finite(std::complex<double> value) noexcept {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

bool near(std::complex<double> got, std::complex<double> expected, const Tolerance& tolerance) noexcept {
  if (is_nan(got) || is_nan(expected)) return is_nan(got) && is_nan(expected);
  if (!is_finite(got) || !is_finite(expected)) return got == expected;
  return std::abs(got - expected) <= tolerance.atol + tolerance.rtol * std::abs(expected);
}

bool same_bits(DType dtype, const void* a, const void* b, std::int64_t i) noexcept {
  if (dtype == DType::kComplex64 || dtype == DType::kComplex128) {
    const DType part = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    return same_bits(part, a, b, 2 * i) && same_bits(part, a, b, 2 * i + 1);
  }
  if (element_bits(dtype, a, i) == element_bits(dtype, b, i)) return true;
  return value_kind(dtype) == ValueKind::kReal && std::isnan(to_double(dtype, a, i)) &&
         std::isnan(to_double(dtype, b, i));
}

bool agree(const Tensor& got, const Tensor& expected, std::int64_t i, const Tolerance& tolerance) {
  const DType dtype = got.dtype();
  const ValueKind kind = value_kind(dtype);
  if (kind == ValueKind::kString) {
    return got.values<std::string>()[static_cast<std::size_t>(i)] ==
           expected.values<std::string>()[static_cast<std::size_t>(i)];
  }
  if (tolerance.exact || kind == ValueKind::kInteger || kind == ValueKind::kBool) {
    return same_bits(dtype, got.data(), expected.data(), i);
  }
  return near(to_complex(dtype, got.data(), i), to_complex(dtype, expected.data(), i), tolerance);
}

std::string position_text(std::int64_t i, const Shape& shape) {
  Shape position = shape;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    position[axis] = i % shape[axis];
    i /= shape[axis];
  }
  return to_string(position);
}

// Counts differences, and keeps the first position and the largest errors.
class Differences {
 public:
  void add(const Tensor& got, const Tensor& expected, std::int64_t i) {
    if (count_++ == 0) first_ = i;
    if (value_kind(got.dtype()) == ValueKind::kString) return;
    const std::complex<double> value = to_complex(got.dtype(), got.data(), i);
    const std::complex<double> wanted = to_complex(got.dtype(), expected.data(), i);
    if (!is_finite(value) || !is_finite(wanted)) return;
    const double error = std::abs(value - wanted);
    absolute_ = std::max(absolute_, error);
    if (std::abs(wanted) > 0) relative_ = std::max(relative_, error / std::abs(wanted));
  }

  std::optional<std::string> text(const Tensor& got, const Tensor& expected) const {
    if (count_ == 0) return std::nullopt;
    const DType dtype = got.dtype();
    std::string text =
        fmt::format("{} of {} values differ, first {}: got {}, expected {}", count_, got.element_count(),
                    position_text(first_, got.shape()), element_text(dtype, got.data(), first_),
                    element_text(dtype, expected.data(), first_));
    const ValueKind kind = value_kind(dtype);
    if (kind != ValueKind::kString && kind != ValueKind::kBool) {
      text += fmt::format("; largest error {:.3g} absolute, {:.3g} relative", absolute_, relative_);
    }
    return text;
  }

 private:
  std::int64_t count_ = 0;
  std::int64_t first_ = 0;
  double absolute_ = 0;
  double relative_ = 0;
};

}  // namespace

std::optional<std::string> difference(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  if (got.dtype() != expected.dtype()) {
    return fmt::format("type is {}, expected {}", dtype_name(got.dtype()), dtype_name(expected.dtype()));
  }
  if (got.shape() != expected.shape()) {
    return fmt::format("shape is {}, expected {}", to_string(got.shape()), to_string(expected.shape()));
  }
  const bool plain = got.dtype() != DType::kString && !is_packed(got.dtype()) && got.element_count() > 0;
  if (plain && std::memcmp(got.data(), expected.data(), static_cast<std::size_t>(got.size_bytes())) == 0) {
    return std::nullopt;
  }
  Differences differences;
  for (std::int64_t i = 0; i < got.element_count(); ++i) {
    if (!agree(got, expected, i, tolerance)) differences.add(got, expected, i);
  }
  return differences.text(got, expected);
}

}  // namespace strew::app

// One loop for each type.
#include "kernel/mean.h"

#include <cstring>
#include <type_traits>

#include "core/half_math.h"
#include "kernel/canonical_nan.h"

namespace strew {
namespace {

template <class T, class Quotient>
void divide_each(void* elements, std::int64_t count, const Quotient& quotient) {
  auto* at = static_cast<std::byte*>(elements);
  for (std::int64_t i = 0; i < count; ++i, at += sizeof(T)) {
    T value;
    std::memcpy(&value, at, sizeof value);
    value = quotient(value);
    std::memcpy(at, &value, sizeof value);
  }
}

// The quotient of two floats, rounded, is that of doubles, rounded again, as doubles have more than twice the
// bits.
constexpr std::uint64_t kTermsInFloat = std::uint64_t{1} << 24;

void divide_floats(void* elements, std::int64_t count, std::uint64_t terms) {
  if (terms <= kTermsInFloat) {
    const auto divisor = static_cast<float>(terms);
    return divide_each<float>(elements, count, [=](float sum) { return canonical(sum / divisor); });
  }
  const auto divisor = static_cast<double>(terms);
  divide_each<float>(elements, count,
                     [=](float sum) { return canonical(static_cast<float>(static_cast<double>(sum) / divisor)); });
}

void divide_doubles(void* elements, std::int64_t count, std::uint64_t terms) {
  const auto divisor = static_cast<double>(terms);
  divide_each<double>(elements, count, [=](double sum) { return canonical(sum / divisor); });
}

template <class Half>
void divide_halves(void* elements, std::int64_t count, std::uint64_t terms) {
  divide_each<Half>(elements, count, [=](Half sum) {
    float quotient = widen(sum);
    divide_floats(&quotient, 1, terms);
    if constexpr (std::is_same_v<Half, Float16>) return Float16{float16_from_float(quotient)};
    if constexpr (std::is_same_v<Half, BFloat16>) return BFloat16{bfloat16_from_float(quotient)};
  });
}

template <class T>
void divide_integers(void* elements, std::int64_t count, std::uint64_t terms) {
  divide_each<T>(elements, count, [=](T sum) {
    if constexpr (std::is_unsigned_v<T>) {
      return static_cast<T>(sum / terms);
    } else {
      // Of a negative sum: -1 - sum is its complement, which is not negative.
      const auto complement = static_cast<std::uint64_t>(sum < 0 ? ~std::int64_t{sum} : std::int64_t{sum});
      const auto quotient = static_cast<std::int64_t>(complement / terms);
      return static_cast<T>(sum < 0 ? ~quotient : quotient);
    }
  });
}

template <Divide kPart>
void divide_complex(void* elements, std::int64_t count, std::uint64_t terms) {
  kPart(elements, 2 * count, terms);
}

}  // namespace

Divide divide_by_terms(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat32:
      return &divide_floats;
    case DType::kFloat64:
      return &divide_doubles;
    case DType::kFloat16:
      return &divide_halves<Float16>;
    case DType::kBFloat16:
      return &divide_halves<BFloat16>;
    case DType::kComplex64:
      return &divide_complex<&divide_floats>;
    case DType::kComplex128:
      return &divide_complex<&divide_doubles>;
    case DType::kInt8:
      return &divide_integers<std::int8_t>;
    case DType::kInt16:
      return &divide_integers<std::int16_t>;
    case DType::kInt32:
      return &divide_integers<std::int32_t>;
    case DType::kInt64:
      return &divide_integers<std::int64_t>;
    case DType::kUInt8:
      return &divide_integers<std::uint8_t>;
    case DType::kUInt16:
      return &divide_integers<std::uint16_t>;
    case DType::kUInt32:
      return &divide_integers<std::uint32_t>;
    case DType::kUInt64:
      return &divide_integers<std::uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace strew

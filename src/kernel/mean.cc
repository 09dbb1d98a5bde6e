// One loop for each type.
#include "kernel/mean.h"

#include <cstring>

#include "kernel/mean_math.h"

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

template <class T>
void divide_all(void* elements, std::int64_t count, std::uint64_t terms) {
  divide_each<T>(elements, count, [=](T sum) { return divided(sum, terms); });
}

template <Divide kPart>
void divide_complex(void* elements, std::int64_t count, std::uint64_t terms) {
  kPart(elements, 2 * count, terms);
}

}  // namespace

Divide divide_by_terms(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat32:
      return &divide_all<float>;
    case DType::kFloat64:
      return &divide_all<double>;
    case DType::kFloat16:
      return &divide_all<Float16>;
    case DType::kBFloat16:
      return &divide_all<BFloat16>;
    case DType::kComplex64:
      return &divide_complex<&divide_all<float>>;
    case DType::kComplex128:
      return &divide_complex<&divide_all<double>>;
    case DType::kInt8:
      return &divide_all<std::int8_t>;
    case DType::kInt16:
      return &divide_all<std::int16_t>;
    case DType::kInt32:
      return &divide_all<std::int32_t>;
    case DType::kInt64:
      return &divide_all<std::int64_t>;
    case DType::kUInt8:
      return &divide_all<std::uint8_t>;
    case DType::kUInt16:
      return &divide_all<std::uint16_t>;
    case DType::kUInt32:
      return &divide_all<std::uint32_t>;
    case DType::kUInt64:
      return &divide_all<std::uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace strew

// Random operands.
#include "workload.h"

#include <cmath>
#include <numeric>

namespace strew::bench {
namespace {

template <class T>
T* elements(Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data());
}

}  // namespace

Tensor random_data(DType dtype, const Shape& shape, std::uint64_t seed) {
  Tensor tensor = Tensor::uninitialized(dtype, shape).value();
  Random random(seed);
  if (dtype == DType::kFloat32) {  // in [1, 2), so that sums of many stay exact enough to look at
    auto* words = elements<std::uint32_t>(tensor);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      words[i] = 0x3F800000u | static_cast<std::uint32_t>(random.next() >> 41);
    }
    return tensor;
  }
  auto* bytes = elements<std::uint8_t>(tensor);
  for (std::int64_t i = 0; i < tensor.size_bytes(); ++i) {  // below the exponent of an infinity
    bytes[i] = static_cast<std::uint8_t>(1 + (random.next() >> 32) % 59);
  }
  return tensor;
}

Tensor uniform(const Shape& shape, std::int64_t bound, std::uint64_t seed, DType dtype) {
  Tensor tensor = Tensor::uninitialized(dtype, shape).value();
  Random random(seed);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const std::int64_t value = random.below(bound);
    if (dtype == DType::kInt32) {
      elements<std::int32_t>(tensor)[i] = static_cast<std::int32_t>(value);
    } else {
      elements<std::int64_t>(tensor)[i] = value;
    }
  }
  return tensor;
}

Tensor unique(std::int64_t count, std::int64_t bound, std::uint64_t seed) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(bound));
  std::iota(all.begin(), all.end(), 0);
  Random random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + random.below(bound - i))]);
  }
  return Tensor::of<std::int64_t>({all.data(), static_cast<std::size_t>(count)}, {count}).value();
}

Tensor zipf(std::int64_t count, std::int64_t bound, double exponent, std::uint64_t seed) {
  Tensor tensor = Tensor::uninitialized(DType::kInt64, {count}).value();
  Random random(seed);
  // Inverse of the distribution's integral; an odd multiplier permutes the ranks (bound is a power of two).
  const double power = 1 - exponent;
  const double top = std::pow(static_cast<double>(bound), power) - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
    const auto rank = static_cast<std::uint64_t>(std::pow(1 + u * top, 1 / power)) - 1;
    const std::uint64_t place = rank * 0x9E3779B97F4A7C15u % static_cast<std::uint64_t>(bound);
    elements<std::int64_t>(tensor)[i] = static_cast<std::int64_t>(place);
  }
  return tensor;
}

Operands Workload::operands() const {
  Operands operands{data.view()};
  operands.indices = indices.view();
  if (index_strides) {
    operands.indices = TensorView(indices.data(), indices.dtype(), plan.position_shape(), *index_strides);
  }
  if (updates) operands.updates = updates->view();
  return operands;
}

}  // namespace strew::bench

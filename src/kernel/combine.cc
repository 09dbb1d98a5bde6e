// Selects the kernel for a type and a reduction. Also defines the reductions of complex numbers and strings.
#include <string>

#include "kernel/combine-inl.h"
#include "kernel/element_math.h"
#include "kernel/kernel.h"

// Loops over complex numbers are compiled for the baseline instruction set only. For other sets, GCC 12 would use
// fused multiply-adds in complex products, despite -ffp-contract=off.
HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class Part>
Kernel complex(Reduction reduction) noexcept {
  using enum Reduction;
  using T = Complex<Part>;
  return choose<Kernel>(reduction, {{kAdd, &combine_rows<T, ComplexAdd<Part>>},
                                    {kSub, &combine_rows<T, ComplexSub<Part>>},
                                    {kMul, &combine_rows<T, ComplexMul<Part>>},
                                    {kDiv, &combine_rows<T, ComplexDiv<Part>>}});
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
namespace {

void append_strings(void* target, const void* source, const std::int64_t* target_offset,
                    const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  auto* to = static_cast<std::string*>(target);
  const auto* from = static_cast<const std::string*>(source);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t source_row = source_offset != nullptr ? source_offset[i] : i * row;
    for (std::int64_t j = 0; j < row; ++j) to[target_offset[i] + j] += from[source_row + j];
  }
}

}  // namespace

Kernel combine_kernel(DType dtype, Reduction reduction) noexcept {
  switch (value_kind(dtype)) {
    case ValueKind::kInteger:
    case ValueKind::kBool:
      return combine_integer_kernel(dtype, reduction);
    case ValueKind::kReal:
      return combine_float_kernel(dtype, reduction);
    case ValueKind::kComplex:
      return HWY_NAMESPACE::choose_complex(dtype, reduction);
    case ValueKind::kString:
      break;
  }
  return reduction == Reduction::kAdd ? &append_strings : nullptr;
}

}  // namespace strew

// Reductions of complex numbers and strings.
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

Kernel combine_complex_kernel(DType dtype, Reduction reduction) noexcept {
  return dtype == DType::kComplex64 ? HWY_NAMESPACE::complex<float>(reduction)
                                    : HWY_NAMESPACE::complex<double>(reduction);
}

Kernel combine_string_kernel(Reduction reduction) noexcept {
  return reduction == Reduction::kAdd ? &append_strings : nullptr;
}

}  // namespace strew

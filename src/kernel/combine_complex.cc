// Reductions of complex numbers: add, sub, mul and div. Each part of each step is rounded; a part that is NaN is
// canonical. Compiled for the baseline instruction set only: GCC 12 fuses multiply-adds of complex products if the
// set has them, in spite of -ffp-contract=off.
#include "kernel/combine-inl.h"
#include "kernel/complex_math.h"

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
Kernel combine_complex_kernel(DType dtype, Reduction reduction) noexcept {
  return HWY_NAMESPACE::choose_complex(dtype, reduction);
}
}  // namespace strew

// Divides sums by the number of their terms, in plain loops that are compiled once for each instruction set.
#include "kernel/mean.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/mean.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/half_math.h"
#include "core/visit_dtype.h"
#include "kernel/element_math.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE void divide_row(std::byte* at, std::int64_t count, std::uint64_t terms) {
  for (std::int64_t i = 0; i < count; ++i, at += sizeof(T)) {
    T sum;
    std::memcpy(&sum, at, sizeof sum);
    sum = divide(sum, terms);
    std::memcpy(at, &sum, sizeof sum);
  }
}

// Calls `row(address, part count, terms)` for each row with updates. Elements have `parts` parts of `width` bytes.
template <class Count, class DivideRow>
HWY_INLINE void divide_rows(const Sums& sums, const Count* HWY_RESTRICT updates, bool data, std::int64_t parts,
                            std::int64_t width, const DivideRow& row) {
  auto* first = static_cast<std::byte*>(sums.elements);
  for (std::int64_t i = 0; i < sums.count; ++i) {
    if (updates[i] == 0) continue;
    row(first + i * sums.step * parts * width, sums.row * parts, std::uint64_t{updates[i]} + (data ? 1 : 0));
  }
}

// Builds without vectors, such as the WebAssembly module, use this one loop for all types to stay small.
using RowDivider = void (*)(std::byte* at, std::int64_t count, std::uint64_t terms);
template <class Count>
HWY_NOINLINE void divide_rows_of_any_type(const Sums& sums, const Count* updates, bool data, std::int64_t parts,
                                          std::int64_t width, RowDivider row) {
  divide_rows(sums, updates, data, parts, width, row);
}

// Does the same as `divide` without a branch on the number of terms; see kTermsInFloat.
template <class T, class Count>
HWY_INLINE T divided_by_any(T sum, Count terms) {
  if constexpr (std::is_same_v<T, float>) {
    return canonical(static_cast<float>(static_cast<double>(sum) / static_cast<double>(terms)));
  } else {
    return divide(sum, terms);
  }
}

// kParts: number of parts of an element, which are divided separately; 2 for complex numbers.
template <class T, int kParts, class Count>
void divide_sums(const Sums& sums, const Count* HWY_RESTRICT updates, bool data) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(T));
  if constexpr (HWY_TARGET == HWY_SCALAR) {
    divide_rows_of_any_type(sums, updates, data, kParts, kWidth, &divide_row<T>);
  } else if (sums.step == 1 && sums.row == 1 && kParts == 1) {
    auto* first = static_cast<std::byte*>(sums.elements);
    const Count own = data ? 1 : 0;
    // Only the store is conditional, so that the loop vectorises.
    for (std::int64_t i = 0; i < sums.count; ++i) {
      T sum;
      std::memcpy(&sum, first + i * kWidth, sizeof sum);
      sum = divided_by_any(sum, std::max<Count>(updates[i] + own, 1));
      if (updates[i] != 0) std::memcpy(first + i * kWidth, &sum, sizeof sum);
    }
  } else {
    divide_rows(sums, updates, data, kParts, kWidth,
                [](std::byte* at, std::int64_t count, std::uint64_t terms)
                    HWY_ATTR { divide_row<T>(at, count, terms); });
  }
}

template <class T, int kParts = 1>
constexpr Divide kDivide{&divide_sums<T, kParts, std::uint32_t>, &divide_sums<T, kParts, std::uint64_t>};

const Divide* choose(DType dtype) {
  if (dtype == DType::kComplex64) return &kDivide<float, 2>;
  if (dtype == DType::kComplex128) return &kDivide<double, 2>;
  return visit_dtype<const Divide*, float, double, Float16, BFloat16, std::int8_t, std::int16_t, std::int32_t,
                     std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(
      dtype, [](auto type) { return &kDivide<decltype(type)>; });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose);
const Divide* divide_by_terms(DType dtype) noexcept { return HWY_DYNAMIC_DISPATCH(choose)(dtype); }
}  // namespace strew
#endif

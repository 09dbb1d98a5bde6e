// The table from type and reduction to kernel, and the reduction of strings.
#include <string>

#include "kernel/kernel.h"

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
  if (dtype == DType::kString) return reduction == Reduction::kAdd ? &append_strings : nullptr;
  if (const Kernel kernel = combine_integer_kernel(dtype, reduction)) return kernel;
  if (const Kernel kernel = combine_float_kernel(dtype, reduction)) return kernel;
  return combine_complex_kernel(dtype, reduction);
}

}  // namespace strew

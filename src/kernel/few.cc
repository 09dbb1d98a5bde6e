// Loops over rows of few elements. Column offsets and repeated values stay in registers.
#include "kernel/few.h"

#include <array>
#include <cstring>

#include "core/visit_dtype.h"

namespace strew {
namespace {

template <std::size_t kBytes>
void repeat(void* rows, const void* source, const std::int64_t* source_offset, std::int64_t count,
            std::int64_t row) {
  constexpr auto kWidth = static_cast<std::int64_t>(kBytes);
  auto* to = static_cast<std::byte*>(rows);
  const auto* from = static_cast<const std::byte*>(source);
  for (std::int64_t i = 0; i < count; ++i, to += row * kWidth) {
    std::array<std::byte, kRepeatSlackBytes> value;
    std::memcpy(value.data(), from + source_offset[i] * kWidth, kBytes);
    for (std::size_t filled = kBytes; filled < value.size(); filled *= 2) {
      std::memcpy(value.data() + filled, value.data(), filled);
    }
    for (std::int64_t at = 0; at < row * kWidth; at += kRepeatSlackBytes) {
      std::memcpy(to + at, value.data(), value.size());
    }
  }
}

template <std::size_t kBytes, std::size_t kColumns>
void copy_columns(void* target, const void* source, const std::int64_t* column_offset, RowSteps rows) {
  constexpr auto kWidth = static_cast<std::int64_t>(kBytes);
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  std::array<std::int64_t, kColumns> at;
  for (std::size_t c = 0; c < kColumns; ++c) at[c] = column_offset[c] * kWidth;
  for (std::int64_t i = 0; i < rows.count; ++i, to += rows.target * kWidth, from += rows.source * kWidth) {
    for (std::size_t c = 0; c < kColumns; ++c) std::memcpy(to + c * kBytes, from + at[c], kBytes);
  }
}

template <std::size_t kBytes>
ColumnsKernel columns_of(std::int64_t columns) noexcept {
  return columns == 2   ? &copy_columns<kBytes, 2>
         : columns == 3 ? &copy_columns<kBytes, 3>
         : columns == 4 ? &copy_columns<kBytes, 4>
                        : nullptr;
}

}  // namespace

RepeatKernel repeat_kernel(std::int64_t width) noexcept {
  return visit_width(width, [](auto bytes) -> RepeatKernel { return &repeat<bytes>; });
}

ColumnsKernel columns_kernel(std::int64_t width, std::int64_t columns) noexcept {
  return visit_width(width, [&](auto bytes) { return columns_of<bytes>(columns); });
}

}  // namespace strew

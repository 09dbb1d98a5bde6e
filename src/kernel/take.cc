// One loop for each width of elements.
#include "kernel/take.h"

#include <cstring>

namespace strew {
namespace {

// Without branches between them the processor has many loads under way.
constexpr std::int64_t kStep = 16;

template <std::int64_t kWidth>
void take_elements(std::byte* __restrict__ to, const std::byte* table, const std::int64_t* __restrict__ offset,
                   std::int64_t count, const std::int64_t* __restrict__ next, std::int64_t next_count) {
  std::int64_t i = 0;
  for (; i + kStep <= next_count; i += kStep) {
#pragma GCC unroll 16
    for (std::int64_t k = i; k < i + kStep; ++k) __builtin_prefetch(table + next[k] * kWidth);
#pragma GCC unroll 16
    for (std::int64_t k = i; k < i + kStep; ++k) std::memcpy(to + k * kWidth, table + offset[k] * kWidth, kWidth);
  }
  for (std::int64_t k = i; k < next_count; ++k) __builtin_prefetch(table + next[k] * kWidth);
  for (; i < count; ++i) std::memcpy(to + i * kWidth, table + offset[i] * kWidth, kWidth);
}

}  // namespace

Take take(std::int64_t width) noexcept {
  switch (width) {
    case 1:
      return &take_elements<1>;
    case 2:
      return &take_elements<2>;
    case 4:
      return &take_elements<4>;
    case 8:
      return &take_elements<8>;
    default:
      return &take_elements<16>;
  }
}

}  // namespace strew

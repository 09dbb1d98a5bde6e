// Software prefetching.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine.h"

namespace strew {

inline std::int64_t cache_line_offset(const void* address) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % kCacheLineBytes);
}

/// Calls `visit(address)` for each cache line of the `bytes` bytes (at least one) at `address`. The number of
/// calls does not depend on the alignment of `address`, since a branch on the alignment would be mispredicted.
template <class Visit>
void for_each_cache_line(const std::byte* address, std::int64_t bytes, const Visit& visit) {
  visit(address);
  for (std::int64_t at = kCacheLineBytes; at < bytes; at += kCacheLineBytes) visit(address + at);
  if (bytes > 1) visit(address + bytes - 1);
}

/// Keeps GCC from dropping calls to functions and lambdas that only prefetch, in which it sees no side effects.
inline void keep_prefetches() noexcept { asm volatile(""); }

/// Prefetches into L1.
inline void prefetch_bytes(const std::byte* address, std::int64_t bytes) noexcept {
  for_each_cache_line(address, bytes, [](const std::byte* line) {
    __builtin_prefetch(line);
    keep_prefetches();
  });
}

/// Prefetches into L2 only: L1 has few line fill buffers, and the loads of the kernels need them.
inline void prefetch_to_l2(const std::byte* address, std::int64_t bytes) noexcept {
  for_each_cache_line(address, bytes, [](const std::byte* line) {
    __builtin_prefetch(line, 0, 2);
    keep_prefetches();
  });
}

}  // namespace strew

// Asking for memory ahead of its use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine.h"

namespace strew {

/// How far behind the begin of a cache line an address is, in bytes.
inline std::int64_t behind_line(const void* address) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % kLineBytes);
}

/// Calls `visit(address)` with one address on each cache line that `bytes` at `address`, at least one, lie on.
template <class Visit>
void for_each_line(const std::byte* address, std::int64_t bytes, const Visit& visit) {
  visit(address);
  for (std::int64_t at = kLineBytes - behind_line(address); at < bytes; at += kLineBytes) visit(address + at);
}

/// GCC takes a function of nothing but prefetches for one without effects, and drops calls of it.
inline void keep_prefetches() noexcept { asm volatile(""); }

/// Asks for them.
inline void prefetch_bytes(const std::byte* address, std::int64_t bytes) noexcept {
  for_each_line(address, bytes, [](const std::byte* line) { __builtin_prefetch(line); });
  keep_prefetches();
}

/// Asks for them, but only as near as the second-level cache: what is read in order, if with gaps, is soon near
/// enough there, and keeps no buffers of the first level from what is not.
inline void prefetch_bytes_level2(const std::byte* address, std::int64_t bytes) noexcept {
  for_each_line(address, bytes, [](const std::byte* line) { __builtin_prefetch(line, 0, 2); });
  keep_prefetches();
}

}  // namespace strew

// The cache of large blocks of memory for results and scratch.
#pragma once

#include <chrono>
#include <cstdint>

#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Sets the size limit of the cache. Without a cache, the operating system clears the memory for each result,
/// which takes longer than most operators. The cache keeps freed blocks of 1 MiB or more of results and scratch
/// memory, and releases the oldest first. The default is 1 GiB, or an eighth of `usable_memory()` if that is less;
/// 0 caches nothing. Less is cached if all blocks, cached or in use, would exceed 3/4 of `usable_memory()`.
void set_memory_cache_limit(std::int64_t bytes) noexcept;
std::int64_t memory_cache_limit() noexcept;

/// Bytes of cached blocks.
std::int64_t memory_cache_bytes() noexcept;

/// Bytes that the process may use: the memory of the machine, or the limit of its control group if that is lower.
std::int64_t usable_memory() noexcept;

/// Releases all cached blocks to the operating system.
void release_memory_cache() noexcept;

/// Releases the blocks that have not been reused for `age`.
void release_unused_memory(std::chrono::milliseconds age) noexcept;

/// Allocates uninitialised memory, aligned to cache lines. Returns nullptr on failure. Any thread may free it.
void* allocate_memory(std::int64_t bytes) noexcept;

/// Resizes memory from `allocate_memory` (or nullptr). On failure, returns nullptr and leaves `memory` unchanged.
void* reallocate_memory(void* memory, std::int64_t bytes) noexcept;

/// Frees memory from the two functions above; nullptr is allowed.
void free_memory(void* memory) noexcept;

}  // namespace strew
STREW_API_END

// Memory of large results and of scratch, which is kept for later calls.
#pragma once

#include <chrono>
#include <cstdint>

#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Fresh memory costs more than most operators: the operating system clears it page by page when it is first
/// written. So blocks of 1 MiB and more that results (`Tensor`) and calls give back are kept, up to this many
/// bytes in all, and the blocks that were given back first are released first. At the start 1 GiB, or an eighth of
/// the memory that the process may use where that is less. 0 keeps nothing. What is kept beyond a new limit is
/// released at once. Less is kept where, with the blocks in use, it would be more than three quarters of what
/// the process may use.
void set_memory_cache_limit(std::int64_t bytes) noexcept;
std::int64_t memory_cache_limit() noexcept;

/// Bytes that are kept now: in no use, but still taken from the operating system, which may take them back by
/// itself when memory runs short.
std::int64_t memory_cache_bytes() noexcept;

/// Bytes that the process may use: those of the machine, or of its control group where that has a limit below.
std::int64_t usable_memory() noexcept;

/// Gives all that is kept back to the operating system.
void release_memory_cache() noexcept;

/// Gives back what nobody has taken for so long.
void release_unused_memory(std::chrono::milliseconds age) noexcept;

/// Uninitialised memory out of the blocks that are kept, aligned to cache lines, for outputs of a caller's own;
/// nullptr where there is none to be had. Any thread may free it.
void* allocate_memory(std::int64_t bytes) noexcept;

/// The same contents, up to the smaller size, in memory of another size. nullptr, with `memory` as it was, where
/// there is none to be had. `memory` is from `allocate_memory`, or nullptr.
void* reallocate_memory(void* memory, std::int64_t bytes) noexcept;

/// `memory` is from one of the two functions above, or nullptr.
void free_memory(void* memory) noexcept;

}  // namespace strew
STREW_API_END
